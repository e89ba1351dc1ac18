//! 2025-11-25 and older over HTTP: sessions that begin with `initialize`, and streams that outlive their connections.

use super::events::{Reading, reading};
use super::reply::{Body, EVENTS, VERSION, accepts, empty, json_body, plain_error, rpc_error, text};
use crate::face::call::{Call, Outgoing, Outlet, is_news_of_roots};
use crate::face::client::{Client, Newcomer};
use crate::face::era::{BATCHES, Era, Meta, PRIMED_FROM};
use crate::face::faces::Face;
use crate::face::limits::{APART, BATCH_LEN_MAX, OUTLET_LEN_MAX};
use crate::face::message::{Incoming, Message, Request, response};
use crate::face::methods;
use crate::face::sessions::Session;
use eye_protocol::{Code, Error};
use futures_util::future::{AbortHandle, Abortable, join_all};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::mpsc;

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";
/// How soon a client reconnects after a stream was paused, in milliseconds.
const RETRY_MS: u64 = 500;

/// Answers a message or a batch.
pub async fn post(face: &Face, headers: &HeaderMap, incoming: Incoming, newcomer: Newcomer) -> Response<Body> {
    if let Incoming::One(Message::Invalid { id, error }) = incoming {
        return rpc_error(StatusCode::BAD_REQUEST, &id, &error.into());
    }
    if let Incoming::One(Message::Request(request)) = &incoming
        && request.method == "initialize"
    {
        return initialize(face, request.clone(), newcomer).await;
    }
    let session = match session_of(face, headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    match incoming {
        Incoming::One(Message::Request(request)) => answer(face, &session, request).await,
        Incoming::One(Message::Notification { method, params }) => {
            notified(&session, &method, params.as_deref());
            empty(StatusCode::ACCEPTED)
        }
        Incoming::One(message) => {
            session.client.receive(message);
            empty(StatusCode::ACCEPTED)
        }
        Incoming::Batch(all) => batch(face, &session, all).await,
    }
}

async fn initialize(face: &Face, request: Request, newcomer: Newcomer) -> Response<Body> {
    let id = request.id.get().to_owned();
    let Some(client) = face.client(newcomer) else {
        let error = Error::new(Code::CONNECTION, "the hub shuts down");
        return rpc_error(StatusCode::SERVICE_UNAVAILABLE, &id, &error.into());
    };
    let (sender, _nothing) = mpsc::channel(1);
    let outcome = methods::answer(&call(face, client.clone(), request, Outlet(sender))).await;
    let begun = outcome.is_ok();
    let mut answer = json_body(StatusCode::OK, response(&id, outcome.as_deref()));
    if begun {
        let session = face.sessions().begin(client);
        if let Ok(value) = HeaderValue::from_str(&session.id) {
            answer.headers_mut().insert(SESSION, value);
        }
    }
    answer
}

fn call(face: &Face, client: Arc<Client>, request: Request, outlet: Outlet) -> Call {
    let meta = Meta::of(request.params.as_deref());
    Call { client, provider: face.provider(), era: Era::Legacy, request, meta, outlet }
}

fn session_of(face: &Face, headers: &HeaderMap) -> Result<Arc<Session>, Box<Response<Body>>> {
    if let Some(version) = text(headers, VERSION).filter(|version| !methods::is_known_version(version)) {
        return Err(Box::new(plain_error(StatusCode::BAD_REQUEST, &format!("revision {version} is not served here"))));
    }
    let Some(id) = text(headers, SESSION) else {
        let error = Error::new(Code::REQUEST, "Mcp-Session-Id is missing").hint("begin with initialize");
        return Err(Box::new(rpc_error(StatusCode::BAD_REQUEST, "null", &error.into())));
    };
    face.sessions().get(id).ok_or_else(|| {
        let error = Error::new(Code::CONNECTION, "Session not found").hint("begin again with initialize");
        Box::new(rpc_error(StatusCode::NOT_FOUND, "null", &error.into()))
    })
}

type Answering = Pin<Box<dyn Future<Output = String> + Send>>;

/// Answers a request: as plain JSON if no message comes before the response, else as a stream.
async fn answer(face: &Face, session: &Arc<Session>, request: Request) -> Response<Body> {
    let (sender, mut outgoing) = mpsc::channel(OUTLET_LEN_MAX);
    let id = request.id.get().to_owned();
    let (handle, registration) = AbortHandle::new_pair();
    let cancel = session.under_way(&id, handle);
    let call = call(face, session.client.clone(), request, Outlet(sender));
    let mut work: Answering = Box::pin(async move {
        let _cancel = cancel;
        match Abortable::new(methods::answer(&call), registration).await {
            Ok(outcome) => response(&id, outcome.as_deref()),
            Err(_) => response(&id, Err(&Error::new(Code::CANCELLED, "cancelled by the client").into())),
        }
    });
    tokio::select! {
        biased;
        text = &mut work => match outgoing.try_recv() {
            Ok(first) => stream(session, first, outgoing, Box::pin(std::future::ready(text))),
            Err(_) => json_body(StatusCode::OK, text),
        },
        Some(first) = outgoing.recv() => stream(session, first, outgoing, work),
    }
}

/// From here on the request runs independently of the connection.
fn stream(
    session: &Arc<Session>,
    first: Outgoing,
    mut outgoing: mpsc::Receiver<Outgoing>,
    mut work: Answering,
) -> Response<Body> {
    let log = session.open_stream();
    let primed = session.client.agreed().is_some_and(|agreed| agreed.version >= PRIMED_FROM);
    let retry_ms = primed.then_some(RETRY_MS);
    if primed {
        log.push("");
    }
    let body = reading(Reading { log: log.clone(), from: Some(0), retry_ms, ended: session.ended.clone() });
    let ended = session.ended.clone();
    let write = {
        let log = log.clone();
        move |message| match message {
            Outgoing::Message(text) => log.push(&text),
            Outgoing::Pause => log.pause(),
        }
    };
    write(first);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                biased;
                Some(message) = outgoing.recv() => write(message),
                text = &mut work => {
                    while let Ok(message) = outgoing.try_recv() {
                        write(message);
                    }
                    tokio::time::sleep(APART).await;
                    write(Outgoing::Message(text));
                    break;
                }
                () = ended.cancelled() => break,
            }
        }
        log.end();
    });
    body
}

fn notified(session: &Session, method: &str, params: Option<&RawValue>) {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled {
        request_id: Box<RawValue>,
    }
    if method == "notifications/cancelled"
        && let Some(Ok(cancelled)) = params.map(|raw| serde_json::from_str::<Cancelled>(raw.get()))
    {
        session.cancel(cancelled.request_id.get());
    }
    if is_news_of_roots(method) {
        session.learn_roots();
    }
}

async fn batch(face: &Face, session: &Arc<Session>, all: Vec<Message>) -> Response<Body> {
    let known = session.client.agreed().is_some_and(|agreed| agreed.version == BATCHES);
    if !known {
        return plain_error(StatusCode::BAD_REQUEST, "this revision has no batches");
    }
    if all.len() > BATCH_LEN_MAX {
        return plain_error(StatusCode::BAD_REQUEST, &format!("a batch holds at most {BATCH_LEN_MAX} messages"));
    }
    let (sender, mut outgoing) = mpsc::channel(OUTLET_LEN_MAX);
    let mut calls = Vec::new();
    let mut texts = Vec::new();
    for message in all {
        match message {
            Message::Request(request) => {
                calls.push(call(face, session.client.clone(), request, Outlet(sender.clone())));
            }
            Message::Notification { method, params } => notified(session, &method, params.as_deref()),
            message @ Message::Response { .. } => session.client.receive(message),
            Message::Invalid { id, error } => texts.push(response(&id, Err(&error.into()))),
        }
    }
    drop(sender);
    if calls.is_empty() && texts.is_empty() {
        return empty(StatusCode::ACCEPTED);
    }
    let mut work: Answering = Box::pin(async move {
        let one = async |call: &Call| response(call.request.id.get(), methods::answer(call).await.as_deref());
        texts.extend(join_all(calls.iter().map(one)).await);
        format!("[{}]", texts.join(","))
    });
    tokio::select! {
        biased;
        text = &mut work => json_body(StatusCode::OK, text),
        Some(first) = outgoing.recv() => stream(session, first, outgoing, work),
    }
}

/// The stream of notifications, or the rest of a stream that broke off.
pub fn get(face: &Face, headers: &HeaderMap) -> Response<Body> {
    if !accepts(headers, EVENTS) {
        return plain_error(StatusCode::NOT_ACCEPTABLE, "accept text/event-stream");
    }
    let session = match session_of(face, headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    let ended = session.ended.clone();
    if let Some(last) = text(headers, LAST_EVENT) {
        return match session.resume(last) {
            Some((log, from)) => reading(Reading { log, from: Some(from), retry_ms: None, ended }),
            None => plain_error(StatusCode::BAD_REQUEST, &format!("no stream has the event {last}")),
        };
    }
    session.listen();
    reading(Reading { log: session.own.clone(), from: None, retry_ms: None, ended })
}

pub fn delete(face: &Face, headers: &HeaderMap) -> Response<Body> {
    match session_of(face, headers) {
        Ok(session) => {
            face.sessions().end(&session.id);
            session.ended.cancel();
            empty(StatusCode::NO_CONTENT)
        }
        Err(refusal) => *refusal,
    }
}
