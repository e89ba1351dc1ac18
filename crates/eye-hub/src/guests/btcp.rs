//! BTCP for networks that block `WebSocket`s: `/events` with `/message` in both of its forms, and `/rpc`.
//!
//! The form of a client's POST distinguishes the two kinds: with `X-Session-ID` the response is in the body, with
//! `sessionId` or `clientId` in the query it is on the stream. Greetings follow both existing kinds of servers. Events
//! have no names, so that every client receives them.

use crate::dialect::events::{self as words, Posts};
use crate::dialect::wall_ms;
use crate::gate::{Admitted, Refusal, Wants};
use crate::http::body;
use crate::http::door::{
    Door, Head, bad_request, bearer, json_response, json_text, knock, preflight, refused, with_cors,
};
use crate::hub::outbox::Outbox;
use crate::hub::parse_post;
use crate::hub::peer::{Joining, Peer, Side, Voice};
use crate::hub::session_id;
use crate::hub::streams::{Found, Sender, id_of};
use crate::mount::Guest;
use crate::transport::events as event_stream;
use crate::transport::post::Visit;
use axum::Router;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use eye_core::Conn;
use eye_protocol::limits::{POST_BODY_BYTES_MAX, STREAMS_IN_LINE_MAX};
use eye_protocol::messages::version_fits;
use eye_protocol::rpc::{self, Message};
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Error, SessionId};
use serde::Deserialize;
use std::borrow::Cow;

/// The header in which the first form names its session.
const SESSION_HEADER: &str = "x-session-id";
/// The header in which a reconnecting browser names the last event that it received.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// BTCP over HTTP, as a guest.
#[derive(Clone, Copy, Debug, Default)]
pub struct BtcpOverHttp;

impl Guest for BtcpOverHttp {
    fn routes(&self) -> Router<Door> {
        Router::new()
            .route("/events", get(events).options(preflight))
            .route("/message", post(message).options(preflight))
            .route("/rpc", post(rpc).options(preflight))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventsQuery {
    session_id: Option<String>,
    client_type: Option<String>,
    version: Option<String>,
    /// A page's token, for clients that cannot send a header.
    token: Option<String>,
}

impl EventsQuery {
    /// Only the page client that posts by header omits the session, and it sends its version.
    fn fault(&self, side: Side) -> Option<&'static str> {
        let session = self.session_id.as_deref().filter(|id| !id.is_empty());
        match (&self.version, session) {
            (Some(version), _) if !version_fits(version) => Some("version is not spoken here, 1.0.0 is"),
            (None, None) => Some("sessionId is required"),
            (Some(_), None) if side == Side::Agent => Some("sessionId is required"),
            (_, Some(id)) if SessionId::parse(id).is_none() => Some("sessionId is 1 to 64 of A-Z a-z 0-9 _ . -"),
            _ => None,
        }
    }
}

/// Opens a stream. A browser that reconnects sends its last event id: `CLIENT.SESSION`.
async fn events(State(door): State<Door>, headers: Head, Query(query): Query<EventsQuery>) -> Response {
    let side = if query.client_type.as_deref() == Some("browser") { Side::Page } else { Side::Agent };
    let admitted = match admit(&door, &headers, side, query.token.as_deref()) {
        Ok(admitted) => admitted,
        Err(refusal) => return refused(&refusal),
    };
    if let Some(fault) = query.fault(side) {
        return with_cors(&door, &headers, bad_request(fault));
    }
    let session = query.session_id.as_deref().filter(|id| !id.is_empty());
    let last = headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok()).and_then(|id| id.split_once('.'));
    if last.is_some_and(|(client, _)| door.hub.was_superseded(client)) {
        // The one response that stops a browser from reconnecting.
        return with_cors(&door, &headers, StatusCode::NO_CONTENT.into_response());
    }
    let id = session
        .or(last.filter(|_| side == Side::Page).map(|(_, session)| session))
        .and_then(SessionId::parse)
        .unwrap_or_else(session_id::fresh);
    if let Admitted::Page { origin, .. } = &admitted
        && door.hub.is_crowded(&id, origin)
    {
        return with_cors(&door, &headers, crowded(last.is_some()));
    }
    let (scope, bearer) = (admitted.scope(), admitted.bearer());
    let joining = match admitted {
        Admitted::Page { origin, policy, bearer } => {
            Some(Joining { session: id.clone(), origin: origin.into(), policy, by_token: bearer.is_some() })
        }
        Admitted::Public | Admitted::Agent(_) | Admitted::Own | Admitted::Console | Admitted::Extension => None,
    };
    let posts = Posts::guess(query.version.as_deref(), session.is_some());
    let mut peer = Peer::new(side, Voice::Events(posts), Outbox::events(), joining);
    peer = peer.scoped(scope.clone()).borne_by(bearer);
    peer.session = session.map(Into::into);
    peer.origin = origin_of(&headers).map(Into::into);
    let client = session_id::fresh().to_string();
    peer.client = Some(client.as_str().into());
    let listed = if side == Side::Agent { door.hub.listed(&scope) } else { Vec::new() };
    let response = event_stream::serve(door.hub.clone(), peer, |hub, conn| {
        // The hub may have given the page another session than it requested.
        let session = hub.claimed(conn).unwrap_or_else(|| id.as_str().into());
        hub.greet_stream(conn, &client, &session, last.is_some(), &listed);
    });
    with_cors(&door, &headers, response)
}

/// One more stream would leave the page no connection for its responses. A browser that reconnects (`back`) must stop.
fn crowded(back: bool) -> Response {
    if back {
        return StatusCode::NO_CONTENT.into_response();
    }
    let error = format!("this session has {} streams open; close one of them first", STREAMS_IN_LINE_MAX + 1);
    (StatusCode::TOO_MANY_REQUESTS, json_response(&serde_json::json!({ "error": error }))).into_response()
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageQuery {
    session_id: Option<String>,
    client_id: Option<String>,
    token: Option<String>,
}

/// Handles a POST of a stream's peer.
async fn message(State(door): State<Door>, headers: Head, Query(query): Query<MessageQuery>, body: Body) -> Response {
    let response = receive_post(&door, &headers, &query, body).await;
    with_cors(&door, &headers, response)
}

async fn receive_post(door: &Door, headers: &Head, query: &MessageQuery, body: Body) -> Response {
    // The body says whether a page or an agent sends it; if neither is admitted, the body is not read.
    let (page, agent) =
        (admit(door, headers, Side::Page, query.token.as_deref()), admit(door, headers, Side::Agent, None));
    if let (Err(as_page), Err(as_agent)) = (&page, &agent) {
        return refused(if headers.contains_key(header::ORIGIN) { as_page } else { as_agent });
    }
    let body = match body::read_text(body, POST_BODY_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return error.response(),
    };
    let by_query = query.session_id.is_some() || query.client_id.is_some();
    let header = headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok());
    let posts = if by_query { Posts::ByQuery } else { Posts::ByHeader };
    let (body, message) = parse_post(body).await;
    let message = match message {
        None if by_query => return bad_request("Failed to parse JSON-RPC message"),
        None => return bad_request("Invalid JSON-RPC message"),
        Some(Message::Invalid { .. }) if by_query => return bad_request("Invalid JSON-RPC message structure"),
        Some(Message::Invalid { .. }) => return bad_request("Expected request or response"),
        Some(message) => message,
    };
    if !by_query && header.is_none() {
        return bad_request("sessionId is required");
    }
    let side = side_of(&message);
    let scope = match (side, page, agent) {
        (Some(Side::Page), Ok(admitted), _) | (Some(Side::Agent), _, Ok(admitted)) => admitted.scope(),
        (None, page, agent) => agent.or(page).map_or(Scope::ALL, |admitted| admitted.scope()),
        (Some(Side::Page), Err(refusal), _) | (Some(Side::Agent), _, Err(refusal)) => return refused(&refusal),
    };
    let session = query.session_id.as_deref().or(header).filter(|id| !id.is_empty());
    let sender =
        Sender { posts, client: query.client_id.as_deref(), session, origin: origin_of(headers), scope: scope.clone() };
    let found = match message {
        Message::Response { id, outcome } => return answered(door, &sender, &id, outcome),
        Message::Notification { ref method, ref params } if method == "call/progress" => {
            match words::progress_id(params).and_then(|id| door.hub.stream_of_call(&sender, &id)) {
                Some((page, _)) => Found::One(page),
                None => Found::None,
            }
        }
        _ => door.hub.find_stream(side, &sender),
    };
    if let Found::One(conn) = &found {
        // As with a socket, nothing more is read while earlier messages are being handled.
        door.hub.ready_to_receive(*conn).await;
    }
    match found {
        Found::One(conn) => match posts {
            Posts::ByQuery => on_stream(door, conn, session, &message, body).await,
            Posts::ByHeader => in_body(door, conn, session, &message, body).await,
        },
        // Agents that post by header name only a session, which they may share: each is answered in the body.
        Found::Several if side == Some(Side::Agent) && posts == Posts::ByHeader && id_of(&message).is_some() => {
            ask_once(door, scope, session, &body).await.map_or_else(ending, json_text)
        }
        Found::Several => {
            let error = Error::new(Code::SESSION, "several streams could have sent this");
            let hint = "give the client a sessionId of its own, or post the clientId of its stream";
            failure(StatusCode::CONFLICT, &message, &error.hint(hint))
        }
        Found::None => {
            let error = Error::new(Code::SESSION, "Session not found").hint("open GET /events first");
            failure(StatusCode::NOT_FOUND, &message, &error)
        }
    }
}

/// Handles a page's response to a call.
fn answered(door: &Door, sender: &Sender<'_>, id: &str, outcome: Result<Cow<'_, str>, Error>) -> Response {
    let Some((page, call)) = door.hub.stream_of_call(sender, id) else {
        let body = serde_json::json!({ "error": "no such call went to a page of this origin" });
        return (StatusCode::NOT_FOUND, json_response(&body)).into_response();
    };
    door.hub.receive_answer(page, call, outcome);
    match sender.posts {
        Posts::ByQuery => json_response(&serde_json::json!({ "success": true })),
        Posts::ByHeader => StatusCode::OK.into_response(),
    }
}

/// Handles a message whose response goes to the stream.
async fn on_stream(door: &Door, conn: Conn, session: Option<&str>, message: &Message<'_>, body: String) -> Response {
    match beforehand(door, conn, session, Posts::ByQuery, message) {
        Some(answer) => door.hub.message(conn, &answer),
        None => {
            let _ = door.hub.receive_any(conn, body).await;
        }
    }
    json_response(&serde_json::json!({ "success": true }))
}

/// Responds in the body if the answer is available at once; otherwise accepts the call and responds on the stream. A
/// page's client takes any answer for success, so a failure has an error status.
async fn in_body(door: &Door, conn: Conn, session: Option<&str>, message: &Message<'_>, body: String) -> Response {
    let answer = match beforehand(door, conn, session, Posts::ByHeader, message) {
        Some(answer) => Some(answer),
        None => door.hub.receive_and_capture(conn, body).await,
    };
    match answer {
        Some(answer) => {
            let failed = side_of(message) == Some(Side::Page)
                && matches!(rpc::parse_one(&answer), Some(Message::Response { outcome: Err(_), .. }));
            let status = if failed { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
            (status, json_text(answer)).into_response()
        }
        None => StatusCode::ACCEPTED.into_response(),
    }
}

/// Responses that do not need the core: to a ping, and to requests for a session that has no page.
fn beforehand(door: &Door, conn: Conn, session: Option<&str>, posts: Posts, message: &Message<'_>) -> Option<String> {
    let Message::Request { id, method, .. } = message else { return None };
    match &**method {
        "ping" => Some(words::pong(posts, id, wall_ms())),
        "tools/list" if !door.hub.bind(conn, session) => Some(words::no_tools(posts, id)),
        "tools/call" if !door.hub.bind(conn, session) => {
            let error = Error::new(Code::SESSION, "the agent has joined no session that has a page");
            Some(words::failed_call(posts, id, &error))
        }
        _ => None,
    }
}

/// One request, one response, no session of its own.
async fn rpc(State(door): State<Door>, headers: Head, body: Body) -> Response {
    let scope = match admit(&door, &headers, Side::Agent, None) {
        Ok(admitted) => admitted.scope(),
        Err(refusal) => return refused(&refusal),
    };
    let body = match body::read_text(body, POST_BODY_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return with_cors(&door, &headers, error.response()),
    };
    let (body, message) = parse_post(body).await;
    let Some(message @ Message::Request { .. }) = message else {
        return bad_request("Expected a JSON-RPC request");
    };
    let session = headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok()).filter(|id| !id.is_empty());
    if let (Err(error), Message::Request { id, .. }) = (door.hub.admit_alone(), &message) {
        return with_cors(&door, &headers, json_text(rpc::response(id, Err(&error))));
    }
    let bare = matches!(&message, Message::Request { method, .. } if method == "tools/list");
    let response = match ask_once(&door, scope, session, &body).await {
        Some(answer) if bare => json_text(words::bare_list(&answer).unwrap_or(answer)),
        Some(answer) => json_text(answer),
        None => ending(),
    };
    with_cors(&door, &headers, response)
}

/// Sends a request as an agent that exists for this one request.
async fn ask_once(door: &Door, scope: Scope, session: Option<&str>, request: &str) -> Option<String> {
    let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: false }, Outbox::messages(), None).scoped(scope);
    peer.face = "btcp-http";
    let (conn, signals) = door.hub.enter(peer);
    let _visit = Visit { hub: door.hub.clone(), conn };
    if let Some(session) = session {
        door.hub.target(conn, session.to_owned());
    }
    let _ = door.hub.receive_any(conn, request.trim_start().to_owned()).await;
    loop {
        let (parcel, close) = door.hub.parcel(conn, &signals).await?;
        if let Some(end) = parcel.ends.first() {
            return String::from_utf8(parcel.bytes[..*end].to_vec()).ok();
        }
        if close.is_some() {
            return None;
        }
    }
}

fn ending() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, "the hub shuts down").into_response()
}

/// Only a page's token may be in the query: it only allows joining.
fn admit(door: &Door, headers: &Head, side: Side, query_token: Option<&str>) -> Result<Admitted, Refusal> {
    let token = bearer(headers).or_else(|| query_token.filter(|_| side == Side::Page).map(str::to_owned));
    let wants = if side == Side::Page { Wants::Page } else { Wants::Agent };
    door.gate.admit(wants, knock(headers, token.as_deref()))
}

/// The side that sends such a message: pages offer and answer, agents send requests. `None`: either.
fn side_of(message: &Message<'_>) -> Option<Side> {
    match message {
        Message::Request { method, .. } | Message::Notification { method, .. } => match &**method {
            "tools/register" | "tools/unregister" | "session/create" | "call/progress" | "page/info" => {
                Some(Side::Page)
            }
            "ping" | "hello" => None,
            _ => Some(Side::Agent),
        },
        Message::Response { .. } | Message::Invalid { .. } => Some(Side::Page),
    }
}

fn failure(status: StatusCode, message: &Message<'_>, error: &Error) -> Response {
    let id = id_of(message).unwrap_or("null");
    (status, json_text(rpc::response(id, Err(error)))).into_response()
}

fn origin_of(headers: &Head) -> Option<&str> {
    headers.get(header::ORIGIN).and_then(|value| value.to_str().ok())
}
