//! Streamable HTTP: which era a request belongs to, and what both share. Admission is done before.

mod events;
mod headers;
mod legacy;
mod modern;

use super::Face;
use super::client::Newcomer;
use super::era::{LEGACY, MODERN, Meta};
use super::hub::Identity;
use super::message::{self, Incoming, Message};
use super::original;
use crate::RpcError;
use bytes::Bytes;
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Error};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use std::convert::Infallible;
use std::pin::Pin;

/// The body of an answer, whole or as a stream.
pub type Body = Pin<Box<dyn http_body::Body<Data = Bytes, Error = Infallible> + Send>>;

const VERSION: &str = "mcp-protocol-version";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

impl Face {
    /// Answers a request that the gate let in.
    pub async fn http(&self, request: Request<Bytes>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let headers = &head.headers;
        let version = text(headers, VERSION);
        let mut newcomer = newcomer(head.uri.query().unwrap_or_default());
        // Who admitted the request says what its token allows.
        newcomer.who.scope = head.extensions.get::<Scope>().cloned().unwrap_or_default();
        match head.method {
            Method::POST => {}
            // A modern client has neither streams of its own nor sessions.
            Method::GET if version != Some(MODERN) => return legacy::get(self, headers),
            Method::DELETE if version != Some(MODERN) => return legacy::delete(self, headers),
            _ => return not_allowed(),
        }
        if head.uri.path() == "/api/mcp"
            && let Some(asked) = original::parse(&body)
        {
            return json_body(StatusCode::OK, self.original(asked, newcomer).await);
        }
        if !accepts(headers, JSON) && !accepts(headers, EVENTS) {
            return plain_error(StatusCode::NOT_ACCEPTABLE, "accept application/json and text/event-stream");
        }
        let incoming = message::parse(&body);
        if is_modern(version, &incoming) {
            modern::post(self, headers, incoming, newcomer).await
        } else {
            legacy::post(self, headers, incoming, newcomer).await
        }
    }
}

/// Modern is what says so, in its header or in its body; an unknown revision is answered with the list of known ones.
fn is_modern(version: Option<&str>, incoming: &Incoming) -> bool {
    if let Some(version) = version {
        return !LEGACY.contains(&version);
    }
    match incoming {
        Incoming::One(Message::Request(request)) => {
            request.method == "server/discover" || Meta::of(request.params.as_deref()).version.is_some()
        }
        Incoming::One(_) | Incoming::Batch(_) => false,
    }
}

/// What the URL says of a client: `?agent=NAME&page=PAGE&full`.
fn newcomer(query: &str) -> Newcomer {
    let mut newcomer = Newcomer::default();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = decoded(value);
        match name {
            "agent" if !value.is_empty() => newcomer.who.name = Some(format!("mcp:{value}")),
            "page" if !value.is_empty() => newcomer.who.page = Some(value),
            "full" => newcomer.full = !matches!(value.as_str(), "0" | "false"),
            _ => {}
        }
    }
    newcomer.who = Identity { ..newcomer.who };
    newcomer
}

/// A value of a query. What is no escape stays as it is.
fn decoded(value: &str) -> String {
    let bytes = value.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match (byte, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(escaped)) => {
                out.push(escaped);
                at += 3;
            }
            (b'+', _) => {
                out.push(b' ');
                at += 1;
            }
            (other, _) => {
                out.push(*other);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

/// Whether a client takes this. Who says nothing takes all.
fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let mut said = false;
    for value in headers.get_all(header::ACCEPT) {
        said = true;
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
    !said
}

fn response(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn json_body(status: StatusCode, text: String) -> Response<Body> {
    response(status, JSON, Box::pin(Full::new(Bytes::from(text))))
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Box::pin(Full::new(Bytes::new())) as Body);
    *response.status_mut() = status;
    response
}

fn not_allowed() -> Response<Body> {
    let mut response = plain_error(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}

/// An error that belongs to no request.
fn plain_error(status: StatusCode, message: &str) -> Response<Body> {
    rpc_error(status, "null", &Error::new(Code::REQUEST, message).into())
}

fn rpc_error(status: StatusCode, id: &str, error: &RpcError) -> Response<Body> {
    json_body(status, message::response(id, Err(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_says_who_and_how() {
        let found = newcomer("agent=my%20project&page=shop+1&full");
        assert_eq!(found.who.name.as_deref(), Some("mcp:my project"));
        assert_eq!(found.who.page.as_deref(), Some("shop 1"));
        assert!(found.full && !newcomer("full=0").full && !newcomer("").full);
    }

    #[test]
    fn who_accepts_nothing_of_ours_is_told_apart() {
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
