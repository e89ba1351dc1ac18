//! The revisions of MCP: which are served, which of the two eras a message belongs to, and what its `_meta` says.

use crate::RpcError;
use eye_protocol::rpc::json;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The revision without sessions.
pub const MODERN: &str = "2026-07-28";
/// Revisions with a handshake and sessions, newest first.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The one that has batches.
pub const BATCHES: &str = "2025-03-26";
/// Where a stream begins with an event that can be resumed from.
pub const PRIMED_FROM: &str = "2025-11-25";

/// Header and body disagree.
pub const HEADER_MISMATCH: i64 = -32020;
/// The client did not say that it can do what is needed.
pub const MISSING_CAPABILITY: i64 = -32021;
/// A revision that is not served.
pub const UNSUPPORTED_VERSION: i64 = -32022;
/// A resource that is not there, as legacy clients know it; modern ones get -32602.
pub const RESOURCE_NOT_FOUND: i64 = -32002;

/// Where modern requests say what their client can do.
pub const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// From which level on a modern client wants log messages.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Which rules hold for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// `initialize`, sessions, requests of the server.
    Legacy,
    /// Every request stands for itself.
    Modern,
}

/// The revision to speak with a client that asked for one: its own where it is served, else the newest of its era.
pub fn negotiate(wanted: &str) -> &'static str {
    LEGACY.iter().find(|known| **known == wanted).unwrap_or(&LEGACY[0])
}

/// What a request says beside its params.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Meta {
    /// The revision, from modern clients.
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    pub version: Option<Box<RawValue>>,
    /// What the client can do.
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    pub capabilities: Option<Box<RawValue>>,
    /// From which level on it wants log messages.
    #[serde(rename = "io.modelcontextprotocol/logLevel")]
    pub log_level: Option<String>,
    /// Under which token it wants to hear of progress.
    #[serde(rename = "progressToken")]
    pub progress_token: Option<Box<RawValue>>,
}

impl Meta {
    /// Reads it from params. Params without one, or whose `_meta` is malformed, have an empty one.
    pub fn of(params: Option<&RawValue>) -> Self {
        #[derive(Deserialize)]
        struct Params {
            #[serde(rename = "_meta")]
            meta: Option<Box<RawValue>>,
        }
        let read = |raw: &RawValue| serde_json::from_str::<Params>(raw.get()).ok()?.meta;
        params.and_then(read).and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default()
    }

    /// The revision it names.
    pub fn version(&self) -> Option<String> {
        self.version.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// What a modern request lacks, or names wrongly.
    pub fn check_modern(&self) -> Result<(), RpcError> {
        let missing = |what: &str| invalid_params(format!("`_meta` must have `io.modelcontextprotocol/{what}`"));
        let version = self.version().ok_or_else(|| missing("protocolVersion"))?;
        if version != MODERN {
            return Err(unsupported(&version));
        }
        match &self.capabilities {
            Some(raw) if raw.get().starts_with('{') => Ok(()),
            Some(_) | None => Err(missing("clientCapabilities")),
        }
    }
}

/// Params that do not fit.
pub fn invalid_params(message: impl Into<String>) -> RpcError {
    RpcError { code: -32602, message: message.into(), data: None }
}

/// A revision that is not served, with those that are.
pub fn unsupported(requested: &str) -> RpcError {
    let data = format!(r#"{{"supported":["{MODERN}"],"requested":{}}}"#, json(requested));
    RpcError {
        code: UNSUPPORTED_VERSION,
        message: format!("revision {requested} is not served here"),
        data: RawValue::from_string(data).ok(),
    }
}

/// A capability that the client did not declare.
pub fn missing_capability(name: &str) -> RpcError {
    let data = format!(r#"{{"requiredCapabilities":{{{}:{{}}}}}}"#, json(name));
    RpcError {
        code: MISSING_CAPABILITY,
        message: format!("this needs a client that declares the capability `{name}`"),
        data: RawValue::from_string(data).ok(),
    }
}

/// A method that is not served.
pub fn no_method(method: &str) -> RpcError {
    RpcError { code: -32601, message: format!("Method not found: {method}"), data: None }
}
