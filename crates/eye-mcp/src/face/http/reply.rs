//! What both eras of Streamable HTTP share: reading headers, and building responses.

use crate::RpcError;
use crate::face::message;
use bytes::Bytes;
use eye_protocol::{Code, Error};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use std::convert::Infallible;
use std::pin::Pin;

/// The body of a response, whole or as a stream.
pub type Body = Pin<Box<dyn http_body::Body<Data = Bytes, Error = Infallible> + Send>>;

/// The header with the revision.
pub const VERSION: &str = "mcp-protocol-version";
/// The content type of a whole response.
pub const JSON: &str = "application/json";
/// The content type of a stream of events.
pub const EVENTS: &str = "text/event-stream";

/// A header as text.
pub fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

/// Whether a client accepts this content type. Without an `Accept` header it accepts all.
pub fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let mut has_accept = false;
    for value in headers.get_all(header::ACCEPT) {
        has_accept = true;
        let value = value.to_str().unwrap_or_default();
        let family = kind.split('/').next().unwrap_or(kind);
        let fits = |one: &str| {
            let one = one.split(';').next().unwrap_or(one).trim();
            one.eq_ignore_ascii_case(kind) || one == "*/*" || one.eq_ignore_ascii_case(&format!("{family}/*"))
        };
        if value.split(',').any(fits) {
            return true;
        }
    }
    !has_accept
}

pub fn response(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

pub fn json_body(status: StatusCode, text: String) -> Response<Body> {
    response(status, JSON, Box::pin(Full::new(Bytes::from(text))))
}

pub fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Box::pin(Full::new(Bytes::new())) as Body);
    *response.status_mut() = status;
    response
}

/// The response to other methods than POST.
pub fn not_allowed() -> Response<Body> {
    let mut response = plain_error(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}

/// An error without a request id.
pub fn plain_error(status: StatusCode, message: &str) -> Response<Body> {
    rpc_error(status, "null", &Error::new(Code::REQUEST, message).into())
}

pub fn rpc_error(status: StatusCode, id: &str, error: &RpcError) -> Response<Body> {
    json_body(status, message::response(id, Err(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_that_accept_none_of_our_types_are_distinguished() {
        let with = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(value));
            headers
        };
        assert!(accepts(&HeaderMap::new(), JSON));
        assert!(accepts(&with("application/json, text/event-stream"), EVENTS));
        assert!(accepts(&with("text/html, */*;q=0.1"), JSON));
        assert!(!accepts(&with("text/html"), JSON));
    }
}
