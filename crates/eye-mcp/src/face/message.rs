//! JSON-RPC messages of MCP: parses the envelope, and keeps params and results raw.

use crate::RpcError;
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Clone, Debug)]
pub enum Message {
    /// Expects a response.
    Request(Request),
    /// Expects no response.
    Notification {
        method: String,
        /// Raw JSON.
        params: Option<Box<RawValue>>,
    },
    /// A response to a request of ours.
    Response {
        /// The id of our request, raw JSON.
        id: Box<RawValue>,
        outcome: Result<Box<RawValue>, RpcError>,
    },
    /// Not a valid message.
    Invalid {
        /// JSON text; `null` if unknown.
        id: Box<str>,
        error: Error,
    },
}

#[derive(Clone, Debug)]
pub struct Request {
    /// As the client wrote it.
    pub id: Box<RawValue>,
    pub method: String,
    pub params: Option<Box<RawValue>>,
}

/// The content of one line or body.
#[derive(Clone, Debug)]
pub enum Incoming {
    One(Message),
    /// A batch; valid in 2025-03-26 only.
    Batch(Vec<Message>),
}

/// A string, borrowed where it has no escapes. serde copies an optional [`Cow`].
#[derive(Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Text<'a>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Parses a line or a body.
pub fn parse(bytes: &[u8]) -> Incoming {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Incoming::One(invalid("null", Code::PARSE, "the message is not UTF-8"));
    };
    if text.trim_start().starts_with('[') {
        return match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(all) if !all.is_empty() => Incoming::Batch(all.into_iter().map(|one| parse_one(one.get())).collect()),
            Ok(_) => Incoming::One(invalid("null", Code::REQUEST, "the batch is empty")),
            Err(error) => Incoming::One(invalid("null", Code::PARSE, format!("not JSON: {error}"))),
        };
    }
    Incoming::One(parse_one(text))
}

fn parse_one(text: &str) -> Message {
    let envelope: Envelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) => envelope,
        Err(error) if error.is_data() => {
            return invalid("null", Code::REQUEST, format!("no JSON-RPC message: {error}"));
        }
        Err(error) => return invalid("null", Code::PARSE, format!("not JSON: {error}")),
    };
    let id = envelope.id.map(RawValue::get);
    let usable = id.filter(|id| matches!(id.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9')));
    if envelope.jsonrpc.as_ref().is_none_or(|version| version.0 != "2.0") {
        return invalid(usable.unwrap_or("null"), Code::REQUEST, "`jsonrpc` must be \"2.0\"");
    }
    let owned = |raw: Option<&RawValue>| raw.map(ToOwned::to_owned);
    match (envelope.method, id, usable) {
        (Some(method), None, _) => {
            Message::Notification { method: method.0.into_owned(), params: owned(envelope.params) }
        }
        (Some(method), Some(_), Some(_)) => match envelope.id {
            Some(id) => Message::Request(Request {
                id: id.to_owned(),
                method: method.0.into_owned(),
                params: owned(envelope.params),
            }),
            None => invalid("null", Code::REQUEST, "`id` is missing"),
        },
        (Some(_), Some(_), None) => invalid("null", Code::REQUEST, "`id` must be a string or a number"),
        (None, _, _) => match (envelope.id, envelope.result, envelope.error) {
            (Some(id), Some(result), None) => Message::Response { id: id.to_owned(), outcome: Ok(result.to_owned()) },
            (Some(id), None, Some(error)) => {
                Message::Response { id: id.to_owned(), outcome: Err(RpcError::from_raw(error)) }
            }
            _ => invalid(usable.unwrap_or("null"), Code::REQUEST, "neither `method`, `result` nor `error`"),
        },
    }
}

fn invalid(id: &str, code: Code, message: impl Into<String>) -> Message {
    Message::Invalid { id: id.into(), error: Error::new(code, message) }
}

/// A response as text. `id` is JSON text.
pub fn response(id: &str, outcome: Result<&str, &RpcError>) -> String {
    match outcome {
        Ok(result) => [r#"{"jsonrpc":"2.0","id":"#, id, r#","result":"#, result, "}"].concat(),
        Err(error) => format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, eye_protocol::rpc::json(error)),
    }
}

/// A notification as text. `params` is JSON text.
pub fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> String {
        match parse(text.as_bytes()) {
            Incoming::One(Message::Request(request)) => format!("request {} {}", request.id, request.method),
            Incoming::One(Message::Notification { method, .. }) => format!("notification {method}"),
            Incoming::One(Message::Response { id, outcome }) => format!("response {id} {}", outcome.is_ok()),
            Incoming::One(Message::Invalid { id, error }) => format!("invalid {id} {}", error.code.0),
            Incoming::Batch(all) => format!("batch of {}", all.len()),
        }
    }

    #[test]
    fn messages_are_distinguished() {
        for (text, want) in [
            (r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#, "request 0 ping"),
            (r#"{"jsonrpc":"2.0","id":"a","method":"ping","x":1}"#, r#"request "a" ping"#),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "notification notifications/initialized"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "response 1 true"),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#, "response 1 false"),
            (r#"{"id":1,"method":"ping"}"#, "invalid 1 -32600"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "invalid null -32600"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "invalid 1 -32600"),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "invalid null -32600"),
            ("{", "invalid null -32700"),
            ("[]", "invalid null -32600"),
            (r#"[{"jsonrpc":"2.0","method":"a"},7]"#, "batch of 2"),
        ] {
            assert_eq!(kind(text), want, "{text}");
        }
    }
}
