//! BTCP where a `WebSocket` is blocked: `/events` with `/message` in both of its forms, and `/rpc`.

use crate::dialect::events as words;
use crate::gate::{Admitted, Refusal, Wants};
use crate::http::body;
use crate::http::door::{
    Door, Head, bad_request, bearer, json_response, json_text, knock, preflight, refused, with_cors,
};
use crate::hub::hearing::Sender;
use crate::hub::outbox::Outbox;
use crate::hub::peer::{Joining, Peer, Side, Voice};
use crate::hub::session_id;
use crate::hub::state::Hub;
use crate::mount::Guest;
use crate::transport::events as event_stream;
use crate::transport::post::Visit;
use axum::Router;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use eye_core::Conn;
use eye_protocol::limits::POST_BODY_BYTES_MAX;
use eye_protocol::messages::version_fits;
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Code, Error, SessionId};
use serde::Deserialize;

/// The header in which the first form names its session.
const SESSION_HEADER: &str = "x-session-id";

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
    /// A page's token, where its client can send no header.
    token: Option<String>,
}

/// Opens a stream. With a `version` its events have names, without one they have none.
async fn events(State(door): State<Door>, headers: Head, Query(query): Query<EventsQuery>) -> Response {
    let named = query.version.is_some();
    let side = if query.client_type.as_deref() == Some("browser") { Side::Page } else { Side::Agent };
    let session = query.session_id.as_deref().filter(|id| !id.is_empty());
    let admitted = match admit(&door, &headers, side, query.token.as_deref()) {
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
    let scope = admitted.scope();
    let joining = match admitted {
        Admitted::Page { origin, eval, confirm } => {
            let session = id.unwrap_or_else(session_id::fresh);
            Some(Joining { session, origin, eval_allowed: eval, confirm })
        }
        Admitted::Public | Admitted::Agent(_) | Admitted::Own => None,
    };
    let voice = if named { Voice::NamedEvents } else { Voice::PlainEvents };
    let mut peer = Peer::new(side, voice, Outbox::events(named), joining).scoped(scope.clone());
    peer.session = session.map(Into::into);
    peer.origin = origin_of(&headers).map(Into::into);
    let client = session_id::fresh().to_string();
    peer.client = Some(client.as_str().into());
    let session = peer.session.clone().or_else(|| peer.joining.as_ref().map(|j| j.session.as_str().into()));
    let response = event_stream::serve(door.hub.clone(), peer, |hub, conn| {
        if named {
            hub.greet_known(conn, session.as_deref());
        } else {
            if side == Side::Agent {
                hub.message(conn, &words::sessions_plain(&hub.rows(&scope)));
            }
            greet_unnamed(hub, conn, side, &client, session.as_deref().unwrap_or(""));
        }
    });
    with_cors(&door, &headers, response)
}

fn greet_unnamed(hub: &Hub, conn: Conn, side: Side, client: &str, session: &str) {
    let kind = if side == Side::Page { "browser" } else { "agent" };
    hub.message(conn, &words::connected_plain(client, session, kind));
    hub.settle(conn, session);
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageQuery {
    session_id: Option<String>,
    client_id: Option<String>,
    token: Option<String>,
}

/// Takes what a peer of a stream says. With a query it is the second form, else the first.
async fn message(State(door): State<Door>, headers: Head, Query(query): Query<MessageQuery>, body: Body) -> Response {
    // Which side speaks is written in the body; one that is admitted as neither has nothing read.
    let (page, agent) =
        (admit(&door, &headers, Side::Page, query.token.as_deref()), admit(&door, &headers, Side::Agent, None));
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
    let scope = match if side == Side::Page { page } else { agent } {
        Ok(admitted) => admitted.scope(),
        Err(refusal) => return refused(&refusal),
    };
    let header = headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok());
    let session = query.session_id.as_deref().or(header).filter(|id| !id.is_empty());
    let voice = if unnamed { Voice::PlainEvents } else { Voice::NamedEvents };
    let sender = Sender { client: query.client_id.as_deref(), session, origin: origin_of(&headers), scope };
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
async fn rpc(State(door): State<Door>, headers: Head, body: Body) -> Response {
    let scope = match admit(&door, &headers, Side::Agent, None) {
        Ok(admitted) => admitted.scope(),
        Err(refusal) => return refused(&refusal),
    };
    let body = match body::read_text(body, POST_BODY_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return with_cors(&door, &headers, error.response()),
    };
    let Some(Message::Request { id, method, params }) = rpc::parse_one(&body) else {
        return bad_request("Expected a JSON-RPC request");
    };
    let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: false }, Outbox::messages(), None).scoped(scope);
    peer.face = "btcp-http";
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
        Some(answer) if method == "tools/list" => json_text(words::bare_list(&answer).unwrap_or(answer)),
        Some(answer) => json_text(answer),
        None => (StatusCode::SERVICE_UNAVAILABLE, "the hub shuts down").into_response(),
    };
    with_cors(&door, &headers, response)
}

/// Params that are JSON text already.
struct RawParams<'a>(&'a str);

impl serde::Serialize for RawParams<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &serde_json::value::RawValue = serde_json::from_str(self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// Only a page's token may stand in the query: it joins, and allows nothing else.
fn admit(door: &Door, headers: &Head, side: Side, query_token: Option<&str>) -> Result<Admitted, Refusal> {
    let token = bearer(headers).or_else(|| query_token.filter(|_| side == Side::Page).map(str::to_owned));
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

fn origin_of(headers: &Head) -> Option<&str> {
    headers.get(header::ORIGIN).and_then(|value| value.to_str().ok())
}
