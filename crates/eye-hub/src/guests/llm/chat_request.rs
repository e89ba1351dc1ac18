//! The body of an LLM request: passed unchanged, except for defaults for a missing model, temperature and token limit.

use indexmap::IndexMap;
use serde_json::value::RawValue;

/// Members that are added if missing, as JSON.
const DEFAULTS: [(&str, &str); 3] = [("model", r#""local""#), ("temperature", "0.7"), ("max_tokens", "2048")];

/// A request that may be forwarded.
#[derive(Debug, PartialEq, Eq)]
pub struct ChatRequest {
    /// The body to send.
    pub body: Vec<u8>,
    /// Whether the client wants the answer as a stream.
    pub stream: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum NoRequest {
    /// Not a JSON object.
    #[error("the body must be a JSON object: {0}")]
    NoObject(serde_json::Error),
    #[error("messages is required and must be a list")]
    NoMessages,
}

impl ChatRequest {
    pub fn parse(body: &[u8]) -> Result<Self, NoRequest> {
        let mut members: IndexMap<String, Box<RawValue>> = serde_json::from_slice(body).map_err(NoRequest::NoObject)?;
        let list = members.get("messages").is_some_and(|messages| messages.get().starts_with('['));
        if !list {
            return Err(NoRequest::NoMessages);
        }
        let stream = members.get("stream").is_some_and(|stream| stream.get() == "true");
        let before = members.len();
        for (name, value) in DEFAULTS {
            // The newer name of the same limit: servers refuse both at once.
            let named =
                members.contains_key(name) || (name == "max_tokens" && members.contains_key("max_completion_tokens"));
            if !named && let Ok(value) = RawValue::from_string(value.into()) {
                members.insert(name.into(), value);
            }
        }
        let body = if members.len() == before { body.to_vec() } else { eye_protocol::rpc::json(&members).into() };
        Ok(Self { body, stream })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(body: &str) -> String {
        String::from_utf8(ChatRequest::parse(body.as_bytes()).unwrap().body).unwrap()
    }

    #[test]
    fn what_is_left_out_is_added_and_the_rest_is_as_it_was() {
        assert_eq!(
            sent(r#"{ "messages": [{"role":"user","content":"a  b"}], "seed": 1.50 }"#),
            r#"{"messages":[{"role":"user","content":"a  b"}],"seed":1.50,"model":"local","temperature":0.7,"max_tokens":2048}"#
        );
        let complete = r#"{"model":"m", "temperature":0, "max_tokens":1, "messages":[], "x":{ "y":1e2 }}"#;
        assert_eq!(sent(complete), complete);
        assert!(!sent(r#"{"messages":[],"max_completion_tokens":9}"#).contains("max_tokens"));
        assert!(sent(r#"{"messages":[],"model":null}"#).contains(r#""model":null"#));
    }

    #[test]
    fn a_stream_is_one_that_says_so() {
        for (body, stream) in [
            (r#"{"messages":[],"stream":true}"#, true),
            (r#"{"messages":[],"stream":false}"#, false),
            (r#"{"messages":[]}"#, false),
        ] {
            assert_eq!(ChatRequest::parse(body.as_bytes()).unwrap().stream, stream, "{body}");
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for body in ["", "x", "[]", "{}", r#"{"messages":"hi"}"#, r#"{"messages":[]} x"#] {
            assert!(ChatRequest::parse(body.as_bytes()).is_err(), "{body}");
        }
    }
}
