//! Agents where a `WebSocket` is blocked: `/agent` as a stream of events with POSTs, and as one POST that holds its answers.
//! Both carry what the `WebSocket` carries, as batches; they add nothing to it.

use crate::body;
use crate::carrier_events;
use crate::dialect::events::batches;
use crate::gate::Wants;
use crate::http::{Door, bearer, json_response, knock, refused};
use crate::http_btcp::{Visit, bad_request, json_text, with_cors};
use crate::hub::Hub;
use crate::outbox::{Outbox, Parcel};
use crate::peer::{Peer, Side, Signals, Voice};
use crate::session_id;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use eye_core::{Conn, Input};
use eye_protocol::batch::{self, Batches, Element};
use eye_protocol::limits::MESSAGE_BYTES_MAX;
use eye_protocol::line::Line;
use eye_protocol::messages::Hello;
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Code, Error, Frame};
use futures_util::stream;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;

/// What a request says of its agent; `hello` says the same and more.
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
        let said = agent.is_some() || page.is_some() || timeout.is_some();
        said.then(|| Box::new(Hello { agent, target: page, timeout, ..Hello::default() }))
    }
}

/// Opens a stream: each event is a batch. The first says the id under which its agent posts.
pub async fn events(State(door): State<Door>, headers: HeaderMap, Query(query): Query<AgentQuery>) -> Response {
    if let Err(refusal) = admit(&door, &headers) {
        return *refusal;
    }
    let client = session_id::fresh().to_string();
    let mut peer = batched();
    peer.client = Some(client.as_str().into());
    let mut response = carrier_events::serve(door.hub.clone(), peer, |hub, conn| {
        let params = serde_json::json!({ "clientId": client });
        hub.message(conn, &rpc::notification("connected", &params));
        hub.introduce(conn, query);
    });
    // What a widespread proxy takes for the wish that it hold nothing back.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    with_cors(&door, &headers, response)
}

/// Takes what an agent says: for its stream when it names one, else to be answered right here.
pub async fn message(
    State(door): State<Door>,
    headers: HeaderMap,
    Query(query): Query<AgentQuery>,
    body: Body,
) -> Response {
    if let Err(refusal) = admit(&door, &headers) {
        return *refusal;
    }
    let body = match body::read_text(body, MESSAGE_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return with_cors(&door, &headers, error.response()),
    };
    let response = match query.client_id.as_deref() {
        Some(client) => post_to_stream(&door.hub, client, &body),
        None => match Question::parse(&body) {
            Ok(question) => ask(&door, query, question).await,
            Err(why) => bad_request(why),
        },
    };
    with_cors(&door, &headers, response)
}

fn post_to_stream(hub: &Hub, client: &str, body: &str) -> Response {
    let Some(conn) = hub.find_client(client) else {
        let error = serde_json::json!({ "error": "no such stream", "hint": "open GET /agent first" });
        return (StatusCode::NOT_FOUND, json_response(&error)).into_response();
    };
    match hub.hear(conn, body) {
        Ok(()) => StatusCode::ACCEPTED.into_response(),
        Err(close) => bad_request(&close.reason),
    }
}

/// What one POST asks.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    /// One JSON-RPC request, to be answered as such.
    single: bool,
    /// What goes to the hub: batches.
    batches: Vec<String>,
    /// Answers that need no hub.
    refusals: Vec<String>,
    /// How many answers there will be.
    answers: usize,
}

impl Question {
    fn parse(body: &str) -> Result<Self, &'static str> {
        let single = body.trim_start().starts_with('{');
        let wrapped = if single { &*format!("[{body}]") } else { body };
        let Ok(elements) = batch::parse(wrapped) else {
            return Err("expected a JSON-RPC request, or a batch: a JSON array of at most 256 frames");
        };
        if single && !matches!(rpc::parse_one(body), Some(Message::Request { .. })) {
            return Err("expected a JSON-RPC request with an id");
        }
        let mut question = Self { single, batches: Vec::new(), refusals: Vec::new(), answers: 0 };
        let mut rest = Batches::default();
        for element in elements {
            let text = match &element {
                Element::Line(text) => text,
                Element::Rpc(json) => *json,
            };
            question.answers += answers_to(text);
            match (refusal_of(text), element) {
                (Some(refusal), _) => question.refusals.push(refusal),
                (None, Element::Line(text)) => rest.line(&text),
                (None, Element::Rpc(json)) => rest.rpc(json),
            }
        }
        let (bytes, ends) = rest.take();
        let mut start = 0;
        let cut = ends.into_iter().map(|end| &bytes[std::mem::replace(&mut start, end)..end]);
        question.batches.extend(cut.map(|batch| String::from_utf8_lossy(batch).into_owned()));
        Ok(question)
    }
}

/// How many answers a frame has.
pub(crate) fn answers_to(text: &str) -> usize {
    match Frame::parse(text) {
        None | Some(Frame::Line(Line::Fire { .. })) => 0,
        Some(Frame::Line(Line::Ask { .. }) | Frame::Compact(_)) => 1,
        Some(Frame::Rpc(messages)) => {
            messages.iter().filter(|m| matches!(m, Message::Request { .. } | Message::Invalid { .. })).count()
        }
    }
}

/// What goes on and on does not fit into one answer.
fn refusal_of(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Follow {
        #[serde(default)]
        follow: bool,
    }
    let Message::Request { id, method, params } = rpc::parse_one(text)? else { return None };
    let stream = match method.as_str() {
        "state/watch" | "topic/subscribe" => true,
        "page/logs" => serde_json::from_str(&params).is_ok_and(|Follow { follow }| follow),
        _ => false,
    };
    stream.then(|| {
        let error = Error::new(Code::REQUEST, format!("{method} goes on, and one POST has one answer"));
        rpc::response(&id, Err(&error.hint("use a WebSocket (/ws), or a stream of events (GET /agent)")))
    })
}

async fn ask(door: &Door, query: AgentQuery, question: Question) -> Response {
    let (conn, signals) = door.hub.enter(batched());
    let visit = Visit { hub: door.hub.clone(), conn };
    door.hub.introduce(conn, query);
    for refusal in &question.refusals {
        door.hub.message(conn, refusal);
    }
    for batch in &question.batches {
        if let Err(close) = door.hub.hear(conn, batch) {
            return bad_request(&close.reason);
        }
    }
    let mut asking = Asking { visit, signals, left: question.answers };
    if !question.single {
        // The head leaves at once: whoever posts in order need not wait for the answers.
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

/// One POST until it has its answers.
struct Asking {
    visit: Visit,
    signals: Arc<Signals>,
    left: usize,
}

impl Asking {
    /// What there is to tell; `None` when all is told.
    async fn next(&mut self) -> Option<Parcel> {
        if self.left == 0 {
            return None;
        }
        let (parcel, close) = tokio::select! {
            parcel = self.visit.hub.parcel(self.visit.conn, &self.signals) => parcel?,
            () = self.signals.end.notified() => return None,
        };
        let answers = elements(&parcel).iter().filter(|element| is_answer(element)).count();
        self.left = if close.is_some() { 0 } else { self.left.saturating_sub(answers) };
        Some(parcel)
    }
}

/// The frames of a parcel, as they stand in their batches; a line is a JSON string.
fn elements(parcel: &Parcel) -> Vec<String> {
    let mut start = 0;
    let messages = parcel.ends.iter().map(|&end| &parcel.bytes[std::mem::replace(&mut start, end)..end]);
    let read = |message| serde_json::from_slice::<Vec<Box<serde_json::value::RawValue>>>(message).unwrap_or_default();
    messages.flat_map(read).map(|raw| raw.get().to_owned()).collect()
}

/// Beside answers, an agent hears notifications.
pub(crate) fn is_answer(element: &str) -> bool {
    !matches!(rpc::parse_one(element), Some(Message::Notification { .. }))
}

fn batched() -> Peer {
    let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: false }, Outbox::batches(), None);
    peer.batched = true;
    peer
}

fn admit(door: &Door, headers: &HeaderMap) -> Result<(), Box<Response>> {
    let token = bearer(headers);
    let admitted = door.gate.admit(Wants::Agent, knock(headers, token.as_deref()));
    admitted.map(|_| ()).map_err(|refusal| Box::new(with_cors(door, headers, refused(&refusal))))
}

impl Hub {
    /// The agent whose stream has this id.
    fn find_client(&self, client: &str) -> Option<Conn> {
        let state = self.hold();
        let meant = |peer: &Peer| {
            let ours = peer.side == Side::Agent && matches!(peer.voice, Voice::Eye { .. });
            ours && peer.client.as_deref() == Some(client)
        };
        state.peers.iter().find(|(_, peer)| meant(peer)).map(|(conn, _)| *conn)
    }

    /// Takes what the query says of an agent.
    fn introduce(&self, conn: Conn, query: AgentQuery) {
        if let Some(hello) = query.hello() {
            self.feed(&mut self.hold(), Input::AgentHello { agent: conn, hello });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, params: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
    }

    #[test]
    fn a_question_knows_how_many_answers_it_has() {
        let ping = request("ping", "{}");
        for (body, want) in [
            (ping.clone(), 1),
            (format!("[{ping}]"), 1),
            (r#"["a:1",":x","x",""]"#.into(), 1),
            (r#"[{"jsonrpc":"2.0","method":"hello","params":{}},"a:1","b:2","{\"c\":\"x\"}"]"#.into(), 3),
            (r#"[{"jsonrpc":"2.0","id":1}]"#.into(), 1),
            ("[]".into(), 0),
        ] {
            assert_eq!(Question::parse(&body).map(|q| q.answers), Ok(want), "{body}");
        }
        for body in ["", "x", "[1]", "{}", r#"{"c":"x"}"#, r#"{"jsonrpc":"2.0","method":"hello"}"#] {
            assert!(Question::parse(body).is_err(), "{body}");
        }
    }

    #[test]
    fn streams_are_refused_and_the_rest_is_asked() {
        let follow = request("page/logs", r#"{"follow":true}"#);
        let body = format!(r#"["a:1",{},{},"b:2",{follow}]"#, request("state/watch", "{}"), request("page/logs", "{}"));
        let question = Question::parse(&body).unwrap();
        assert_eq!((question.refusals.len(), question.answers), (2, 5));
        assert_eq!(question.batches, [format!(r#"["a:1",{},"b:2"]"#, request("page/logs", "{}"))]);
        assert!(question.refusals[0].contains("WebSocket"));
        let question = Question::parse(&request("topic/subscribe", r#"{"topic":"x"}"#)).unwrap();
        assert_eq!((question.batches.len(), question.answers), (0, 1));
    }
}
