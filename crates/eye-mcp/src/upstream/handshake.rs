//! The handshake: finds out the era and revision of an upstream.

use super::connection::{Connection, Failed, Wire};
use super::envelope::{self, Era, LEGACY, MODERN};
use super::reason::Reason;
use super::server_requests::ABILITIES;
use crate::config::EraChoice;
use crate::context::CallContext;
use crate::limits::{INSTRUCTIONS_BYTES_MAX, START};
use serde::Deserialize;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use std::sync::Arc;

/// Revisions with sessions that a server may answer with.
const LEGACY_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The result of the handshake.
#[derive(Clone, Debug)]
pub struct Greeting {
    /// The agreed revision of MCP.
    pub version: String,
    pub capabilities: Value,
    /// The server's own instructions for using it.
    pub instructions: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HandshakeResult {
    #[serde(default)]
    protocol_version: Option<String>,
    #[serde(default)]
    supported_versions: Vec<String>,
    #[serde(default)]
    capabilities: Value,
    #[serde(default)]
    instructions: Option<String>,
}

/// Does the handshake in the era that the upstream speaks, and sets the era on the connection.
pub async fn greet(connection: &Arc<Connection>, choice: EraChoice) -> Result<Greeting, Reason> {
    match choice {
        EraChoice::Legacy => legacy(connection).await,
        EraChoice::Modern => modern(connection).await,
        EraChoice::Auto => {
            // Nearly all servers are legacy, and some fail on any other first message.
            let refused = match legacy(connection).await {
                Ok(greeting) => return Ok(greeting),
                Err(why) if connection.has_ended() => return Err(why),
                Err(why) => why,
            };
            modern(connection).await.map_err(|_| refused)
        }
    }
}

async fn legacy(connection: &Arc<Connection>) -> Result<Greeting, Reason> {
    let abilities: Value = serde_json::from_str(ABILITIES).unwrap_or_default();
    let params = json!({ "protocolVersion": LEGACY, "capabilities": abilities, "clientInfo": envelope::client() });
    let result = ask(connection, Era::Legacy, "initialize", &params).await?;
    let version = result.protocol_version.unwrap_or_default();
    if !LEGACY_VERSIONS.contains(&version.as_str()) {
        return Err(format!("it speaks the revision `{}` of MCP, which eye does not know", short(&version)).into());
    }
    connection.set_era(Era::Legacy);
    let text = envelope::notification("notifications/initialized", &json!({}));
    match &connection.wire {
        Wire::Child(wire) => {
            wire.outbox.push(text);
        }
        Wire::Http(wire) => {
            wire.set_version(&version);
            wire.tell(&connection.listener(), Era::Legacy, "notifications/initialized", text).await;
        }
    }
    Ok(Greeting { version, capabilities: result.capabilities, instructions: cut(result.instructions) })
}

async fn modern(connection: &Arc<Connection>) -> Result<Greeting, Reason> {
    let result = ask(connection, Era::Modern, "server/discover", &json!({})).await?;
    if !result.supported_versions.iter().any(|version| version == MODERN) {
        let versions = short(&result.supported_versions.join(", "));
        return Err(format!("it speaks the revisions {versions} of MCP, none of which eye knows").into());
    }
    connection.set_era(Era::Modern);
    Ok(Greeting { version: MODERN.into(), capabilities: result.capabilities, instructions: cut(result.instructions) })
}

async fn ask(connection: &Arc<Connection>, era: Era, method: &str, params: &Value) -> Result<HandshakeResult, Reason> {
    let params = to_raw_value(params).ok();
    let answer = connection.request_in(era, method, params, &CallContext::default(), START).await;
    match answer {
        Ok(result) => {
            let odd = |error| Reason::Failed(format!("its answer to {method} is odd: {error}"));
            serde_json::from_str(result.get()).map_err(odd)
        }
        Err(_) if connection.has_ended() => Err(connection.why_ended().into()),
        Err(Failed::Rpc(_)) if matches!(&connection.wire, Wire::Http(wire) if wire.wants_login()) => {
            Err(Reason::Login(connection.server.clone()))
        }
        Err(Failed::Rpc(error)) => Err(format!("it answered {method} with: {}", short(&error.message)).into()),
        Err(Failed::Unsent(why)) => Err(why.into()),
    }
}

fn short(text: &str) -> String {
    eye_protocol::signature::one_line(text, 300)
}

fn cut(instructions: Option<String>) -> Option<String> {
    instructions.map(|mut text| {
        text.truncate(text.floor_char_boundary(INSTRUCTIONS_BYTES_MAX));
        text
    })
}
