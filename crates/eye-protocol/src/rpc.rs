//! JSON-RPC 2.0 envelopes. Params and results stay raw text until code needs their values.

use crate::answer::{Ending, Value};
use crate::error::{Code, Error, ErrorObject};
use crate::limits::{RPC_ARRAY_LEN_MAX, RPC_ID_BYTES_MAX};
pub use crate::text::json;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

/// An id as the JSON text it came in, so that it goes back as it was.
pub type RpcId = Box<str>;

/// One JSON-RPC message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Wants an answer.
    Request {
        /// As sent.
        id: RpcId,
        /// What to do.
        method: String,
        /// Raw JSON, `{}` when absent.
        params: Box<str>,
    },
    /// Wants none.
    Notification {
        /// What happened.
        method: String,
        /// Raw JSON, `{}` when absent.
        params: Box<str>,
    },
    /// The answer to a request of ours.
    Response {
        /// As we sent it.
        id: RpcId,
        /// Raw JSON of the result, or the error.
        outcome: Result<Box<str>, Error>,
    },
    /// An object with a `jsonrpc` member that is none of these.
    Invalid {
        /// Its id, `null` when it has none that can be used.
        id: RpcId,
        /// What is wrong with it.
        reason: &'static str,
    },
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: &'a RawValue,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: Option<String>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// A result of `null` is there all the same.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads a frame that is a JSON-RPC object or an array of them. `None`: it is something else.
pub fn parse(text: &str) -> Option<Vec<Message>> {
    if text.trim_start().starts_with('[') {
        let raws: Vec<&RawValue> = serde_json::from_str(text).ok()?;
        if raws.is_empty() {
            return None;
        }
        if raws.len() > RPC_ARRAY_LEN_MAX {
            let reason = "more requests in one array than the limit of 1024";
            return raws[0].get().contains("jsonrpc").then(|| vec![Message::Invalid { id: "null".into(), reason }]);
        }
        return raws.into_iter().map(|raw| parse_one(raw.get())).collect();
    }
    parse_one(text).map(|message| vec![message])
}

/// Reads one JSON-RPC object. `None`: it has no `jsonrpc` member, or is no JSON.
pub fn parse_one(text: &str) -> Option<Message> {
    // The parser would take an array for an object, member by member.
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let Ok(envelope) = serde_json::from_str::<Envelope>(text) else {
        return parse_odd(text);
    };
    let has_id = envelope.id.is_some();
    let id = envelope.id.and_then(usable_id);
    let invalid = |reason| Message::Invalid { id: id.clone().unwrap_or_else(|| "null".into()), reason };
    if envelope.jsonrpc.get() != "\"2.0\"" {
        return Some(invalid("`jsonrpc` must be \"2.0\""));
    }
    if has_id && id.is_none() {
        return Some(invalid("`id` must be a string or a number of at most 256 bytes"));
    }
    let params = || envelope.params.map_or_else(|| "{}".into(), |raw| raw.get().into());
    Some(match (envelope.method, id.clone()) {
        (Some(method), Some(id)) => Message::Request { id, method, params: params() },
        (Some(method), None) => Message::Notification { method, params: params() },
        (None, Some(id)) => match (envelope.error, envelope.result) {
            // A page that tells a failed tool both ways means its result, which says that it failed.
            (Some(_), Some(result)) if result.get() != "null" => {
                Message::Response { id, outcome: Ok(result.get().into()) }
            }
            (Some(error), _) => Message::Response { id, outcome: Err(Error::from_raw(error.get())) },
            (None, Some(result)) => Message::Response { id, outcome: Ok(result.get().into()) },
            (None, None) => invalid("neither `method`, `result` nor `error`"),
        },
        (None, None) => invalid("`method` is missing"),
    })
}

/// The error that a hub tells about the whole connection: a response under no id. [`parse_one`] takes it for a bad
/// request, as it must where a peer sends it.
pub fn error_without_id(text: &str) -> Option<Error> {
    #[derive(Deserialize)]
    struct Told {
        jsonrpc: Box<str>,
        id: Option<u8>,
        error: Box<RawValue>,
    }
    let Told { jsonrpc, id: None, error } = serde_json::from_str(text).ok()? else { return None };
    (&*jsonrpc == "2.0").then(|| Error::from_raw(error.get()))
}

/// An object with a `jsonrpc` member whose other members have wrong types is a bad request, not code.
fn parse_odd(text: &str) -> Option<Message> {
    let value: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    value.contains_key("jsonrpc").then(|| Message::Invalid { id: "null".into(), reason: "`method` must be a string" })
}

fn usable_id(raw: &RawValue) -> Option<RpcId> {
    let text = raw.get();
    let kind = matches!(text.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'));
    (kind && text.len() <= RPC_ID_BYTES_MAX).then(|| text.into())
}

/// Reads params, or says what does not fit.
pub fn params<T: DeserializeOwned>(raw: &str) -> Result<T, Error> {
    serde_json::from_str(raw).map_err(|error| Error::new(Code::PARAMS, format!("invalid params: {error}")))
}

/// A request as text. `id` is JSON text.
pub fn request(id: &str, method: &str, params: &impl Serialize) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{}}}"#, json(method), json(params))
}

/// A notification as text.
pub fn notification(method: &str, params: &impl Serialize) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":{},"params":{}}}"#, json(method), json(params))
}

/// A response as text. `id` is JSON text.
pub fn response(id: &str, outcome: Result<&str, &Error>) -> String {
    match outcome {
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Err(error) => format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, json(&ErrorObject::from(error))),
    }
}

/// The result of `eval`: `{"value":…}` or `{"rendering":"…"}`.
pub fn eval_result(value: &Value) -> String {
    match value {
        Value::Rendering(text) => format!(r#"{{"rendering":{}}}"#, json(text)),
        Value::Bytes(bytes) => {
            format!(r#"{{"base64":{},"mediaType":{}}}"#, value.to_json(), json(&bytes.media_type))
        }
        Value::Text(_) | Value::Json(_) => format!(r#"{{"value":{}}}"#, value.to_json()),
    }
}

/// The response to `eval`.
pub fn eval_response(id: &str, ending: &Ending, delta: Option<&str>) -> String {
    match ending {
        Ok(value) => response(id, Ok(&with_delta(eval_result(value), delta))),
        Err(error) => response(id, Err(error)),
    }
}

/// A result with the change of state that its call caused. A result that is no object has no place for it.
pub fn with_delta(mut result: String, delta: Option<&str>) -> String {
    if let Some(delta) = delta
        && result.ends_with('}')
    {
        result.pop();
        let comma = if result.trim_end().ends_with('{') { "" } else { "," };
        result.push_str(comma);
        result.push_str("\"delta\":");
        result.push_str(delta);
        result.push('}');
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn envelopes_are_told_apart() {
        insta::assert_debug_snapshot!(
            [
                r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
                r#"{"jsonrpc":"2.0","method":"call/cancel","params":{"id":"a"}}"#,
                r#"{"jsonrpc":"2.0","id":"x","result":null}"#,
                r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"no","data":7}}"#,
                r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                r#"{"jsonrpc":"2.0","id":1}"#,
                r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
                r#"{"id":1,"method":"ping"}"#,
            ]
            .map(parse_one),
            @r#"
        [
            Some(
                Request {
                    id: "1",
                    method: "ping",
                    params: "{}",
                },
            ),
            Some(
                Notification {
                    method: "call/cancel",
                    params: "{\"id\":\"a\"}",
                },
            ),
            Some(
                Response {
                    id: "\"x\"",
                    outcome: Ok(
                        "null",
                    ),
                },
            ),
            Some(
                Response {
                    id: "\"x\"",
                    outcome: Err(
                        Error {
                            code: Code(
                                -32603,
                            ),
                            message: "no",
                            hint: None,
                            stack: None,
                            value: None,
                            kind: Own,
                        },
                    ),
                },
            ),
            Some(
                Invalid {
                    id: "1",
                    reason: "`jsonrpc` must be \"2.0\"",
                },
            ),
            Some(
                Notification {
                    method: "ping",
                    params: "{}",
                },
            ),
            Some(
                Invalid {
                    id: "1",
                    reason: "neither `method`, `result` nor `error`",
                },
            ),
            Some(
                Invalid {
                    id: "null",
                    reason: "`method` must be a string",
                },
            ),
            None,
        ]
        "#
        );
    }

    #[test]
    fn an_array_is_rpc_only_if_every_element_is() {
        let one = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert_eq!(parse(&format!("[{one},{one}]")).map(|m| m.len()), Some(2));
        assert_eq!(parse(&format!("[{one},1]")), None);
        assert_eq!(parse(r#"[["2.0",1,"ping"]]"#), None);
        assert_eq!(parse("[]"), None);
        let many = format!("[{}]", vec![one; RPC_ARRAY_LEN_MAX + 1].join(","));
        assert!(matches!(parse(&many).unwrap()[..], [Message::Invalid { .. }]));
    }

    #[test]
    fn ids_have_a_length_limit() {
        let id = "a".repeat(RPC_ID_BYTES_MAX);
        let text = format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}"#);
        assert!(matches!(parse_one(&text), Some(Message::Invalid { .. })));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[\\[{].*") {
            let _ = parse(&text);
        }

        #[test]
        fn requests_are_read_back(id in "[1-9][0-9]{0,8}", method in "[a-z/]{1,20}", text in ".*") {
            let written = request(&id, &method, &[&text]);
            let want = Message::Request { id: id.clone().into(), method, params: json(&[&text]).into() };
            prop_assert_eq!(parse_one(&written), Some(want));
        }
    }
}
