//! BTCP where a `WebSocket` is blocked: `/events` with `/message` in both of its forms, and `/rpc`.

use crate::body;
use crate::carrier_events;
use crate::dialect::events;
use crate::gate::{Admitted, Refusal, Wants};
use crate::hearing::Sender;
use crate::http::{Door, bearer, json_response, knock, refused};
use crate::hub::Hub;
use crate::outbox::Outbox;
use crate::peer::{Joining, Peer, Side, Voice};
use crate::session_id;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use eye_core::Conn;
use eye_protocol::limits::POST_BODY_BYTES_MAX;
use eye_protocol::messages::version_fits;
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Code, Error, SessionId};
use serde::Deserialize;
use std::sync::Arc;

/// The header in which the first form names its session.
const SESSION_HEADER: &str = "x-session-id";

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventsQuery {
    session_id: Option<String>,
    client_type: Option<String>,
    version: Option<String>,
}

/// Opens a stream. With a `version` its events have names, without one they have none.
pub async fn events(State(door): State<Door>, headers: HeaderMap, Query(query): Query<EventsQuery>) -> Response {
    let named = query.version.is_some();
    let side = if query.client_type.as_deref() == Some("browser") { Side::Page } else { Side::Agent };
    let session = query.session_id.as_deref().filter(|id| !id.is_empty());
    let admitted = match admit(&door, &headers, side) {
        Ok(admitted) => admitted,
        Err(refusal) => return refused(&refusal),
    };
    let fault = match (&query.version, session) {
        (Some(version), _) if !version_fits(version) => Some("version is not spoken here, 1.0.0 is"),
        (None, None) => Some("sessionId is required"),
        (_, Some(id)) if SessionId::parse(id).is_none() => Some("sessionId is 1 to 64 of A-Z a-z 0-9 _ . -"),
        _ => None,
    };
    if let Some(fault) = fault {
        return bad_request(fault);
    }
    let id = session.and_then(SessionId::parse);
    let joining = match admitted {
        Admitted::Page { origin, eval, confirm } => {
            let session = id.unwrap_or_else(session_id::fresh);
            Some(Joining { session, origin, eval_allowed: eval, confirm })
        }
        Admitted::Public | Admitted::Agent | Admitted::Own => None,
    };
    let voice = if named { Voice::Events1 } else { Voice::Events2 };
    let mut peer = Peer::new(side, voice, Outbox::events(named), joining);
    peer.session = session.map(Into::into);
    peer.origin = origin_of(&headers).map(Into::into);
    let client = session_id::fresh().to_string();
    peer.client = Some(client.as_str().into());
    let session = peer.session.clone().or_else(|| peer.joining.as_ref().map(|j| j.session.as_str().into()));
    let response = carrier_events::serve(door.hub.clone(), peer, |hub, conn| {
        if named {
            hub.greet_known(conn, session.as_deref());
        } else {
            greet_unnamed(hub, conn, side, &client, session.as_deref().unwrap_or(""));
        }
    });
    with_cors(&door, &headers, response)
}

fn greet_unnamed(hub: &Hub, conn: Conn, side: Side, client: &str, session: &str) {
    let kind = if side == Side::Page { "browser" } else { "agent" };
    if side == Side::Agent {
        hub.message(conn, &events::sessions_2(&hub.rows()));
    }
    hub.message(conn, &events::connected_2(client, session, kind));
    hub.settle(conn, session);
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageQuery {
    session_id: Option<String>,
    client_id: Option<String>,
}

/// Takes what a peer of a stream says. With a query it is the second form, else the first.
pub async fn message(
    State(door): State<Door>,
    headers: HeaderMap,
    Query(query): Query<MessageQuery>,
    body: Body,
) -> Response {
    // Which side speaks is written in the body; one that is admitted as neither has nothing read.
    let (page, agent) = (admit(&door, &headers, Side::Page), admit(&door, &headers, Side::Agent));
    if let (Err(as_page), Err(as_agent)) = (&page, &agent) {
        return refused(if headers.contains_key(header::ORIGIN) { as_page } else { as_agent });
    }
    let body = match body::read_text(body, POST_BODY_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return with_cors(&door, &headers, error.response()),
    };
    let unnamed = query.session_id.is_some() || query.client_id.is_some();
    let Some(message) = rpc::parse_one(&body) else {
        return bad_request(if unnamed { "Failed to parse JSON-RPC message" } else { "Invalid JSON-RPC message" });
    };
    if matches!(message, Message::Invalid { .. }) {
        return bad_request(if unnamed {
            "Invalid JSON-RPC message structure"
        } else {
            "Expected request or response"
        });
    }
    let side = side_of(&message);
    if let Err(refusal) = if side == Side::Page { page } else { agent } {
        return refused(&refusal);
    }
    let header = headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok());
    let session = query.session_id.as_deref().or(header).filter(|id| !id.is_empty());
    let voice = if unnamed { Voice::Events2 } else { Voice::Events1 };
    let sender = Sender { client: query.client_id.as_deref(), session, origin: origin_of(&headers) };
    let response = match door.hub.find(voice, side, &sender) {
        None => {
            let error = Error::new(Code::SESSION, "Session not found").hint("open GET /events first");
            response_of(&message, &error)
        }
        Some(conn) if unnamed => {
            let _ = door.hub.hear(conn, &body);
            json_response(&serde_json::json!({ "success": true }))
        }
        Some(conn) => match door.hub.hear_and_capture(conn, &body) {
            Some(answer) => json_text(answer),
            None => StatusCode::ACCEPTED.into_response(),
        },
    };
    with_cors(&door, &headers, response)
}

/// One request, one answer, no session of its own.
pub async fn rpc(State(door): State<Door>, headers: HeaderMap, body: Body) -> Response {
    if let Err(refusal) = admit(&door, &headers, Side::Agent) {
        return refused(&refusal);
    }
    let body = match body::read_text(body, POST_BODY_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return with_cors(&door, &headers, error.response()),
    };
    let Some(Message::Request { id, method, params }) = rpc::parse_one(&body) else {
        return bad_request("Expected a JSON-RPC request");
    };
    let peer = Peer::new(Side::Agent, Voice::Eye { typed: false }, Outbox::messages(), None);
    let (conn, signals) = door.hub.enter(peer);
    let _visit = Visit { hub: door.hub.clone(), conn };
    if let Some(session) = headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok()).filter(|id| !id.is_empty())
    {
        door.hub.target(conn, session.to_owned());
    }
    let _ = door.hub.hear(conn, &rpc::request(&id, &method, &RawParams(&params)));
    let answer = loop {
        let Some((parcel, close)) = door.hub.parcel(conn, &signals).await else { break None };
        if let Some(end) = parcel.ends.first() {
            break String::from_utf8(parcel.bytes[..*end].to_vec()).ok();
        }
        if close.is_some() {
            break None;
        }
    };
    let response = match answer {
        Some(answer) if method == "tools/list" => json_text(events::bare_list(&answer).unwrap_or(answer)),
        Some(answer) => json_text(answer),
        None => (StatusCode::SERVICE_UNAVAILABLE, "the hub shuts down").into_response(),
    };
    with_cors(&door, &headers, response)
}

/// A visitor that leaves the hub when its request ends, or its client hangs up.
pub(crate) struct Visit {
    /// Where it is.
    pub hub: Arc<Hub>,
    /// Who it is.
    pub conn: Conn,
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.hub.leave(self.conn);
    }
}

/// Params that are JSON text already.
struct RawParams<'a>(&'a str);

impl serde::Serialize for RawParams<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &serde_json::value::RawValue = serde_json::from_str(self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// What a browser asks before it posts across origins.
pub async fn preflight(State(door): State<Door>, headers: HeaderMap) -> Response {
    let mut response = with_cors(&door, &headers, StatusCode::NO_CONTENT.into_response());
    let allow = response.headers_mut();
    allow.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, OPTIONS"));
    let names = HeaderValue::from_static("Content-Type, X-Session-ID, Authorization");
    allow.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    response
}

/// Only origins that may join or ask read what is answered.
pub(crate) fn with_cors(door: &Door, headers: &HeaderMap, mut response: Response) -> Response {
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

fn admit(door: &Door, headers: &HeaderMap, side: Side) -> Result<Admitted, Refusal> {
    let token = bearer(headers);
    let wants = if side == Side::Page { Wants::Page } else { Wants::Agent };
    door.gate.admit(wants, knock(headers, token.as_deref()))
}

/// Who says such a thing: pages offer and answer, agents ask.
fn side_of(message: &Message) -> Side {
    match message {
        Message::Request { method, .. } | Message::Notification { method, .. } => match method.as_str() {
            "tools/register" | "tools/unregister" | "session/create" | "call/progress" | "page/info" => Side::Page,
            _ => Side::Agent,
        },
        Message::Response { .. } | Message::Invalid { .. } => Side::Page,
    }
}

fn response_of(message: &Message, error: &Error) -> Response {
    let id = match message {
        Message::Request { id, .. } | Message::Response { id, .. } | Message::Invalid { id, .. } => id,
        Message::Notification { .. } => "null",
    };
    json_text(rpc::response(id, Err(error)))
}

fn origin_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::ORIGIN).and_then(|value| value.to_str().ok())
}

pub(crate) fn bad_request(why: &str) -> Response {
    let mut response = json_response(&serde_json::json!({ "error": why }));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

pub(crate) fn json_text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}
