//! The prompts of running upstreams, and the completion of their arguments.

use super::call::{Call, Stop};
use super::era::invalid_params;
use super::limits::LIST_LEN_MAX;
use super::listing::{Cursor, page_of, provided};
use super::members::renamed;
use super::offers::List;
use super::outcome::Outcome;
use crate::CallContext;
use eye_protocol::rpc::json;
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;

pub(super) async fn list(call: &Call) -> Result<Outcome, Stop> {
    let mut all = provided(&call.client, List::Prompts);
    all.extend(call.client.prompts().await);
    let start = Cursor::start(call)?;
    Ok(Outcome::ours(page_of("prompts", &all, start, LIST_LEN_MAX)))
}

pub(super) async fn get(call: &Call) -> Result<Outcome, Stop> {
    #[derive(Deserialize)]
    struct Get {
        name: String,
    }
    let Get { name } = call.params()?;
    let Some((server, own)) = call.client.prompt_owner(&name).await else {
        return Err(invalid_params(format!("Unknown prompt: {name}")).into());
    };
    let params = renamed(call.raw_params(), "name", &own);
    let context = CallContext { progress: call.progress_sink(), ..CallContext::default() };
    Ok(Outcome::Foreign(call.client.ask_server(&server, "prompts/get", params, context).await?))
}

/// `completion/complete`, for prompts only.
pub(super) async fn complete(call: &Call) -> Result<Outcome, Stop> {
    #[derive(Deserialize)]
    struct Complete {
        r#ref: serde_json::Value,
    }
    let Complete { r#ref } = call.params()?;
    let nothing = Outcome::ours(r#""completion":{"values":[]}"#);
    let Some(name) = r#ref["name"].as_str() else { return Ok(nothing) };
    let Some((server, own)) = call.client.prompt_owner(name).await else { return Ok(nothing) };
    let inner = renamed(&r#ref.to_string(), "name", &own);
    let Some(inner) = inner else { return Ok(nothing) };
    let mut members: IndexMap<String, Box<RawValue>> = call.params()?;
    members.insert("ref".into(), inner);
    let params = RawValue::from_string(json(&members)).ok();
    let context = CallContext::default();
    Ok(Outcome::Foreign(call.client.ask_server(&server, "completion/complete", params, context).await?))
}
