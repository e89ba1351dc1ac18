//! One open connection to an upstream: the requests that wait for responses, and the upstream's notifications and
//! requests. The bytes are handled in `child` and `http`.

use super::envelope::{self, Era, Incoming};
use super::http::HttpWire;
use super::listener::Listener;
use super::pipes::ChildWire;
use super::roots::ClientRoots;
use crate::context::{CallContext, Change, ChangeKind, NoticeSink, Question};
use crate::error::RpcError;
use crate::limits::{CALLS_MAX, GARBAGE_LINES_MAX, MESSAGE_BYTES_MAX};
use eye_protocol::{Code, Error};
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, broadcast, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

type Outcome = Result<Box<RawValue>, RpcError>;

/// How bytes are carried.
#[derive(Debug)]
pub enum Wire {
    /// A child's stdin and stdout.
    Child(ChildWire),
    /// POST requests and event streams.
    Http(Arc<HttpWire>),
}

pub(super) struct Waiting {
    answer: oneshot::Sender<Result<Outcome, Lost>>,
    progress: Option<NoticeSink>,
    token: Option<Box<RawValue>>,
    logs: Option<NoticeSink>,
    pub questions: Option<mpsc::Sender<Question>>,
    /// Unanswered questions of this call; its timeout is suspended meanwhile.
    pub asking: usize,
}

/// The connection ended before a response came.
#[derive(Clone, Debug)]
pub struct Lost {
    pub why: String,
    /// The request did not reach the server, so it may be sent again.
    pub unsent: bool,
}

/// Why a request failed.
#[derive(Debug)]
pub enum Failed {
    /// Not to be sent again.
    Rpc(RpcError),
    /// The connection is gone, and the server did not take the request.
    Unsent(String),
}

pub struct Connection {
    pub server: Box<str>,
    /// The instance number.
    instance: u64,
    /// The working folder of a server on this machine.
    pub(super) root: Option<PathBuf>,
    /// The roots of its clients.
    pub(super) roots: Arc<ClientRoots>,
    pub wire: Wire,
    calls: Mutex<HashMap<u64, Waiting>>,
    next_id: AtomicU64,
    era: OnceLock<Era>,
    ended: OnceLock<String>,
    /// Cancelled when the connection has ended, or must end.
    pub closed: CancellationToken,
    changes: broadcast::Sender<Change>,
    /// Notified when the upstream reports a changed list of tools.
    pub tools_changed: Notify,
    garbage_in_a_row: AtomicUsize,
    /// The upstream's last request that could not be passed on.
    pub(super) unbridged: Mutex<Option<String>>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).field("era", &self.era).finish_non_exhaustive()
    }
}

impl Connection {
    /// A connection over an open wire.
    pub fn new(
        server: &str,
        instance: u64,
        root: Option<PathBuf>,
        roots: Arc<ClientRoots>,
        wire: Wire,
        changes: broadcast::Sender<Change>,
    ) -> Self {
        Self {
            server: server.into(),
            instance,
            root,
            roots,
            wire,
            calls: Mutex::default(),
            next_id: AtomicU64::new(1),
            era: OnceLock::new(),
            ended: OnceLock::new(),
            closed: CancellationToken::new(),
            changes,
            tools_changed: Notify::new(),
            garbage_in_a_row: AtomicUsize::new(0),
            unbridged: Mutex::default(),
        }
    }

    /// The agreed era; legacy until the handshake is done.
    pub fn era(&self) -> Era {
        self.era.get().copied().unwrap_or(Era::Legacy)
    }

    /// Sets the era, once.
    pub fn set_era(&self, era: Era) {
        let _ = self.era.set(era);
        if let Wire::Http(wire) = &self.wire {
            wire.set_era(era);
        }
    }

    pub(super) fn calls(&self) -> MutexGuard<'_, HashMap<u64, Waiting>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection as a wire sees it.
    pub fn listener(self: &Arc<Self>) -> Arc<dyn Listener> {
        self.clone()
    }

    /// The number of calls in progress.
    pub fn pending(&self) -> usize {
        self.calls().len()
    }

    /// Sends a request and waits for the response, the timeout or a cancellation.
    pub async fn request(
        self: &Arc<Self>,
        method: &str,
        params: Option<Box<RawValue>>,
        context: &CallContext,
        timeout: Duration,
    ) -> Result<Box<RawValue>, Failed> {
        let era = self.era();
        self.request_in(era, method, params, context, timeout).await
    }

    /// Like [`Connection::request`], for the handshake, when no era is agreed yet.
    pub async fn request_in(
        self: &Arc<Self>,
        era: Era,
        method: &str,
        params: Option<Box<RawValue>>,
        context: &CallContext,
        timeout: Duration,
    ) -> Result<Box<RawValue>, Failed> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let bad = |error: serde_json::Error| Error::new(Code::PARAMS, format!("the params are no object: {error}"));
        let (params, opened) = envelope::prepared(params, id, context.progress.is_some(), era)
            .map_err(|error| Failed::Rpc(bad(error).into()))?;
        let text = envelope::request(id, method, params.as_deref());
        let (answer, mut answered) = oneshot::channel();
        let waiting = Waiting {
            answer,
            progress: context.progress.clone(),
            token: opened.token,
            logs: context.logs.clone(),
            questions: context.questions.clone(),
            asking: 0,
        };
        self.wait_for(id, waiting)?;
        let mut under_way = UnderWay { connection: self, id, era, method, ended: false };
        self.send(Some(id), era, method, params.as_deref(), text).map_err(|why| {
            under_way.ended = true;
            self.calls().remove(&id);
            Failed::Rpc(why)
        })?;
        let outcome = loop {
            tokio::select! {
                biased;
                outcome = &mut answered => break outcome,
                () = context.cancelled.cancelled() => {
                    let error = Error::new(Code::CANCELLED, format!("the call of {} was cancelled", self.server));
                    return Err(Failed::Rpc(error.into()));
                }
                // The timeout is suspended while the caller answers a question.
                () = tokio::time::sleep(timeout) => if !self.is_asking(id) {
                    return Err(Failed::Rpc(self.too_late(method, timeout).into()));
                },
            }
        };
        under_way.ended = true;
        match outcome {
            Ok(Ok(outcome)) => outcome.map_err(Failed::Rpc),
            Ok(Err(lost)) if lost.unsent => Err(Failed::Unsent(lost.why)),
            Ok(Err(lost)) => Err(Failed::Rpc(self.gone(&lost.why).into())),
            Err(_) => Err(Failed::Rpc(self.gone(self.why_ended()).into())),
        }
    }

    fn wait_for(&self, id: u64, waiting: Waiting) -> Result<(), Failed> {
        let mut calls = self.calls();
        if self.ended.get().is_some() {
            return Err(Failed::Unsent(self.why_ended().to_owned()));
        }
        if calls.len() >= CALLS_MAX {
            let message = format!("{CALLS_MAX} calls of {} are already under way", self.server);
            return Err(Failed::Rpc(Error::new(Code::CONNECTION, message).hint("wait for some of them to end").into()));
        }
        calls.insert(id, waiting);
        Ok(())
    }

    pub(super) fn send(
        self: &Arc<Self>,
        id: Option<u64>,
        era: Era,
        method: &str,
        params: Option<&RawValue>,
        text: String,
    ) -> Result<(), RpcError> {
        match &self.wire {
            Wire::Child(wire) => {
                if wire.outbox.push(text) {
                    return Ok(());
                }
                let message = format!("{} does not read what it is sent", self.server);
                Err(Error::new(Code::CONNECTION, message).hint("look at the server; it may hang").into())
            }
            Wire::Http(wire) => {
                wire.post(self.listener(), id, era, method, params, text);
                Ok(())
            }
        }
    }

    /// Sends a notification.
    pub fn notify(self: &Arc<Self>, method: &str, params: &serde_json::Value) {
        let text = envelope::notification(method, params);
        // A child that does not read is noticed by its next call.
        let _ = self.send(None, self.era(), method, None, text);
    }

    fn answer(&self, id: u64, outcome: Result<Outcome, Lost>) {
        // A late response has no waiter: its caller already got an error.
        if let Some(waiting) = self.calls().remove(&id) {
            let _ = waiting.answer.send(outcome);
        }
    }

    fn notified(&self, method: &str, params: Option<&RawValue>, about: Option<u64>) {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Known {
            #[serde(default)]
            progress_token: Option<u64>,
            #[serde(default)]
            uri: Option<String>,
        }
        let known = || params.and_then(|params| serde_json::from_str::<Known>(params.get()).ok());
        match method {
            "notifications/progress" => {
                let (Some(params), Some(id)) = (params, known().and_then(|known| known.progress_token)) else { return };
                let sink = {
                    let calls = self.calls();
                    let waiting = calls.get(&id);
                    waiting.and_then(|waiting| Some((waiting.progress.clone()?, waiting.token.clone())))
                };
                if let Some((sink, token)) = sink {
                    sink.tell(envelope::progress_for_caller(params, token.as_deref()));
                }
            }
            "notifications/tools/list_changed" => self.tools_changed.notify_one(),
            "notifications/resources/list_changed" => self.tell(ChangeKind::Resources),
            "notifications/prompts/list_changed" => self.tell(ChangeKind::Prompts),
            "notifications/resources/updated" => {
                if let Some(uri) = known().and_then(|known| known.uri) {
                    self.tell(ChangeKind::Resource(uri.into()));
                }
            }
            "notifications/message" => {
                let Some(params) = params else { return };
                // Messages on a shared pipe do not name their call, so every waiting call gets them.
                let with_notices = |(id, waiting): (&u64, &Waiting)| {
                    waiting.logs.clone().filter(|_| about.is_none_or(|about| about == *id))
                };
                let sinks: Vec<NoticeSink> = self.calls().iter().filter_map(with_notices).collect();
                for sink in sinks {
                    sink.tell(params.to_owned());
                }
            }
            // Unknown notifications are ignored.
            _ => {}
        }
    }

    fn tell(&self, kind: ChangeKind) {
        // There may be no listener.
        let _ = self.changes.send(Change { server: self.server.clone(), kind, of: self.instance });
    }

    fn too_late(&self, method: &str, timeout: Duration) -> Error {
        let message = format!("{} did not answer {method} within {} s", self.server, timeout.as_secs_f64());
        match self.unbridged() {
            Some(unbridged) => Error::new(
                Code::TIMEOUT,
                format!("{message}; it asked for {unbridged}, which cannot be passed on to this agent"),
            ),
            None => Error::new(Code::TIMEOUT, message),
        }
        .hint("raise its `timeout` in the config if it needs longer")
    }

    fn gone(&self, why: &str) -> Error {
        Error::new(Code::CONNECTION, format!("{} went away before it answered: {why}", self.server))
            .hint("look before you call again: it may have done what it was asked")
    }

    pub fn why_ended(&self) -> &str {
        self.ended.get().map_or("it was closed", String::as_str)
    }

    pub fn has_ended(&self) -> bool {
        self.closed.is_cancelled()
    }
}

impl Listener for Connection {
    fn server(&self) -> &str {
        &self.server
    }

    fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    fn waits_for(&self, id: u64) -> bool {
        self.calls().contains_key(&id)
    }

    fn received(self: Arc<Self>, messages: Vec<Incoming>, about: Option<u64>) {
        for message in messages {
            if !matches!(message, Incoming::Garbage) {
                self.garbage_in_a_row.store(0, Ordering::Relaxed);
            }
            match message {
                Incoming::Response { id: Some(id), outcome } => self.answer(id, Ok(outcome)),
                // Without an id, the response belongs to no call that we know.
                Incoming::Response { id: None, .. } => {}
                Incoming::Notification { method, params } => self.notified(&method, params.as_deref(), about),
                Incoming::Request { id, method, params } => self.requested(id, &method, params, about),
                Incoming::Garbage => {
                    if self.garbage_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= GARBAGE_LINES_MAX {
                        self.end(&format!("it wrote {GARBAGE_LINES_MAX} lines in a row that are no JSON-RPC"));
                    }
                }
            }
        }
    }

    fn fail(&self, id: u64, error: RpcError) {
        self.answer(id, Ok(Err(error)));
    }

    fn fail_unsent(&self, id: u64, why: &str) {
        self.answer(id, Err(Lost { why: why.to_owned(), unsent: true }));
    }

    fn passed_over(&self, head: &[u8], tail: &[u8]) {
        let message = format!("{} sent a message of more than {} MiB", self.server, MESSAGE_BYTES_MAX >> 20);
        let error: RpcError = Error::new(Code::INTERNAL, message).hint("ask for less, or for a part of it").into();
        let whose = envelope::id_in_ends(head, tail).filter(|id| self.calls().contains_key(id));
        // If the lost response's call is unknown, all calls fail now, so that none waits forever.
        let lost: Vec<u64> = whose.map_or_else(|| self.calls().keys().copied().collect(), |id| vec![id]);
        for id in lost {
            self.fail(id, error.clone());
        }
    }

    fn end(&self, why: &str) {
        let _ = self.ended.set(why.to_owned());
        self.closed.cancel();
        let all: Vec<Waiting> = self.calls().drain().map(|(_, waiting)| waiting).collect();
        for waiting in all {
            let _ = waiting.answer.send(Err(Lost { why: self.why_ended().to_owned(), unsent: false }));
        }
    }
}

/// Guards a call: if it ends early, by timeout, cancellation or drop, the upstream is notified.
struct UnderWay<'a> {
    connection: &'a Arc<Connection>,
    id: u64,
    era: Era,
    method: &'a str,
    ended: bool,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if self.ended || self.connection.calls().remove(&self.id).is_none() {
            return;
        }
        if let Wire::Http(wire) = &self.connection.wire {
            wire.abort(self.id);
            if self.era == Era::Modern {
                return;
            }
        }
        // MCP forbids cancelling the handshake; giving up on it closes the connection instead.
        if self.method != "initialize" {
            let params = json!({ "requestId": self.id, "reason": "the caller no longer waits" });
            self.connection.notify("notifications/cancelled", &params);
        }
    }
}
