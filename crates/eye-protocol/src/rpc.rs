//! JSON-RPC 2.0 envelopes. Params and results stay raw text until code needs their values.

use crate::answer::{Ending, Value};
use crate::error::{Code, Error, ErrorObject};
use crate::limits::{RPC_ARRAY_LEN_MAX, RPC_ID_BYTES_MAX};
use crate::scan::{self, Pause};
pub use crate::text::json;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// An id as the JSON text in which it came, so that it is sent back unchanged.
pub type RpcId = Box<str>;

/// One JSON-RPC message, as it stands in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// Expects an answer.
    Request {
        id: Cow<'a, str>,
        method: Cow<'a, str>,
        /// Raw JSON, `{}` when absent.
        params: Cow<'a, str>,
    },
    /// Expects no answer.
    Notification {
        method: Cow<'a, str>,
        /// Raw JSON, `{}` when absent.
        params: Cow<'a, str>,
    },
    /// The answer to one of our own requests.
    Response {
        /// As we sent it.
        id: Cow<'a, str>,
        /// Raw JSON of the result, or the error.
        outcome: Result<Cow<'a, str>, Error>,
    },
    /// An object with a `jsonrpc` member that is none of these.
    Invalid {
        /// Its id, `null` when it has none that can be used.
        id: Cow<'a, str>,
        reason: &'static str,
    },
}

impl Message<'_> {
    /// A copy that does not borrow the text, which may be large.
    pub fn into_owned(self, pause: Pause) -> Message<'static> {
        let own = |text: Cow<'_, str>| match text {
            Cow::Borrowed(text) => Cow::Owned(scan::copy(text, pause).into()),
            Cow::Owned(text) => Cow::Owned(text),
        };
        match self {
            Self::Request { id, method, params } => {
                Message::Request { id: own(id), method: own(method), params: own(params) }
            }
            Self::Notification { method, params } => Message::Notification { method: own(method), params: own(params) },
            Self::Response { id, outcome } => Message::Response { id: own(id), outcome: outcome.map(own) },
            Self::Invalid { id, reason } => Message::Invalid { id: own(id), reason },
        }
    }
}

/// The members of a message, as raw text.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    params: Option<&'a str>,
    result: Option<&'a str>,
    error: Option<&'a str>,
    /// Whether one of the members appears twice.
    twice: bool,
}

impl<'a> Envelope<'a> {
    /// `None`: the text is not a JSON object.
    fn read(text: &'a str, pause: Pause) -> Option<Self> {
        let mut envelope = Self::default();
        let mut readable = true;
        scan::members(text, pause, |name, value| {
            let name = scan::name(name);
            let member = match name.as_deref() {
                Some("jsonrpc") => &mut envelope.jsonrpc,
                Some("id") => &mut envelope.id,
                Some("method") => &mut envelope.method,
                Some("params") => &mut envelope.params,
                Some("result") => &mut envelope.result,
                Some("error") => &mut envelope.error,
                other => return readable &= other.is_some(),
            };
            envelope.twice |= member.replace(value).is_some();
        })?;
        readable.then_some(envelope)
    }
}

/// Reads a frame that is a JSON-RPC object or an array of them. `None`: it is something else.
pub fn parse(text: &str, pause: Pause) -> Option<Vec<Message<'_>>> {
    if text.trim_start().starts_with('[') {
        let raws = scan::elements(text, pause)?;
        if raws.is_empty() {
            return None;
        }
        if raws.len() > RPC_ARRAY_LEN_MAX {
            let reason = "more requests in one array than the limit of 1024";
            return raws[0].contains("jsonrpc").then(|| vec![Message::Invalid { id: "null".into(), reason }]);
        }
        return raws.into_iter().map(|raw| parse_one_paced(raw, pause)).collect();
    }
    parse_one_paced(text, pause).map(|message| vec![message])
}

/// Reads one JSON-RPC object. `None`: it has no `jsonrpc` member, or is not JSON.
pub fn parse_one(text: &str) -> Option<Message<'_>> {
    parse_one_paced(text, || {})
}

/// [`parse_one`] for a text that may be large.
pub fn parse_one_paced(text: &str, pause: Pause) -> Option<Message<'_>> {
    let Envelope { jsonrpc: Some(jsonrpc), id, method, params, result, error, twice } = Envelope::read(text, pause)?
    else {
        return None;
    };
    let nameless = |reason| Some(Message::Invalid { id: "null".into(), reason });
    if twice {
        return nameless("a member is there twice");
    }
    let (sent_id, method) = (there(id), there(method));
    if method.is_some_and(|raw| !raw.starts_with('"')) {
        return nameless("`method` must be a string");
    }
    let id = sent_id.filter(|id| is_usable_id(id));
    let invalid = |reason| Message::Invalid { id: id.unwrap_or("null").into(), reason };
    if jsonrpc != "\"2.0\"" {
        return Some(invalid("`jsonrpc` must be \"2.0\""));
    }
    if sent_id.is_some() && id.is_none() {
        return Some(invalid("`id` must be a string or a number of at most 256 bytes"));
    }
    Some(match (method, id) {
        (Some(method), id) => {
            let (method, params) = (scan::name(method)?, there(params).unwrap_or("{}").into());
            match id {
                Some(id) => Message::Request { id: id.into(), method, params },
                None => Message::Notification { method, params },
            }
        }
        (None, Some(id)) => {
            let response = |outcome| Message::Response { id: id.into(), outcome };
            match (there(error), result) {
                // A page that answers a failed tool with both members means the result, which reports the failure.
                (Some(_), Some(result)) if result != "null" => response(Ok(result.into())),
                (Some(error), _) => response(Err(Error::from_raw(error))),
                (None, Some(result)) => response(Ok(result.into())),
                (None, None) => invalid("neither `method`, `result` nor `error`"),
            }
        }
        (None, None) => invalid("`method` is missing"),
    })
}

/// The error that a hub sends about the whole connection: a response without an id. [`parse_one`] reads it as an
/// invalid request, as it must where a peer sends it.
pub fn error_without_id(text: &str) -> Option<Error> {
    #[derive(Deserialize)]
    struct ErrorWithoutId {
        jsonrpc: Box<str>,
        id: Option<u8>,
        error: Box<RawValue>,
    }
    let ErrorWithoutId { jsonrpc, id: None, error } = serde_json::from_str(text).ok()? else { return None };
    (&*jsonrpc == "2.0").then(|| Error::from_raw(error.get()))
}

/// `null` counts as absent.
fn there(member: Option<&str>) -> Option<&str> {
    member.filter(|raw| *raw != "null")
}

fn is_usable_id(text: &str) -> bool {
    matches!(text.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9')) && text.len() <= RPC_ID_BYTES_MAX
}

/// Reads params, or returns what does not fit.
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

/// Adds the change of state that a call caused to its result. A result that is not an object has no place for it.
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
    fn envelopes_are_distinguished() {
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
        assert_eq!(parse(&format!("[{one},{one}]"), || {}).map(|m| m.len()), Some(2));
        assert_eq!(parse(&format!("[{one},1]"), || {}), None);
        assert_eq!(parse(r#"[["2.0",1,"ping"]]"#, || {}), None);
        assert_eq!(parse("[]", || {}), None);
        let many = format!("[{}]", vec![one; RPC_ARRAY_LEN_MAX + 1].join(","));
        assert!(matches!(parse(&many, || {}).unwrap()[..], [Message::Invalid { .. }]));
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
            let _ = parse(&text, || {});
        }

        #[test]
        fn requests_are_read_back(id in "[1-9][0-9]{0,8}", method in "[a-z/]{1,20}", text in ".*") {
            let written = request(&id, &method, &[&text]);
            let want = Message::Request { id: id.clone().into(), method: method.into(), params: json(&[&text]).into() };
            prop_assert_eq!(parse_one(&written), Some(want));
        }
    }
}
