//! Agents for networks that block `WebSocket`s: `/agent` as an event stream with POSTs, and as one POST whose response
//! holds the answers. Both carry the same batches as the `WebSocket` and add nothing.

use super::body;
use super::door::{Door, Head, bad_request, bearer, json_response, json_text, knock, refused, with_cors};
use crate::gate::Wants;
use crate::hub::peer::{Peer, Side, Voice};
use crate::hub::session_id;
use crate::hub::state::Hub;
use crate::transport::events::{self as event_stream, batches};
use crate::transport::post::{Asking, Question, Visit, batched, elements};
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use eye_core::{Conn, Input};
use eye_protocol::frame::is_answer;
use eye_protocol::limits::MESSAGE_BYTES_MAX;
use eye_protocol::messages::Hello;
use eye_protocol::rpc;
use eye_protocol::scope::Scope;
use futures_util::stream;
use serde::Deserialize;
use std::convert::Infallible;

/// The agent's properties in the query; a `hello` can set the same and more.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentQuery {
    client_id: Option<String>,
    agent: Option<String>,
    page: Option<String>,
    timeout: Option<u64>,
}

impl AgentQuery {
    fn hello(self) -> Option<Box<Hello>> {
        let Self { agent, page, timeout, .. } = self;
        let any = agent.is_some() || page.is_some() || timeout.is_some();
        any.then(|| Box::new(Hello { agent, target: page, timeout, ..Hello::default() }))
    }
}

/// Opens a stream: each event is a batch. The first one contains the client id for the agent's POSTs.
pub async fn events(State(door): State<Door>, headers: Head, Query(query): Query<AgentQuery>) -> Response {
    let scope = match admit(&door, &headers) {
        Ok(scope) => scope,
        Err(refusal) => return *refusal,
    };
    let client = session_id::fresh().to_string();
    let mut peer = batched().scoped(scope);
    peer.client = Some(client.as_str().into());
    let mut response = event_stream::serve(door.hub.clone(), peer, |hub, conn| {
        let params = serde_json::json!({ "clientId": client });
        hub.message(conn, &rpc::notification("connected", &params));
        hub.introduce(conn, query);
    });
    // A widespread proxy buffers responses unless this header is present.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    with_cors(&door, &headers, response)
}

/// Handles an agent's POST: for its stream if it names one, else answered in the response.
pub async fn message(State(door): State<Door>, headers: Head, Query(query): Query<AgentQuery>, body: Body) -> Response {
    let scope = match admit(&door, &headers) {
        Ok(scope) => scope,
        Err(refusal) => return *refusal,
    };
    // Nothing more of this agent is read while its earlier messages are being handled.
    if let Some(conn) = query.client_id.as_deref().and_then(|client| door.hub.find_client(client, &scope)) {
        door.hub.ready_to_receive(conn).await;
    }
    let body = match body::read_text(body, MESSAGE_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return with_cors(&door, &headers, error.response()),
    };
    let response = match query.client_id.as_deref() {
        Some(client) => post_to_stream(&door.hub, client, &scope, body).await,
        None => match Question::parse(&body) {
            Ok(question) => ask(&door, query, scope, question).await,
            Err(why) => bad_request(why),
        },
    };
    with_cors(&door, &headers, response)
}

async fn post_to_stream(hub: &Hub, client: &str, scope: &Scope, body: String) -> Response {
    let Some(conn) = hub.find_client(client, scope) else {
        let error = serde_json::json!({ "error": "no such stream", "hint": "open GET /agent first" });
        return (StatusCode::NOT_FOUND, json_response(&error)).into_response();
    };
    hub.ready_to_receive(conn).await;
    match hub.receive_any(conn, body).await {
        Ok(()) => StatusCode::ACCEPTED.into_response(),
        Err(close) => bad_request(&close.reason),
    }
}

async fn ask(door: &Door, query: AgentQuery, scope: Scope, question: Question) -> Response {
    let (conn, signals) = door.hub.enter(batched().scoped(scope));
    let visit = Visit { hub: door.hub.clone(), conn };
    door.hub.introduce(conn, query);
    for refusal in &question.refusals {
        door.hub.message(conn, refusal);
    }
    for batch in question.batches {
        door.hub.ready(conn, &signals).await;
        if let Err(close) = door.hub.receive_any(conn, batch).await {
            return bad_request(&close.reason);
        }
    }
    let mut asking = Asking { visit, signals, left: question.answers };
    if !question.single {
        // The head is sent at once, so that a client which posts in order need not wait for the answers.
        let lines = stream::unfold(asking, |mut asking| async move {
            let parcel = asking.next().await?;
            Some((Ok::<_, Infallible>(Bytes::from(batches("", "\n", &parcel))), asking))
        });
        let kind = [
            (header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ];
        return (kind, Body::from_stream(lines)).into_response();
    }
    while let Some(parcel) = asking.next().await {
        if let Some(answer) = elements(&parcel).into_iter().find(|element| is_answer(element)) {
            return json_text(answer);
        }
    }
    (StatusCode::SERVICE_UNAVAILABLE, "the hub shuts down").into_response()
}

fn admit(door: &Door, headers: &Head) -> Result<Scope, Box<Response>> {
    let token = bearer(headers);
    let admitted = door.gate.admit(Wants::Agent, knock(headers, token.as_deref()));
    admitted.map(|admitted| admitted.scope()).map_err(|refusal| Box::new(with_cors(door, headers, refused(&refusal))))
}

impl Hub {
    /// The agent whose stream has this client id.
    fn find_client(&self, client: &str, scope: &Scope) -> Option<Conn> {
        let state = self.hold();
        let meant = |peer: &Peer| {
            let ours = peer.side == Side::Agent && matches!(peer.voice, Voice::Eye { .. });
            ours && peer.client.as_deref() == Some(client) && peer.scope == *scope
        };
        state.peers.entries().find(|(_, peer)| meant(peer)).map(|(conn, _)| *conn)
    }

    /// Applies the agent's properties from the query.
    fn introduce(&self, conn: Conn, query: AgentQuery) {
        if let Some(hello) = query.hello() {
            self.feed(&mut self.hold(), Input::AgentHello { agent: conn, hello });
        }
    }
}
