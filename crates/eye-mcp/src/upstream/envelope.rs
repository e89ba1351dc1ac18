//! Messages to and from an upstream. Params and results stay raw; only `_meta` is parsed, where the protocol requires
//! it.

use crate::error::RpcError;
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use std::fmt::Write;

/// The newest revision with sessions.
pub const LEGACY: &str = "2025-11-25";
/// The revision without sessions.
pub const MODERN: &str = "2026-07-28";

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// An object whose members stay raw and in order.
pub type Fields = IndexMap<String, Box<RawValue>>;

/// The era of MCP that an upstream speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// With a handshake and a session.
    Legacy,
    /// Every request is self-contained.
    Modern,
}

/// A received message.
#[derive(Debug)]
pub enum Incoming {
    /// A response to a request of ours.
    Response {
        /// `None` if the server could not tell.
        id: Option<u64>,
        outcome: Result<Box<RawValue>, RpcError>,
    },
    Notification {
        method: String,
        params: Option<Box<RawValue>>,
    },
    /// A request from the upstream.
    Request {
        /// Raw; sent back unchanged.
        id: Box<RawValue>,
        method: String,
        params: Option<Box<RawValue>>,
    },
    /// Not a valid message.
    Garbage,
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    id: Option<Box<RawValue>>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Box<RawValue>>,
}

/// Distinguishes a result of `null` from an absent one.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// Parses a message, or an array of messages.
pub fn read(bytes: &[u8]) -> Vec<Incoming> {
    let text = bytes.trim_ascii();
    if text.first() == Some(&b'[') {
        let all: Vec<Box<RawValue>> = serde_json::from_slice(text).unwrap_or_default();
        return if all.is_empty() {
            vec![Incoming::Garbage]
        } else {
            all.iter().map(|one| read_one(one.get().as_bytes())).collect()
        };
    }
    vec![read_one(text)]
}

fn read_one(bytes: &[u8]) -> Incoming {
    // The parser would accept an array as an object, member by member.
    if bytes.first() != Some(&b'{') {
        return Incoming::Garbage;
    }
    let Ok(envelope) = serde_json::from_slice::<Envelope>(bytes) else { return Incoming::Garbage };
    let id = envelope.id.filter(|id| id.get() != "null");
    match (envelope.method, id, envelope.result, envelope.error) {
        (Some(method), Some(id), ..) => Incoming::Request { id, method, params: envelope.params },
        (Some(method), None, ..) => Incoming::Notification { method, params: envelope.params },
        (None, id, Some(result), None) => Incoming::Response { id: own_id(id.as_deref()), outcome: Ok(result) },
        (None, id, _, Some(error)) => {
            Incoming::Response { id: own_id(id.as_deref()), outcome: Err(RpcError::from_raw(&error)) }
        }
        (None, _, None, None) => Incoming::Garbage,
    }
}

/// Our ids are numbers; some servers return them as strings.
fn own_id(id: Option<&RawValue>) -> Option<u64> {
    id?.get().trim_matches('"').parse().ok()
}

/// Finds the id of a response of which only the beginning and end are kept.
pub fn id_in_ends(head: &[u8], tail: &[u8]) -> Option<u64> {
    let find = |bytes: &[u8], last: bool| {
        let text = String::from_utf8_lossy(bytes).replace(' ', "");
        let at = if last { text.rfind("\"id\":") } else { text.find("\"id\":") }?;
        let digits: String = text[at + 5..].trim_start_matches('"').chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    // The envelope's id comes before `result` or after it; `id` members inside the result must not be found.
    let before_result = head.windows(8).position(|w| w == b"\"result\"").map_or(head, |at| &head[..at]);
    find(before_result, false).or_else(|| find(tail, true))
}

/// A request as text.
pub fn request(id: u64, method: &str, params: Option<&RawValue>) -> String {
    let mut text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{}"#, serde_json::Value::from(method));
    if let Some(params) = params {
        let _ = write!(text, r#","params":{}"#, one_line(params.get()));
    }
    text.push('}');
    text
}

/// A notification as text.
pub fn notification(method: &str, params: &serde_json::Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":{},"params":{params}}}"#, serde_json::Value::from(method))
}

/// A response to an upstream's request, as text.
pub fn response(id: &RawValue, outcome: Result<&RawValue, &RpcError>) -> String {
    let (member, value) = match outcome {
        Ok(result) => ("result", one_line(result.get()).into_owned()),
        Err(error) => ("error", eye_protocol::rpc::json(error)),
    };
    format!(r#"{{"jsonrpc":"2.0","id":{},"{member}":{value}}}"#, id.get())
}

/// Removes newlines, which end a message on stdio. JSON needs none outside strings, and inside they are escaped.
fn one_line(json: &str) -> std::borrow::Cow<'_, str> {
    if json.contains(['\n', '\r']) { json.replace(['\n', '\r'], " ").into() } else { json.into() }
}

/// The changes to a request's params that must be undone in its notifications.
#[derive(Debug, Default)]
pub struct Opened {
    /// The caller's own progress token.
    pub token: Option<Box<RawValue>>,
}

/// Prepares params for this upstream: our progress token in place of the caller's, and the `_meta` that its era
/// requires. Everything else stays as it is, in order.
pub fn prepared(
    params: Option<Box<RawValue>>,
    id: u64,
    progress: bool,
    era: Era,
) -> Result<(Option<Box<RawValue>>, Opened), serde_json::Error> {
    let untouched = era == Era::Legacy && !progress && params.as_ref().is_none_or(|p| !p.get().contains("\"_meta\""));
    if untouched {
        return Ok((params, Opened::default()));
    }
    let mut fields: Fields = match &params {
        Some(params) => serde_json::from_str(params.get())?,
        None => Fields::new(),
    };
    let had_meta = fields.contains_key("_meta");
    let mut meta: Fields = match fields.get("_meta") {
        Some(meta) => serde_json::from_str(meta.get()).unwrap_or_default(),
        None => Fields::new(),
    };
    let token = if progress {
        meta.insert("progressToken".into(), to_raw_value(&id)?)
    } else {
        meta.shift_remove("progressToken");
        None
    };
    match era {
        Era::Legacy => {
            for key in [META_VERSION, META_CLIENT, META_CAPABILITIES, META_LOG_LEVEL] {
                meta.shift_remove(key);
            }
        }
        Era::Modern => {
            meta.insert(META_VERSION.into(), to_raw_value(MODERN)?);
            if !meta.contains_key(META_CLIENT) {
                meta.insert(META_CLIENT.into(), to_raw_value(&client())?);
            }
            // A caller's own capabilities stay: they hold through us, since its responses travel in further requests.
            if !meta.contains_key(META_CAPABILITIES) {
                meta.insert(META_CAPABILITIES.into(), to_raw_value(&serde_json::json!({}))?);
            }
        }
    }
    if had_meta || !meta.is_empty() {
        fields.insert("_meta".into(), to_raw_value(&meta)?);
    }
    Ok((Some(to_raw_value(&fields)?), Opened { token }))
}

/// Progress with the caller's own token; everything else stays as it came.
pub fn progress_for_caller(params: &RawValue, token: Option<&RawValue>) -> Box<RawValue> {
    let Ok(mut fields) = serde_json::from_str::<Fields>(params.get()) else { return params.to_owned() };
    if let Some(token) = token {
        fields.insert("progressToken".into(), token.to_owned());
    }
    to_raw_value(&fields).unwrap_or_else(|_| params.to_owned())
}

/// Our `clientInfo`.
pub fn client() -> serde_json::Value {
    serde_json::json!({ "name": "eye", "version": env!("CARGO_PKG_VERSION") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.into()).unwrap()
    }

    #[test]
    fn messages_are_distinguished() {
        let kind = |text: &str| match &read(text.as_bytes())[..] {
            [Incoming::Response { id, outcome: Ok(result) }] => format!("{id:?} {}", result.get()),
            [Incoming::Response { id, outcome: Err(error) }] => format!("{id:?} error {}", error.code),
            [Incoming::Notification { method, .. }] => method.clone(),
            [Incoming::Request { id, method, .. }] => format!("{method} {}", id.get()),
            [Incoming::Garbage] => "garbage".into(),
            several => several.len().to_string(),
        };
        for (text, want) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"b":1,"a":2.50}}"#, r#"Some(7) {"b":1,"a":2.50}"#),
            (r#"{"result":null,"jsonrpc":"2.0","id":"7"}"#, "Some(7) null"),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}"#, "None error -32700"),
            (r#"{"jsonrpc":"2.0","method":"x"}"#, "x"),
            (r#"{"jsonrpc":"2.0","id":"q","method":"ping"}"#, "ping \"q\""),
            (r#"[{"jsonrpc":"2.0","method":"x"},7]"#, "2"),
            ("[]", "garbage"),
            ("npm warn hello", "garbage"),
            ("{\"a\":1}", "garbage"),
            ("", "garbage"),
        ] {
            assert_eq!(kind(text), want, "{text}");
        }
    }

    #[test]
    fn params_pass_untouched_where_nothing_asks_for_a_change() {
        let text = r#"{ "name":"x","z":1.0,"arguments":{"b":[],"a":{}} }"#;
        let (out, _) = prepared(Some(raw(text)), 5, false, Era::Legacy).unwrap();
        assert_eq!(out.unwrap().get(), text.trim());
    }

    #[test]
    fn the_progress_token_is_ours_on_the_way_out_and_theirs_on_the_way_back() {
        let text = r#"{"name":"x","_meta":{"k":{"z":1,"a":2},"progressToken":"mine"},"arguments":{"b":1,"a":2.0}}"#;
        let (out, opened) = prepared(Some(raw(text)), 5, true, Era::Legacy).unwrap();
        assert_eq!(
            out.unwrap().get(),
            r#"{"name":"x","_meta":{"k":{"z":1,"a":2},"progressToken":5},"arguments":{"b":1,"a":2.0}}"#
        );
        let back = progress_for_caller(&raw(r#"{"progressToken":5,"progress":1.0,"x":[]}"#), opened.token.as_deref());
        assert_eq!(back.get(), r#"{"progressToken":"mine","progress":1.0,"x":[]}"#);
        // A token without a progress sink would request progress for nothing.
        let (out, _) = prepared(Some(raw(text)), 5, false, Era::Legacy).unwrap();
        assert!(!out.unwrap().get().contains("progressToken"));
    }

    #[test]
    fn each_era_gets_its_own_meta() {
        let (out, _) = prepared(None, 1, false, Era::Modern).unwrap();
        let value: serde_json::Value = serde_json::from_str(out.unwrap().get()).unwrap();
        assert_eq!(value["_meta"][META_VERSION], MODERN);
        assert_eq!(value["_meta"][META_CLIENT]["name"], "eye");
        let modern = raw(&format!(
            r#"{{"name":"x","_meta":{{"{META_VERSION}":"2026-07-28","{META_CLIENT}":{{"name":"them"}},"{META_CAPABILITIES}":{{"elicitation":{{}}}},"own":1}}}}"#
        ));
        let (out, _) = prepared(Some(modern.clone()), 1, false, Era::Legacy).unwrap();
        assert_eq!(out.unwrap().get(), r#"{"name":"x","_meta":{"own":1}}"#);
        let (out, _) = prepared(Some(modern), 1, false, Era::Modern).unwrap();
        let value: serde_json::Value = serde_json::from_str(out.unwrap().get()).unwrap();
        assert_eq!(value["_meta"][META_CLIENT]["name"], "them");
        assert!(value["_meta"][META_CAPABILITIES]["elicitation"].is_object());
    }

    #[test]
    fn an_answer_that_was_passed_over_still_finds_its_call() {
        assert_eq!(id_in_ends(br#"{"jsonrpc":"2.0","id":12,"result":{"a":"xxx"#, b"xxx\"}}"), Some(12));
        assert_eq!(id_in_ends(br#"{"result":{"content":[{"id":9,"#, br#"xx"}]},"jsonrpc":"2.0","id":13}"#), Some(13));
        assert_eq!(id_in_ends(b"xxxxxxx", b"xxxxx"), None);
    }

    #[test]
    fn a_request_is_one_line() {
        let text = request(3, "tools/call", Some(&raw("{\n \"a\": \"x\\ny\"\r\n}")));
        assert_eq!(text, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{  \"a\": \"x\\ny\"  }}");
    }
}
