//! Errors of the LLM pass-through, each in one sentence with its next step; as an HTTP response and as the last event
//! of a stream.

use super::chat_request::NoRequest;
use crate::gate::Refusal;
use crate::http::body::BodyError;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use eye_protocol::limits::{LLM_CALLS_MAX, LLM_CALLS_PER_MINUTE_MAX, LLM_REQUEST_BYTES_MAX};
use serde_json::{Value, json};
use std::time::Duration;

#[derive(Debug)]
pub enum Trouble {
    /// The gate refused the request, or the client's admission ended.
    NotAllowed(Refusal),
    /// No server is configured.
    None,
    /// The request's body could not be read.
    Body(BodyError),
    /// The body is not a valid request.
    Invalid(NoRequest),
    /// Too many concurrent requests.
    Busy,
    /// Too many requests in a minute.
    TooMany { wait: Duration },
    /// The key does not fit into a header.
    BadKey,
    /// No HTTP server answers at the address.
    Unreachable { url: String, why: String },
    /// The answer did not begin in time.
    Slow {
        url: String,
        /// The time limit.
        silence: Duration,
    },
    /// The answer stopped before its end.
    Stalled {
        /// The time limit for the next chunk.
        silence: Duration,
    },
    /// The server redirects; redirects are not followed.
    Redirect {
        /// The HTTP status.
        status: u16,
    },
    /// The server returned an error.
    Status {
        /// The HTTP status.
        status: u16,
        /// The body, without the key.
        text: String,
    },
    /// The answer is too long or not valid.
    Malformed { why: String },
}

impl Trouble {
    /// HTTP status, error code, sentence and next step.
    fn parts(&self) -> (u16, &'static str, String, String) {
        const UNAVAILABLE: &str = "BACKEND_UNAVAILABLE";
        const FAILED: &str = "EXECUTION_FAILED";
        const INVALID: &str = "INVALID_INPUT";
        let other = "start it, or name another with `eye up --llm URL`";
        match self {
            Self::NotAllowed(refusal) => (refusal.status, UNAVAILABLE, refusal.reason.clone(), refusal.hint.clone()),
            Self::None => {
                (404, UNAVAILABLE, "this hub has no LLM server".into(), "`eye up --llm URL` names one".into())
            }
            Self::Body(BodyError::TooLong(_)) => {
                let limit = LLM_REQUEST_BYTES_MAX >> 20;
                (413, INVALID, format!("the request is over the limit of {limit} MiB"), "send less".into())
            }
            Self::Body(error) => (error.status(), INVALID, error.to_string(), "send it again".into()),
            Self::Invalid(why) => {
                let hint = r#"send {"messages":[{"role":"user","content":"…"}]}"#;
                (400, INVALID, why.to_string(), hint.into())
            }
            Self::Busy => {
                let error = format!("{LLM_CALLS_MAX} requests to the LLM server are under way");
                (429, UNAVAILABLE, error, "ask again when one of them has ended".into())
            }
            Self::TooMany { wait } => {
                let error = format!("more than {LLM_CALLS_PER_MINUTE_MAX} requests to the LLM server in a minute");
                (429, UNAVAILABLE, error, format!("ask again in {} s", wait_s(*wait)))
            }
            Self::BadKey => {
                let error = "the key of the LLM server holds characters that no header takes".into();
                (502, UNAVAILABLE, error, "set EYE_LLM_KEY to the key alone".into())
            }
            Self::Unreachable { url, why } => {
                (502, UNAVAILABLE, format!("the LLM server at {url} cannot be reached: {why}"), other.into())
            }
            Self::Slow { url, silence } => {
                let error = format!("the LLM server at {url} did not begin to answer within {} s", silence.as_secs());
                (504, UNAVAILABLE, error, "ask for fewer tokens or a stream, or use a faster model".into())
            }
            Self::Stalled { silence } => {
                let error = format!("the LLM server's answer stopped for {} s", silence.as_secs());
                (504, FAILED, error, "ask again, for fewer tokens or with a faster model".into())
            }
            Self::Redirect { status } => {
                let error = format!("the LLM server answers with a redirect (HTTP {status}), which is not followed");
                (502, FAILED, error, "name the server it leads to with `eye up --llm URL`".into())
            }
            Self::Status { status, text } => {
                let hint = match status {
                    401 | 403 => "set the server's key in EYE_LLM_KEY and restart the hub",
                    404 => "see whether the model is there, and whether `eye up --llm` names the right server",
                    429 => "the server itself limits how often it is asked; wait",
                    _ => "see the LLM server's own log",
                };
                (502, FAILED, format!("the LLM server returned HTTP {status}: {text}"), hint.into())
            }
            Self::Malformed { why } => {
                let error = format!("the LLM server's answer cannot be understood: {why}");
                (502, FAILED, error, "see whether `eye up --llm` names an OpenAI-compatible server".into())
            }
        }
    }

    fn body(&self) -> Value {
        let (_, code, error, hint) = self.parts();
        let mut body = json!({ "success": false, "error": error, "error_code": code, "hint": hint });
        if let Self::Status { status, .. } | Self::Redirect { status } = self {
            body["status"] = (*status).into();
        }
        body
    }

    /// As an HTTP response.
    pub fn response(&self) -> Response {
        let (status, ..) = self.parts();
        let mut response = Response::new(Body::from(self.body().to_string()));
        *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Self::TooMany { wait } = self {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait_s(*wait)));
        }
        response
    }

    /// As the last event of a stream, whose HTTP status was sent before.
    pub fn as_event(&self) -> Bytes {
        let (_, code, message, hint) = self.parts();
        let error = json!({ "error": { "message": message, "code": code, "hint": hint } });
        Bytes::from(format!("data: {error}\n\n"))
    }
}

fn wait_s(wait: Duration) -> u64 {
    wait.as_secs() + 1
}
