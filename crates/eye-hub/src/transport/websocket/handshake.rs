//! The HTTP request that opens a WebSocket, and its response.

use super::stream::Stream;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::upgrade::OnUpgrade;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

/// Input of the response's key, by RFC 6455.
const MAGIC: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const VERSION: &str = "13";

/// A valid request for a WebSocket.
#[derive(Debug)]
pub struct Handshake {
    accept: HeaderValue,
    protocol: Option<HeaderValue>,
    offered: Vec<HeaderValue>,
    upgrade: OnUpgrade,
}

/// Why a request does not open a WebSocket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAHandshake(StatusCode, &'static str);

impl IntoResponse for NotAHandshake {
    fn into_response(self) -> Response {
        let versions = [(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static(VERSION))];
        (self.0, versions, self.1).into_response()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Handshake {
    type Rejection = NotAHandshake;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, NotAHandshake> {
        let accept = check(&parts.method, &parts.headers)?;
        let no_way = NotAHandshake(StatusCode::UPGRADE_REQUIRED, "this connection cannot become a WebSocket");
        let upgrade = parts.extensions.remove::<OnUpgrade>().ok_or(no_way)?;
        let offered = parts.headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().cloned().collect();
        Ok(Self { accept, protocol: None, offered, upgrade })
    }
}

/// Checks the head of a request; returns the key of the response.
fn check(method: &Method, headers: &HeaderMap) -> Result<HeaderValue, NotAHandshake> {
    let bad = |why| NotAHandshake(StatusCode::BAD_REQUEST, why);
    if method != Method::GET {
        return Err(NotAHandshake(StatusCode::METHOD_NOT_ALLOWED, "a WebSocket is asked for by GET"));
    }
    if !has_word(headers, &header::CONNECTION, "upgrade") {
        return Err(bad("a WebSocket is asked for with `Connection: Upgrade`"));
    }
    if !has_word(headers, &header::UPGRADE, "websocket") {
        return Err(bad("a WebSocket is asked for with `Upgrade: websocket`"));
    }
    if headers.get(header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version != VERSION) {
        return Err(bad("version 13 of WebSocket is spoken here"));
    }
    let key = headers.get(header::SEC_WEBSOCKET_KEY).ok_or_else(|| bad("`Sec-WebSocket-Key` is missing"))?;
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, &[key.as_bytes(), MAGIC].concat());
    HeaderValue::from_str(&STANDARD.encode(hash)).map_err(|_| bad("`Sec-WebSocket-Key` is odd"))
}

/// Whether a header with a list of words contains this one.
fn has_word(headers: &HeaderMap, name: &HeaderName, wanted: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|word| word.trim().eq_ignore_ascii_case(wanted))
}

impl Handshake {
    /// Selects this subprotocol if the client offers it.
    #[must_use]
    pub fn protocol(mut self, known: &'static str) -> Self {
        let mut offered =
            self.offered.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
        if offered.any(|word| word.trim() == known) {
            self.protocol = Some(HeaderValue::from_static(known));
        }
        self
    }

    /// Returns the response; afterwards `serve` gets the connection.
    pub fn grant<F>(self, serve: impl FnOnce(Stream) -> F + Send + 'static) -> Response
    where
        F: Future<Output = ()> + Send,
    {
        let upgrade = self.upgrade;
        // What it holds until then would otherwise be a part of the connection's task.
        let serve = Box::new(serve);
        tokio::spawn(async move {
            // A client that left before the response was written has no connection to serve.
            if let Ok(upgraded) = upgrade.await {
                serve(Stream::of(upgraded)).await;
            }
        });
        let mut response = StatusCode::SWITCHING_PROTOCOLS.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, self.accept);
        if let Some(protocol) = self.protocol {
            headers.insert(header::SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(without: &str) -> HeaderMap {
        let all = [
            ("connection", "keep-alive, Upgrade"),
            ("upgrade", "WebSocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        let named = all.into_iter().filter(|(name, _)| *name != without);
        named.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_answer_is_that_of_the_standards_own_example() {
        assert_eq!(check(&Method::GET, &headers("")).unwrap(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn what_is_not_a_handshake_is_told_why() {
        for missing in ["connection", "upgrade", "sec-websocket-version", "sec-websocket-key"] {
            assert_eq!(check(&Method::GET, &headers(missing)).unwrap_err().0, StatusCode::BAD_REQUEST, "{missing}");
        }
        assert_eq!(check(&Method::POST, &headers("")).unwrap_err().0, StatusCode::METHOD_NOT_ALLOWED);
    }
}
