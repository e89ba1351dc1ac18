//! Streamable HTTP: chooses the era of a request, and holds what both eras share. Admission happens before, at the
//! gate.

mod events;
mod headers;
mod legacy;
mod modern;
mod reply;

pub use reply::Body;

use super::client::Newcomer;
use super::era::{LEGACY, MODERN, Meta};
use super::faces::Face;
use super::message::{self, Incoming, Message};
use super::original;
use bytes::Bytes;
use eye_protocol::local::Identity;
use eye_protocol::scope::Scope;
use http::{Method, Request, Response, StatusCode};
use reply::{EVENTS, JSON, VERSION, accepts, json_body, not_allowed, plain_error, text};

impl Face {
    /// Answers a request that the gate admitted.
    pub async fn http(&self, request: Request<Bytes>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let headers = &head.headers;
        let version = text(headers, VERSION);
        let mut newcomer = newcomer(head.uri.query().unwrap_or_default());
        // The gate puts the rights of the token into the request's extensions.
        newcomer.who.scope = head.extensions.get::<Scope>().cloned().unwrap_or_default();
        match head.method {
            Method::POST => {}
            // Modern clients have no stream of notifications and no sessions.
            Method::GET if version != Some(MODERN) => return legacy::get(self, headers),
            Method::DELETE if version != Some(MODERN) => return legacy::delete(self, headers),
            _ => return not_allowed(),
        }
        if head.uri.path() == "/api/mcp"
            && let Some(request) = original::parse(&body)
        {
            return json_body(StatusCode::OK, self.original(request, newcomer).await);
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

/// A request is modern if its header or body says so. Unknown revisions count as modern, whose error lists the known
/// ones.
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

/// Reads the client's options from the URL: `?agent=NAME&page=PAGE&full`.
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

/// Decodes a query value; invalid escapes stay as they are.
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
}
