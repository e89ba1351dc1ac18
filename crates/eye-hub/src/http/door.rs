//! Shared parts of all HTTP handlers: the hub, the gate, the request data that the gate checks, and common responses.

use crate::gate::{Caller, Gate, Knock, Refusal, Wants, Whose, host_name};
use crate::hub::state::Hub;
use crate::seldom::Seldom;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use eye_protocol::messages::SUBPROTOCOL;
use eye_protocol::rpc::json;
use eye_protocol::scope::Bearer;
use serde::Serialize;
use std::convert::Infallible;
use std::ops::Deref;
use std::sync::Arc;

/// Tells which site caused a request. Browsers send it, and pages cannot forge it.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Tells the purpose of a request: `document` means that a tab navigates.
pub const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The parts of a request that the gate checks: its headers, and its connection. Dereferences to the headers.
#[derive(Clone, Debug)]
pub struct Head {
    headers: HeaderMap,
    whose: Whose,
}

impl Head {
    /// The head of a whole request.
    pub fn of(headers: &HeaderMap, extensions: &Extensions) -> Self {
        Self { headers: headers.clone(), whose: whose(extensions) }
    }
}

fn whose(extensions: &Extensions) -> Whose {
    extensions.get::<Caller>().map_or(Whose::NotAsked, |caller| Whose::Ask(*caller))
}

impl Deref for Head {
    type Target = HeaderMap;

    fn deref(&self) -> &HeaderMap {
        &self.headers
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Head {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers, &parts.extensions))
    }
}

/// The state of every handler.
#[derive(Clone)]
pub struct Door {
    pub hub: Arc<Hub>,
    pub gate: Arc<Gate>,
    /// The lines that guests add to `/metrics`.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
}

/// The upgrade is checked after the gate, so that a refused client gets the refusal even if its upgrade is malformed.
pub type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// Redirects to the same path and query under another host name, with the same port and scheme.
pub fn moved_to(name: &str, host: &str, uri: &Uri) -> Response {
    let port = &host[host_name(host).len()..];
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    Redirect::temporary(&format!("//{name}{port}{path}")).into_response()
}

/// Handles unknown paths and wrong methods. Browsers send `OPTIONS` first, for any path.
pub async fn elsewhere(State(door): State<Door>, method: Method, headers: Head) -> Response {
    if method == Method::OPTIONS { preflight(State(door), headers).await } else { nothing(State(door), headers).await }
}

/// Responds with 404. Passes the gate first, because that response too is only for admitted clients.
pub async fn nothing(State(door): State<Door>, headers: Head) -> Response {
    public(&door, &headers, || {
        (StatusCode::NOT_FOUND, json_response(&serde_json::json!({ "error": "Not found" }))).into_response()
    })
}

/// Responds to a wrong method on a known path.
pub async fn not_so(State(door): State<Door>, method: Method, headers: Head) -> Response {
    if method == Method::OPTIONS {
        return preflight(State(door), headers).await;
    }
    public(&door, &headers, || StatusCode::METHOD_NOT_ALLOWED.into_response())
}

/// Responds with something that every program of this machine may see.
pub fn public(door: &Door, headers: &Head, answer: impl FnOnce() -> Response) -> Response {
    match door.gate.admit(Wants::Public, knock(headers, None)) {
        Ok(_) => answer(),
        Err(refusal) => refused(&refusal),
    }
}

/// Collects the data that the gate checks.
pub fn knock<'a>(head: &'a Head, token: Option<&'a str>) -> Knock<'a> {
    knock_of(&head.headers, head.whose, token)
}

/// [`knock`] for a request that need not be kept.
pub fn knock_here<'a>(headers: &'a HeaderMap, extensions: &Extensions, token: Option<&'a str>) -> Knock<'a> {
    knock_of(headers, whose(extensions), token)
}

fn knock_of<'a>(headers: &'a HeaderMap, whose: Whose, token: Option<&'a str>) -> Knock<'a> {
    let text = |name: HeaderName| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    let same_origin = text(SEC_FETCH_SITE) == Some("same-origin");
    Knock { host: text(header::HOST), origin: text(header::ORIGIN), token, whose, same_origin }
}

/// Admits a client that may use the backends.
pub fn admit_own(door: &Door, head: &Head) -> Result<Ground, Refusal> {
    let token = bearer(head);
    let bearer = door.gate.admit(Wants::Own, knock(head, token.as_deref()))?.bearer();
    Ok(Ground { door: door.clone(), head: head.clone(), token, bearer })
}

/// The admission of a client that uses a backend.
pub struct Ground {
    door: Door,
    head: Head,
    token: Option<String>,
    bearer: Option<Bearer>,
}

impl Ground {
    /// Resolves with the reason when the admission ends: the token is revoked or expires, or the origin is no longer
    /// allowed.
    pub async fn gone(self) -> Refusal {
        let Self { door, head, token, bearer } = self;
        let is_listed = head.contains_key(header::ORIGIN);
        let still = || door.gate.admit(Wants::Own, knock(&head, token.as_deref())).map(|_| ());
        tokio::select! {
            reason = door.hub.token_ended(bearer) => {
                Refusal { status: 401, reason, hint: "eye token list shows what is valid".into() }
            }
            refusal = door.hub.origin_ended(still), if is_listed => {
                Refusal { reason: format!("no longer allowed: {}", refusal.reason), ..refusal }
            }
        }
    }
}

/// Answers a browser's request that precedes a POST across origins.
pub async fn preflight(State(door): State<Door>, headers: Head) -> Response {
    let mut response = with_cors(&door, &headers, StatusCode::NO_CONTENT.into_response());
    let allow = response.headers_mut();
    allow.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, OPTIONS"));
    let names = HeaderValue::from_static("Content-Type, X-Session-ID, Authorization");
    allow.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    response
}

/// Lets origins that may join or send requests read the response.
pub fn with_cors(door: &Door, headers: &Head, mut response: Response) -> Response {
    if let Some(origin) = headers.get(header::ORIGIN)
        && door.gate.admit(Wants::Public, knock(headers, None)).is_ok()
        && origin.to_str().is_ok_and(|origin| door.gate.may_read(origin))
    {
        let allow = response.headers_mut();
        allow.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        allow.insert(header::VARY, HeaderValue::from_static("Origin"));
    }
    response
}

/// The token: from `Authorization` or, for browsers, which cannot set it here, from the subprotocol `bearer.TOKEN`.
pub fn bearer(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if let Some(authorization) = text(header::AUTHORIZATION) {
        return authorization.strip_prefix("Bearer ").map(|token| token.trim().to_owned());
    }
    let protocols = text(header::SEC_WEBSOCKET_PROTOCOL)?;
    protocols.split(',').find_map(|protocol| protocol.trim().strip_prefix("bearer.")).map(str::to_owned)
}

/// Whether the client offers the subprotocol with line frames besides JSON-RPC.
pub fn speaks_lines(headers: &HeaderMap) -> bool {
    let mut offers = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    offers.any(|offer| offer.split(',').any(|protocol| protocol.trim() == SUBPROTOCOL))
}

/// Logged refusals per minute.
static REFUSALS: Seldom = Seldom::new(30);
/// A reason may contain data from an unknown client.
const REASON_BYTES_MAX: usize = 200;

pub fn log_refusal(refusal: &Refusal) {
    if let Some(left_out) = REFUSALS.take() {
        let reason = &refusal.reason[..refusal.reason.floor_char_boundary(REASON_BYTES_MAX)];
        tracing::warn!(status = refusal.status, reason, left_out, "a connection was refused");
    }
}

/// The response for a refusal of the gate.
pub fn refused(refusal: &Refusal) -> Response {
    log_refusal(refusal);
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::FORBIDDEN);
    let body = serde_json::json!({ "error": refusal.reason, "hint": refusal.hint });
    let mut response = json_response(&body);
    *response.status_mut() = status;
    response
}

/// A response with a value as JSON.
pub fn json_response(value: &impl Serialize) -> Response {
    let mut response = Response::new(Body::from(json(value)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

pub fn bad_request(why: &str) -> Response {
    let mut response = json_response(&serde_json::json!({ "error": why }));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

/// A response with JSON text.
pub fn json_text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}
