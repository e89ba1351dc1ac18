//! What the hub serves over HTTP: the doors of `WebSocket`s, the page client, the start page, and facts for operators.

use crate::backends::Backends;
use crate::caller::Caller;
use crate::carrier_ws;
use crate::dialect::original;
use crate::gate::{Admitted, Gate, Knock, OWN_NAME, Refusal, Wants, host_name, is_loopback_address};
use crate::hub::Hub;
use crate::llm::{self, Llm};
use crate::outbox::Outbox;
use crate::peer::{Joining, Peer, Side, Voice};
use crate::{assets, http_agent, http_backends, http_btcp, http_faces, http_opened, metrics, session_id};
use axum::Router;
use axum::body::Body;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{any, get, post};
use eye_protocol::SessionId;
use eye_protocol::close::Close;
use eye_protocol::limits::MESSAGE_BYTES_MAX;
use eye_protocol::messages::{PageInfo, Sessions, version_fits};
use eye_protocol::rpc::json;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Small on purpose: the library zeroes its read buffer on every read, and every idle page has one.
const READ_BUFFER_BYTES: usize = 4096;

/// Says whose page caused a request. Browsers send it, and pages cannot forge it.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Says what a request is for: `document` is a tab that goes somewhere.
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// What every handler needs.
#[derive(Clone)]
pub struct Door {
    /// The hub.
    pub hub: Arc<Hub>,
    /// Its gate.
    pub gate: Arc<Gate>,
    /// What computes for agents and own pages, if somebody brought it.
    pub backends: Option<Arc<dyn Backends>>,
    /// Places for connections to them.
    pub seats: Arc<Semaphore>,
    /// The way to the LLM server, if there is one.
    pub llm: Option<Arc<Llm>>,
}

/// All that the hub serves.
pub fn router(door: Door) -> Router {
    Router::new()
        .route("/ws", get(socket))
        .route("//ws", get(socket))
        .route("/api/mcp/stream", get(socket))
        .route("/api/eye", get(original_agent))
        .route("/api/eye-bridge", get(original_page))
        .route("/events", get(http_btcp::events).options(http_btcp::preflight))
        .route("/message", post(http_btcp::message).options(http_btcp::preflight))
        .route("/rpc", post(http_btcp::rpc).options(http_btcp::preflight))
        .route("/mcp", any(http_faces::serve))
        .route("/api/mcp", any(http_faces::serve))
        .route("/evolution", get(http_backends::evolution))
        .route("/evo", get(http_backends::evolution))
        .route("/agents", get(http_backends::agents))
        .route("/cartridges", get(http_backends::cartridges))
        .route("/cartridges/", get(http_backends::cartridges))
        .route("/cartridges/{name}", get(http_backends::cartridge))
        .route("/v1/chat/completions", post(llm::completions))
        .route("/agent", get(http_agent::events).post(http_agent::message).options(http_btcp::preflight))
        .route("/eye.js", get(client))
        .route("/eye/{part}", get(part))
        .route("/apps/{*path}", get(app))
        .route("/open/{id}/", get(http_opened::index))
        .route("/open/{id}/{*path}", get(http_opened::file))
        .route("/health", get(health))
        .route("/sessions", get(sessions))
        .route("/metrics", get(metrics))
        .route("/why", get(why).post(why))
        .route("/", get(start_page))
        .fallback(nothing)
        .with_state(door)
}

/// What is said to whoever speaks plain HTTP to a hub that must not be spoken to in the clear.
pub fn encrypted_only() -> Router {
    Router::new().fallback(async || {
        refused(&Refusal {
            status: 400,
            reason: "this hub speaks TLS only, beyond its own machine".into(),
            hint: "write https:// instead of http://, wss:// instead of ws://".into(),
        })
    })
}

/// The upgrade is looked at after the gate: who may not come in is told so, however it knocked.
pub(crate) type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SocketQuery {
    session_id: Option<String>,
    client_type: Option<String>,
    version: Option<String>,
}

async fn socket(
    State(door): State<Door>,
    headers: HeaderMap,
    Query(query): Query<SocketQuery>,
    upgrade: Upgrade,
) -> Response {
    let side = match query.client_type.as_deref() {
        // What says nothing and comes from a browser is a page; a program that says nothing asks.
        None if headers.contains_key(header::ORIGIN) => Side::Page,
        Some("browser") => Side::Page,
        None | Some(_) => Side::Agent,
    };
    let wants = if side == Side::Page { Wants::Page } else { Wants::Agent };
    let token = bearer(&headers);
    let admitted = match door.gate.admit(wants, knock(&headers, token.as_deref())) {
        Ok(admitted) => admitted,
        Err(refusal) => return refused(&refusal),
    };
    let upgrade = match upgrade {
        Ok(upgrade) => tuned(upgrade),
        Err(rejection) => return rejection.into_response(),
    };
    if let Some(close) = query.fault() {
        return upgrade.on_upgrade(move |socket| closed(socket, close));
    }
    let joining = match (admitted, query.session_id.as_deref().and_then(SessionId::parse)) {
        (Admitted::Page { origin, eval, confirm }, session) => {
            let session = session.unwrap_or_else(session_id::fresh);
            Some(Joining { session, origin, eval_allowed: eval, confirm })
        }
        (Admitted::Public | Admitted::Agent | Admitted::Own, _) => None,
    };
    let peer = Peer::new(side, Voice::Eye { typed: false }, Outbox::messages(), joining);
    let session = query.session_id.filter(|id| !id.is_empty());
    let plain = query.version.is_some();
    upgrade.on_upgrade(move |socket| {
        carrier_ws::serve(door.hub, socket, peer, move |hub, conn| {
            if plain {
                hub.greet(conn, session.as_deref());
            } else if let Some(session) = session.filter(|_| side == Side::Agent) {
                hub.target(conn, session);
            }
        })
    })
}

impl SocketQuery {
    fn fault(&self) -> Option<Close> {
        if let Some(kind) = self.client_type.as_deref().filter(|kind| !matches!(*kind, "browser" | "agent")) {
            return Some(Close::bad_query(format!("clientType must be browser or agent, not {kind}")));
        }
        if let Some(version) = self.version.as_deref().filter(|version| !version_fits(version)) {
            return Some(Close::bad_query(format!("version {version} is not spoken here, 1.0.0 is")));
        }
        let session = self.session_id.as_deref().filter(|id| !id.is_empty());
        session
            .filter(|id| SessionId::parse(id).is_none())
            .map(|_| Close::bad_query("sessionId is 1 to 64 of A-Z a-z 0-9 _ . -"))
    }
}

#[derive(Debug, Default, Deserialize)]
struct TokenQuery {
    token: Option<String>,
}

impl TokenQuery {
    fn token(&self) -> Option<&str> {
        self.token.as_deref().filter(|token| !token.is_empty())
    }
}

/// Admits a client of the original at one of its doors: it carries the token in the query and expects the original's texts.
fn admit_original(
    door: &Door,
    headers: &HeaderMap,
    token: Option<&str>,
    wants: Wants,
) -> Result<Admitted, Box<Response>> {
    door.gate.admit(wants, knock(headers, token)).map_err(|refusal| match (refusal.status, token) {
        (401, Some(_)) => Box::new((StatusCode::UNAUTHORIZED, "Invalid token").into_response()),
        (401, None) => Box::new((StatusCode::UNAUTHORIZED, "Token required").into_response()),
        (_, _) => Box::new(refused(&refusal)),
    })
}

async fn original_agent(
    State(door): State<Door>,
    headers: HeaderMap,
    Query(query): Query<TokenQuery>,
    upgrade: Upgrade,
) -> Response {
    if let Err(refusal) = admit_original(&door, &headers, query.token(), Wants::Agent) {
        return *refusal;
    }
    let upgrade = match upgrade {
        Ok(upgrade) => tuned(upgrade),
        Err(rejection) => return rejection.into_response(),
    };
    upgrade.on_upgrade(move |socket| {
        let mut peer = Peer::new(Side::Agent, Voice::Original, Outbox::messages(), None);
        let first = if door.hub.has_page() { original::AGENT_READY } else { original::NO_PAGE };
        if first == original::NO_PAGE {
            peer.close = Some(Close { code: 1000, reason: "no browser connected".into() });
        }
        carrier_ws::serve(door.hub, socket, peer, move |hub, conn| hub.tell(conn, first))
    })
}

async fn original_page(
    State(door): State<Door>,
    headers: HeaderMap,
    Query(query): Query<TokenQuery>,
    upgrade: Upgrade,
) -> Response {
    // The origin decides what the page may, as on every way in; the token is needed beside it, as the original does.
    let admitted = admit_original(&door, &headers, query.token(), Wants::Page)
        .and_then(|page| admit_original(&door, &headers, query.token(), Wants::Agent).map(|_| page));
    let (origin, eval_allowed, confirm) = match admitted {
        Ok(Admitted::Page { origin, eval, confirm }) => (origin, eval, confirm),
        Ok(Admitted::Public | Admitted::Agent | Admitted::Own) => return StatusCode::FORBIDDEN.into_response(),
        Err(refusal) => return *refusal,
    };
    let upgrade = match upgrade {
        Ok(upgrade) => tuned(upgrade),
        Err(rejection) => return rejection.into_response(),
    };
    let referer = headers.get(header::REFERER).and_then(|value: &HeaderValue| value.to_str().ok());
    let url = referer.unwrap_or(&origin).to_owned();
    let joining = Joining { session: session_id::fresh(), origin, eval_allowed, confirm };
    upgrade.on_upgrade(move |socket| {
        let peer = Peer::new(Side::Page, Voice::Original, Outbox::messages(), Some(joining));
        let info = PageInfo { title: Some("eye-bridge".into()), url: Some(url), ..PageInfo::default() };
        carrier_ws::serve(door.hub, socket, peer, move |hub, conn| {
            hub.tell(conn, original::PAGE_READY);
            hub.join(conn, info);
        })
    })
}

async fn closed(mut socket: WebSocket, close: Close) {
    use axum::extract::ws::{CloseFrame, Message};
    let frame = CloseFrame { code: close.code, reason: close.reason.as_str().into() };
    let _ = socket.send(Message::Close(Some(frame))).await;
}

fn tuned(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade
        .protocols(["eye"])
        .read_buffer_size(READ_BUFFER_BYTES)
        .max_message_size(MESSAGE_BYTES_MAX)
        .max_frame_size(MESSAGE_BYTES_MAX)
}

async fn client(State(door): State<Door>, headers: HeaderMap) -> Response {
    script(&door, &headers, assets::CLIENT)
}

/// What the page client loads on first use.
async fn part(State(door): State<Door>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    match assets::part(&name) {
        Some(text) => script(&door, &headers, text),
        None => nothing(State(door), headers).await,
    }
}

async fn app(State(door): State<Door>, Path(path): Path<String>, uri: Uri, headers: HeaderMap) -> Response {
    // A tab that came by the hub's address goes on to its name: only there its pages are eye's own.
    let tab = headers.get(SEC_FETCH_DEST).is_some_and(|dest| dest == "document");
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
    public(&door, &headers, || match assets::app(&path) {
        Some(_) if tab && is_loopback_address(host) => moved_to(OWN_NAME, host, &uri),
        Some((bytes, media_type)) => {
            let kind = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-cache".into())];
            (kind, Body::from(bytes.into_owned())).into_response()
        }
        None if assets::is_app(&path) => Redirect::permanent(&format!("/apps/{path}/")).into_response(),
        None => {
            let error = if assets::has_apps() { "no such app" } else { "this hub was built without the demo apps" };
            let body = serde_json::json!({ "error": error, "hint": "`cargo xtask gen` builds them" });
            (StatusCode::NOT_FOUND, json_response(&body)).into_response()
        }
    })
}

/// The same path and query under another host name, at the port and in the scheme that were used.
pub(crate) fn moved_to(name: &str, host: &str, uri: &Uri) -> Response {
    let port = &host[host_name(host).len()..];
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    Redirect::temporary(&format!("//{name}{port}{path}")).into_response()
}

/// The page client and its parts. Any page may load them, also one that isolates itself (COEP).
fn script(door: &Door, headers: &HeaderMap, text: &'static str) -> Response {
    public(door, headers, || {
        let kind = [
            (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
            (header::CACHE_CONTROL, "no-cache"),
            (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        ];
        let mut response = (kind, text).into_response();
        response.headers_mut().insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
        response
    })
}

/// The start page; and the door for pages of the original 3D server, which knock at the root.
async fn start_page(
    State(door): State<Door>,
    headers: HeaderMap,
    query: Query<SocketQuery>,
    upgrade: Upgrade,
) -> Response {
    if upgrade.is_ok() {
        return socket(State(door), headers, query, upgrade).await;
    }
    public(&door, &headers, || {
        let kind = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CACHE_CONTROL, "no-cache"),
            (header::X_FRAME_OPTIONS, "DENY"),
        ];
        (kind, assets::START_PAGE).into_response()
    })
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    sessions: usize,
    pages: usize,
}

async fn health(State(door): State<Door>, headers: HeaderMap) -> Response {
    public(&door, &headers, || {
        let status = door.hub.status();
        json_response(&Health {
            status: "ok",
            version: crate::version::HUB,
            sessions: status.sessions,
            pages: status.pages,
        })
    })
}

async fn sessions(State(door): State<Door>, headers: HeaderMap) -> Response {
    let token = bearer(&headers);
    match door.gate.admit(Wants::Agent, knock(&headers, token.as_deref())) {
        Ok(_) => json_response(&Sessions { sessions: door.hub.rows() }),
        Err(refusal) => refused(&refusal),
    }
}

async fn metrics(State(door): State<Door>, headers: HeaderMap) -> Response {
    let token = bearer(&headers);
    match door.gate.admit(Wants::Agent, knock(&headers, token.as_deref())) {
        Ok(_) => {
            let more = door.backends.as_ref().map(|backends| backends.metrics()).unwrap_or_default();
            let text = metrics::text(&door.hub) + &more;
            ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
        }
        Err(refusal) => refused(&refusal),
    }
}

#[derive(Serialize)]
struct Why {
    allowed: bool,
    reason: String,
    hint: String,
}

/// Tells a page why it was refused, and nothing else: a browser hides that from it. It asks by POST, for behind a path of its
/// own server a GET would have no `Origin`.
async fn why(State(door): State<Door>, headers: HeaderMap) -> Response {
    let why = match door.gate.admit(Wants::Page, knock(&headers, None)) {
        Ok(_) => Why { allowed: true, reason: "pages of this origin may join".into(), hint: String::new() },
        Err(Refusal { reason, hint, .. }) => Why { allowed: false, reason, hint },
    };
    let mut response = json_response(&why);
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

async fn nothing(State(door): State<Door>, headers: HeaderMap) -> Response {
    public(&door, &headers, || {
        (StatusCode::NOT_FOUND, json_response(&serde_json::json!({ "error": "Not found" }))).into_response()
    })
}

pub(crate) fn public(door: &Door, headers: &HeaderMap, answer: impl FnOnce() -> Response) -> Response {
    match door.gate.admit(Wants::Public, knock(headers, None)) {
        Ok(_) => answer(),
        Err(refusal) => refused(&refusal),
    }
}

pub(crate) fn knock<'a>(headers: &'a HeaderMap, token: Option<&'a str>) -> Knock<'a> {
    let text = |name: HeaderName| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    let same_origin = text(SEC_FETCH_SITE) == Some("same-origin");
    Knock { host: text(header::HOST), origin: text(header::ORIGIN), token, stranger: false, same_origin }
}

/// Lets in who may use the backends. Whose program it is, is asked of the kernel only where that decides.
pub(crate) fn admit_own(door: &Door, headers: &HeaderMap, caller: Option<Caller>) -> Result<(), Refusal> {
    let token = bearer(headers);
    let knock = knock(headers, token.as_deref());
    let admitted = door.gate.admit(Wants::Own, knock)?;
    if admitted == Admitted::Own && caller.is_some_and(Caller::is_stranger) {
        door.gate.admit(Wants::Own, Knock { stranger: true, ..knock })?;
    }
    Ok(())
}

/// The token: in `Authorization`, or, where a browser allows no header, as the subprotocol `bearer.TOKEN`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if let Some(authorization) = text(header::AUTHORIZATION) {
        return authorization.strip_prefix("Bearer ").map(|token| token.trim().to_owned());
    }
    let protocols = text(header::SEC_WEBSOCKET_PROTOCOL)?;
    protocols.split(',').find_map(|protocol| protocol.trim().strip_prefix("bearer.")).map(str::to_owned)
}

pub(crate) fn refused(refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::FORBIDDEN);
    let body = serde_json::json!({ "error": refusal.reason, "hint": refusal.hint });
    let mut response = json_response(&body);
    *response.status_mut() = status;
    response
}

pub(crate) fn json_response(value: &impl Serialize) -> Response {
    let mut response = Response::new(Body::from(json(value)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
