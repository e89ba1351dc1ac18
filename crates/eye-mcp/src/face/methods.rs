//! The methods of each era and where they are answered.

use super::call::{Call, Stop};
use super::era::{self, Era, LEGACY, MODERN};
use super::outcome::Outcome;
use super::{answer, resources, tools};
use crate::RpcError;
use eye_protocol::rpc::json;
use serde::Deserialize;

/// How long a client may cache results that never change while a hub runs.
const STEADY_MS: u64 = 3_600_000;

const CAPABILITIES: &str = concat!(
    r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"#,
    r#""prompts":{"listChanged":true},"completions":{},"logging":{}}"#
);

/// Answers a request with the result as JSON text.
pub(super) async fn answer(call: &Call) -> Result<String, RpcError> {
    answer::finish(call, serve).await
}

async fn serve(call: &Call) -> Result<Outcome, Stop> {
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
        ("resources/subscribe", Era::Legacy) => resources::subscribe(call).await,
        ("resources/unsubscribe", Era::Legacy) => resources::unsubscribe(call),
        _ => answer::read(call).await,
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
    let info = call.client.shared.server_info();
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
