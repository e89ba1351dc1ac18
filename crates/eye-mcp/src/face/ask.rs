//! Sends a client's request to an upstream, across the eras of both.

use super::call::{Call, Stop};
use super::era::{CAPABILITIES, Era, LOG_LEVEL};
use super::limits::INPUT_ROUNDS_MAX;
use super::outcome::Outcome;
use super::parking::Errand;
use crate::Era as UpstreamEra;
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::time::Duration;

/// Sends a request to an upstream. For a legacy client, answers the upstream's input requests in between.
pub(super) async fn upstream(
    call: &Call,
    server: &str,
    method: &str,
    params: Box<RawValue>,
    timeout: Option<Duration>,
) -> Result<Outcome, Stop> {
    if let Some(errand) = Errand::taken_up(call)? {
        return errand.settle(call).await.map(Outcome::Foreign);
    }
    let mut params = as_modern(call, server, params);
    for _ in 0..INPUT_ROUNDS_MAX {
        let result = Errand::begin(call, server, method, params.clone(), timeout).settle(call).await?;
        let Some(wanted) = wanted_input(&result).filter(|_| call.era == Era::Legacy) else {
            return Ok(Outcome::Foreign(result));
        };
        // A modern upstream requests input by its result; a legacy client is asked while its request waits.
        let mut answers: IndexMap<String, Box<RawValue>> = IndexMap::new();
        for (key, request) in wanted.requests {
            let inner = request.params.as_deref().map_or("{}", RawValue::get);
            answers.insert(key.clone(), call.ask(&key, &request.method, inner).await?);
        }
        let mut members: IndexMap<String, Box<RawValue>> = serde_json::from_str(params.get()).unwrap_or_default();
        members.insert("inputResponses".into(), raw(&json(&answers)));
        if let Some(state) = wanted.state {
            members.insert("requestState".into(), state);
        }
        params = raw(&json(&members));
    }
    Err(Error::new(Code::REQUEST, format!("{server} asked for input {INPUT_ROUNDS_MAX} times")).into())
}

/// Adds the client's capabilities and log level to the params, for a modern upstream: it expects them with every
/// request, while a legacy client sent them once.
fn as_modern(call: &Call, server: &str, params: Box<RawValue>) -> Box<RawValue> {
    if call.era == Era::Modern || call.client.scope.era(server) == Some(UpstreamEra::Legacy) {
        return params;
    }
    let Some(agreed) = call.client.agreed() else { return params };
    let Ok(mut members) = serde_json::from_str::<IndexMap<String, Box<RawValue>>>(params.get()) else { return params };
    let meta = members.get("_meta").and_then(|meta| serde_json::from_str(meta.get()).ok());
    let mut meta: IndexMap<String, Box<RawValue>> = meta.unwrap_or_default();
    if agreed.capabilities.as_object().is_some_and(|all| !all.is_empty()) {
        meta.insert(CAPABILITIES.into(), raw(&agreed.capabilities.to_string()));
    }
    meta.entry(LOG_LEVEL.into()).or_insert_with(|| raw(&json(&call.client.level())));
    members.insert("_meta".into(), raw(&json(&meta)));
    raw(&json(&members))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    result_type: String,
    #[serde(default, rename = "inputRequests")]
    requests: IndexMap<String, WantedRequest>,
    #[serde(rename = "requestState")]
    state: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct WantedRequest {
    method: String,
    params: Option<Box<RawValue>>,
}

fn wanted_input(result: &RawValue) -> Option<Wanted> {
    // Nearly every result is an ordinary one; a text search avoids parsing it.
    if !result.get().contains("input_required") {
        return None;
    }
    serde_json::from_str::<Wanted>(result.get()).ok().filter(|wanted| wanted.result_type == "input_required")
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
