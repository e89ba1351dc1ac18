//! The console under its own host name: its files, the exchange of a link's code for a key, and its WebSocket. A
//! console is an agent with full access; it cannot join as a page.

use super::assets;
use super::body;
use super::door::{Door, Head, json_response, knock, refused};
use crate::console::FACE;
use crate::gate::{Refusal, Wants};
use crate::hub::outbox::Outbox;
use crate::hub::peer::{Peer, Side, Voice};
use crate::transport::websocket::handshake::{Handshake, NotAHandshake};
use crate::transport::ws;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use eye_protocol::messages::Hello;
use eye_protocol::rpc;

/// The subprotocol of a console; the offer beside it contains the key.
const PROTOCOL: &str = "eye.console";
/// Prefix of the offer with the key.
const KEY_PREFIX: &str = "key.";
/// A code has 64 hex digits.
const CODE_BYTES_MAX: usize = 256;

/// A name that no file of the console has; an empty name would mean its `index.html`.
const NOTHING: &str = "nothing";

/// No foreign sources, no inline code or style, no frame around it, and no text that becomes code.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self' \
                      ws://HOST; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

pub async fn index(State(door): State<Door>, head: Head) -> Response {
    file(&door, &head, "index.html")
}

pub async fn asset(State(door): State<Door>, Path(name): Path<String>, head: Head) -> Response {
    file(&door, &head, &format!("assets/{name}"))
}

/// Any other path.
pub async fn nothing(State(door): State<Door>, head: Head) -> Response {
    file(&door, &head, NOTHING)
}

fn file(door: &Door, head: &Head, name: &str) -> Response {
    if let Err(refusal) = door.gate.admit(Wants::Console, knock(head, None)) {
        return refused(&refusal);
    }
    let host = head.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let mut response = if let Some((bytes, media_type)) = assets::console(name) {
        ([(header::CONTENT_TYPE, media_type)], Body::from(bytes.into_owned())).into_response()
    } else {
        let hint = "`cargo xtask gen` builds the console";
        let body = serde_json::json!({ "error": "Not found", "hint": hint });
        (StatusCode::NOT_FOUND, json_response(&body)).into_response()
    };
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&POLICY.replace("HOST", host)) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Exchanges a link's code for a key, once.
pub async fn key(State(door): State<Door>, head: Head, body: Body) -> Response {
    if let Err(refusal) = door.gate.admit(Wants::ConsoleSession, knock(&head, None)) {
        return refused(&refusal);
    }
    let code = match body::read_text(body, CODE_BYTES_MAX).await {
        Ok(code) => code,
        Err(error) => return error.response(),
    };
    match door.hub.console_exchange(code.trim()) {
        Ok(Some((key, expires_ms))) => json_response(&serde_json::json!({ "key": key, "expiresMs": expires_ms })),
        Ok(None) => refused(&stale("this link was used already, or it is too old")),
        Err(error) => refused(&Refusal { status: 500, reason: error.to_string(), hint: String::new() }),
    }
}

/// Opens the console's WebSocket.
pub async fn socket(State(door): State<Door>, head: Head, handshake: Result<Handshake, NotAHandshake>) -> Response {
    if let Err(refusal) = door.gate.admit(Wants::ConsoleSession, knock(&head, None)) {
        return refused(&refusal);
    }
    let Some(key) = key_of(&head).filter(|key| door.hub.console_admits(key)) else {
        return refused(&stale("this console's key is not good any more"));
    };
    let handshake = match handshake {
        Ok(handshake) => handshake.protocol(PROTOCOL),
        Err(why) => return why.into_response(),
    };
    let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: false }, Outbox::messages(), None);
    peer.face = FACE;
    peer.rpc_only = true;
    handshake.grant(async move |socket| {
        let hub = door.hub.clone();
        ws::serve(door.hub, socket, peer, |hub, conn| {
            let hello = Hello { agent: Some(FACE.into()), ..Hello::default() };
            let _ = hub.receive(conn, &rpc::notification("hello", &hello));
        })
        .await;
        // Renews the key, for a tab that reloads.
        hub.console_admits(&key);
    })
}

fn key_of(headers: &HeaderMap) -> Option<String> {
    let offers = headers.get(header::SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    offers.split(',').find_map(|offer| offer.trim().strip_prefix(KEY_PREFIX)).map(str::to_owned)
}

fn stale(reason: &str) -> Refusal {
    Refusal { status: 401, reason: reason.to_owned(), hint: "run `eye console` for a new link".to_owned() }
}
