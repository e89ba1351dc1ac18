//! Which method is answered by whom, in each era.

use super::call::{Call, Stop};
use super::client::Client;
use super::era::{self, Era, LEGACY, MODERN, invalid_params, no_method};
use super::outcome::Outcome;
use super::provider::List;
use super::{resources, tools};
use crate::{CallContext, RpcError};
use eye_protocol::rpc::json;
use serde::Deserialize;
use serde_json::value::RawValue;

/// How long a client may keep what never changes while a hub runs.
const STEADY_MS: u64 = 3_600_000;

const CAPABILITIES: &str = concat!(
    r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"#,
    r#""prompts":{"listChanged":true},"completions":{},"logging":{}}"#
);

/// Answers a request: the result as JSON text.
pub(super) async fn answer(call: &Call) -> Result<String, RpcError> {
    let served = async {
        // Only what rests on a token can end with it.
        if call.client.allowed.bearer().is_none() {
            return serve(call).await;
        }
        tokio::select! {
            outcome = serve(call) => outcome,
            error = call.client.link.ended() => Err(RpcError::from(error).into()),
        }
    };
    let outcome = match served.await {
        Ok(outcome) | Err(Stop::Input(outcome)) => outcome,
        Err(Stop::Error(error)) => return Err(error),
    };
    Ok(outcome.render(call.era, call.method(), call.client.face.server_info()))
}

async fn serve(call: &Call) -> Result<Outcome, Stop> {
    if let Some(provider) = call.client.face.provider()
        && let Some(answer) = provider.serve(call)
    {
        return answer.await;
    }
    match (call.method(), call.era) {
        ("initialize", Era::Legacy) => initialize(call),
        ("ping", Era::Legacy) => Ok(Outcome::ours("")),
        ("server/discover", Era::Modern) => Ok(discover()),
        ("logging/setLevel", Era::Legacy) => {
            let SetLevel { level } = call.params()?;
            call.client.set_level(&level)?;
            Ok(Outcome::ours(""))
        }
        ("tools/list", _) => tools::list(call).await,
        ("tools/call", _) => tools::call(call).await,
        ("resources/list", _) => resources::list(call).await,
        ("resources/templates/list", _) => Ok(resources::templates(call).await),
        ("resources/read", _) => resources::read(call).await,
        ("resources/subscribe", Era::Legacy) => resources::subscribe(call).await,
        ("resources/unsubscribe", Era::Legacy) => resources::unsubscribe(call),
        ("prompts/list", _) => prompts(call).await,
        ("prompts/get", _) => get_prompt(call).await,
        ("completion/complete", _) => complete(call).await,
        (other, _) => Err(no_method(other).into()),
    }
}

#[derive(Deserialize)]
struct SetLevel {
    level: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialize {
    protocol_version: String,
    #[serde(default)]
    capabilities: serde_json::Value,
}

fn initialize(call: &Call) -> Result<Outcome, Stop> {
    let Initialize { protocol_version, capabilities } = call.params()?;
    let version = era::negotiate(&protocol_version);
    call.client.agree(version, capabilities);
    let info = call.client.face.server_info();
    Ok(Outcome::ours(format!(
        r#""protocolVersion":"{version}","capabilities":{CAPABILITIES},"serverInfo":{info},"instructions":{}"#,
        json(tools::INSTRUCTIONS)
    )))
}

fn discover() -> Outcome {
    let versions = json(&[MODERN]);
    Outcome::ours(format!(
        r#""supportedVersions":{versions},"capabilities":{CAPABILITIES},"instructions":{}"#,
        json(tools::INSTRUCTIONS)
    ))
    .holding_ms(STEADY_MS)
}

/// Whether a header may name this revision.
pub(super) fn is_known_version(version: &str) -> bool {
    version == MODERN || LEGACY.contains(&version)
}

/// Where a page of a list begins.
#[derive(Deserialize)]
pub(super) struct Cursor {
    cursor: Option<String>,
}

impl Cursor {
    /// The place it stands for. Cursors are ours, so anything else is a mistake.
    pub fn start(call: &Call) -> Result<usize, RpcError> {
        let Self { cursor } = call.params()?;
        match cursor {
            None => Ok(0),
            Some(text) => text.parse().map_err(|_| invalid_params(format!("`{text}` is no cursor of this list"))),
        }
    }
}

/// One page of a list as members of a result.
pub(super) fn page_of(name: &str, all: &[Box<RawValue>], start: usize, len_max: usize) -> String {
    let end = all.len().min(start.saturating_add(len_max));
    let items: Vec<&str> = all.get(start..end).unwrap_or_default().iter().map(|raw| raw.get()).collect();
    let next = if end < all.len() { format!(r#","nextCursor":"{end}""#) } else { String::new() };
    format!(r#""{name}":[{}]{next}"#, items.join(","))
}

/// What a provider of the embedding program lists.
pub(super) fn provided(client: &Client, list: List) -> Vec<Box<RawValue>> {
    client.face.provider().map(|provider| provider.list(list)).unwrap_or_default()
}

async fn prompts(call: &Call) -> Result<Outcome, Stop> {
    let mut all = provided(&call.client, List::Prompts);
    all.extend(call.client.prompts().await);
    let start = Cursor::start(call)?;
    Ok(Outcome::ours(page_of("prompts", &all, start, super::limits::LIST_LEN_MAX)))
}

async fn get_prompt(call: &Call) -> Result<Outcome, Stop> {
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

/// The same params with another text in one member.
pub(super) fn renamed(params: &str, member: &str, value: &str) -> Option<Box<RawValue>> {
    let mut members: indexmap::IndexMap<String, Box<RawValue>> = serde_json::from_str(params).ok()?;
    members.insert(member.to_owned(), RawValue::from_string(json(value)).ok()?);
    RawValue::from_string(json(&members)).ok()
}

async fn complete(call: &Call) -> Result<Outcome, Stop> {
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
    let mut members: indexmap::IndexMap<String, Box<RawValue>> = call.params()?;
    members.insert("ref".into(), inner);
    let params = RawValue::from_string(json(&members)).ok();
    let context = CallContext::default();
    Ok(Outcome::Foreign(call.client.ask_server(&server, "completion/complete", params, context).await?))
}
