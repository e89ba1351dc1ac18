//! The revisions of MCP that are served, the two eras, and the `_meta` of requests.

use crate::RpcError;
use eye_protocol::rpc::json;
use memchr::{memchr, memmem};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The revision without sessions.
pub const MODERN: &str = "2026-07-28";
/// Revisions with a handshake and sessions, newest first.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The only revision with batches.
pub const BATCHES: &str = "2025-03-26";
/// The first revision whose streams begin with an empty event, from which a client can resume.
pub const PRIMED_FROM: &str = "2025-11-25";

/// Error code: header and body disagree.
pub const HEADER_MISMATCH: i64 = -32020;
/// Error code: the client did not declare a capability that the request needs.
pub const MISSING_CAPABILITY: i64 = -32021;
/// Error code: the revision is not served.
pub const UNSUPPORTED_VERSION: i64 = -32022;
/// Error code for legacy clients: no such resource. Modern clients get -32602.
pub const RESOURCE_NOT_FOUND: i64 = -32002;

/// The `_meta` member in which modern requests declare the client's capabilities.
pub const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The `_meta` member with the lowest level of log messages that a modern client wants.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The rules that apply to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Up to 2025-11-25: `initialize`, sessions, requests from the server to the client.
    Legacy,
    /// From 2026-07-28: every request is self-contained.
    Modern,
}

/// The legacy revision to speak with a client: the one that it requested if served, else the newest.
pub fn negotiate(wanted: &str) -> &'static str {
    LEGACY.iter().find(|known| **known == wanted).unwrap_or(&LEGACY[0])
}

/// The `_meta` of a request's params.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Meta {
    /// The revision; modern clients only.
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    pub version: Option<Box<RawValue>>,
    /// The client's capabilities; modern clients only.
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    pub capabilities: Option<Box<RawValue>>,
    /// The lowest level of log messages that the client wants; modern clients only.
    #[serde(rename = "io.modelcontextprotocol/logLevel")]
    pub log_level: Option<String>,
    /// The token for progress notifications; absent if the client wants none.
    #[serde(rename = "progressToken")]
    pub progress_token: Option<Box<RawValue>>,
}

impl Meta {
    /// Reads `_meta` from params; empty if absent or malformed.
    pub fn of(params: Option<&RawValue>) -> Self {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow, rename = "_meta")]
            meta: Option<&'a RawValue>,
        }
        // Most params have none. Only an escape could spell the name otherwise.
        let may_have =
            |text: &str| memmem::find(text.as_bytes(), b"_meta").is_some() || memchr(b'\\', text.as_bytes()).is_some();
        let Some(text) = params.map(RawValue::get).filter(|text| may_have(text)) else { return Self::default() };
        let meta = serde_json::from_str::<Params<'_>>(text).ok().and_then(|params| params.meta);
        meta.and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default()
    }

    /// The revision as a string.
    pub fn version(&self) -> Option<String> {
        self.version.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// Refuses a modern request without revision or capabilities, or with a revision that is not served.
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

pub fn invalid_params(message: impl Into<String>) -> RpcError {
    RpcError { code: -32602, message: message.into(), data: None }
}

/// The error for a revision that is not served; its data lists those that are.
pub fn unsupported(requested: &str) -> RpcError {
    let data = format!(r#"{{"supported":["{MODERN}"],"requested":{}}}"#, json(requested));
    RpcError {
        code: UNSUPPORTED_VERSION,
        message: format!("revision {requested} is not served here"),
        data: RawValue::from_string(data).ok(),
    }
}

pub fn missing_capability(name: &str) -> RpcError {
    let data = format!(r#"{{"requiredCapabilities":{{{}:{{}}}}}}"#, json(name));
    RpcError {
        code: MISSING_CAPABILITY,
        message: format!("this needs a client that declares the capability `{name}`"),
        data: RawValue::from_string(data).ok(),
    }
}

pub fn no_method(method: &str) -> RpcError {
    RpcError { code: -32601, message: format!("Method not found: {method}"), data: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meta_is_read_however_its_name_is_spelled() {
        let version = |params: &str| Meta::of(Some(&RawValue::from_string(params.to_owned()).unwrap())).version();
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        for name in ["_meta", "_met\\u0061", "\\u005fmeta"] {
            assert_eq!(version(&format!(r#"{{"name":"x","{name}":{meta}}}"#)).as_deref(), Some(MODERN), "{name}");
        }
        assert_eq!(version(&format!(r#"{{"arguments":{{"_meta":{meta}}}}}"#)), None);
        assert_eq!(version(r#"{"name":"x"}"#), None);
    }
}
