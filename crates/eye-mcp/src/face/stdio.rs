//! MCP over a byte stream: the shim `eye mcp` pipes its client's stdio here, or hands the files over. One task per
//! connection reads, works and writes concurrently, so that no call waits for another and answers need no task switch.

use super::call::{Call, Outgoing, Outlet, Provider, is_news_of_roots, learn_roots};
use super::client::{Client, Newcomer};
use super::era::{BATCHES, Era, LEGACY, Meta};
use super::faces::Face;
use super::held::Waiting;
use super::limits::{BATCH_LEN_MAX, OUTBOX_BYTES_MAX, OUTLET_LEN_MAX, REQUESTS_MAX};
use super::message::{self, Incoming, Message, Request, response};
use super::offers::Change;
use super::unread::Unread;
use super::{methods, pump};
use crate::config::Config;
use crate::{Project, RpcError};
use eye_platform::local::AsyncStream;
use eye_protocol::limits::{MESSAGE_BYTES_MAX, SHUTDOWN_MS};
use eye_protocol::local::{Identity, Later};
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Error};
use futures_util::StreamExt;
use futures_util::future::{AbortHandle, Abortable, Aborted, join_all};
use futures_util::stream::FuturesUnordered;
use memchr::memchr;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::mpsc;
use tokio::time::timeout;

const READ_BYTES: usize = 16 << 10;

/// The first message of a shim, about its client.
#[derive(Clone, Debug, Default, Deserialize, serde::Serialize)]
#[serde(default)]
pub struct Announcement {
    /// The client's working folder.
    pub cwd: Option<PathBuf>,
    pub env: BTreeMap<String, String>,
    /// The agent's name, the same across connections.
    pub agent: Option<String>,
    /// The page for requests that name none.
    pub page: Option<String>,
    /// The token with the client's rights; the hub reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Whether `tools/list` lists every tool.
    pub full: bool,
    /// Whether the client did its handshake with an earlier hub.
    pub again: bool,
    /// Whether the shim offers to hand over its files instead of piping.
    pub hands_over: bool,
    /// Servers from the client's command line.
    pub overrides: Config,
}

type Work = Pin<Box<dyn Future<Output = Done> + Send>>;

/// Which side ended a connection.
enum Over {
    Client,
    Hub,
}

/// What seldom happens beside the calls of a connection. It is polled only when something of it woke.
enum Seldom {
    Changed(Change, broadcast::Receiver<Change>),
    /// The hub ends the connection, with an error for the requests in progress where there is one to tell.
    Ended(Option<Error>),
}

/// Resolves when the hub ends a connection.
fn end(client: &Client) -> Later<'_, Seldom> {
    Box::pin(async {
        tokio::select! {
            biased;
            error = client.link.ended() => Seldom::Ended(Some(error)),
            () = client.pump() => Seldom::Ended(None),
            () = client.shared.closing().cancelled() => {
                Seldom::Ended(Some(Error::new(Code::CONNECTION, "the hub shuts down").hint("ask again")))
            }
        }
    })
}

/// Resolves with the next change. One that was missed is followed by others.
fn next_change<'a>(mut changes: broadcast::Receiver<Change>) -> Later<'a, Seldom> {
    Box::pin(async move {
        loop {
            match changes.recv().await {
                Ok(change) => return Seldom::Changed(change, changes),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    })
}

/// A finished call: its id, and the text to write, if any.
struct Done {
    id: Option<Box<str>>,
    text: Option<String>,
}

impl Face {
    /// Serves one connection until either side ends it. `rest` was already read from it.
    pub async fn stream(&self, announcement: &str, scope: Scope, rest: Vec<u8>, mut socket: AsyncStream) {
        let announcement: Announcement = serde_json::from_str(announcement).unwrap_or_default();
        #[cfg(target_os = "linux")]
        let hands_over = announcement.hands_over;
        let Announcement { cwd, env, agent, page, full, again, overrides, .. } = announcement;
        let project = cwd.map(|cwd| Project { cwd, env });
        let newcomer = Newcomer { who: Identity { name: agent, page, scope }, project, full, overrides };
        let Some(client) = self.client(newcomer) else { return };
        if again {
            client.agree(LEGACY[0], serde_json::Value::Null);
        }
        let (sender, outgoing) = mpsc::channel(OUTLET_LEN_MAX);
        let connection = Connection {
            client,
            provider: self.provider(),
            outlet: Outlet(sender),
            input: rest,
            out: Vec::new(),
            works: FuturesUnordered::new(),
            under_way: HashMap::new(),
            listening: Vec::new(),
        };
        #[cfg(target_os = "linux")]
        if hands_over {
            return connection.serve_files(socket, outgoing).await;
        }
        let (reader, writer) = socket.split();
        connection.serve(reader, writer, Unread::default(), outgoing).await;
    }
}

#[cfg(target_os = "linux")]
impl Connection {
    /// Serves the files that a shim hands over.
    async fn serve_files(self, mut socket: AsyncStream, outgoing: mpsc::Receiver<Outgoing>) {
        use super::handover;
        // The shim checked its files before. If taking them fails all the same, the closed connection tells the shim.
        let Ok((reader, writer, unread)) = handover::take(&socket).await else { return };
        tokio::select! {
            over = self.serve(reader, writer, unread, outgoing) => if matches!(over, Over::Client) {
                let _ = socket.write_all(handover::DONE).await;
            },
            // The client ended the shim.
            () = closed(&socket) => {}
        }
    }
}

/// Returns when the shim is gone, which sends nothing any more.
#[cfg(target_os = "linux")]
async fn closed(socket: &AsyncStream) {
    let mut byte = [0];
    while socket.readable().await.is_ok() {
        match socket.try_read(&mut byte) {
            Ok(count) if count > 0 => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Ok(_) | Err(_) => return,
        }
    }
}

struct Connection {
    client: Arc<Client>,
    provider: Option<Arc<dyn Provider>>,
    outlet: Outlet,
    input: Vec<u8>,
    out: Vec<u8>,
    works: FuturesUnordered<Work>,
    under_way: HashMap<Box<str>, AbortHandle>,
    /// Tasks that do not end by themselves.
    listening: Vec<AbortHandle>,
}

impl Connection {
    async fn serve(
        mut self,
        mut reader: impl AsyncRead + Unpin,
        mut writer: impl AsyncWrite + Unpin,
        unread: Unread,
        mut outgoing: mpsc::Receiver<Outgoing>,
    ) -> Over {
        let client = self.client.clone();
        let mut seldom = FuturesUnordered::from_iter([end(&client), next_change(client.changes())]);
        let mut open = true;
        // Results that are delayed until the client has read the messages before them.
        let mut held = Waiting::new(unread);
        if self.take_lines().is_err() {
            return Over::Hub;
        }
        // A client that closed its side still gets its answers.
        while open || !self.works.is_empty() || !self.out.is_empty() || !held.is_empty() {
            if self.out.len() > OUTBOX_BYTES_MAX {
                return Over::Hub;
            }
            self.input.reserve(READ_BYTES);
            tokio::select! {
                biased;
                written = writer.write(&self.out), if !self.out.is_empty() => match written {
                    Ok(count) if count > 0 => { self.out.drain(..count); }
                    Ok(_) | Err(_) => return Over::Client,
                },
                Some(done) = self.works.next(), if !self.works.is_empty() => {
                    // Messages of a request are written before its answer.
                    while let Ok(message) = outgoing.try_recv() {
                        self.write(message);
                        held.note_written();
                    }
                    if let Some(id) = done.id {
                        self.under_way.remove(&id);
                    }
                    if let Some(text) = done.text {
                        let ping = (held.wants_ping() && client.agreed().is_some()).then(|| client.ask());
                        if let Some(text) = held.take(text, ping) {
                            self.write(Outgoing::Message(text));
                        }
                    }
                }
                answered = held.released(), if !held.is_empty() => {
                    if let Some((text, unanswered)) = held.next(answered) {
                        if let Some(id) = unanswered {
                            client.forget(id);
                        }
                        self.write(Outgoing::Message(text));
                    }
                }
                Some(message) = outgoing.recv() => {
                    self.write(message);
                    held.note_written();
                }
                read = reader.read_buf(&mut self.input), if open => match read {
                    Ok(count) if count > 0 => if self.take_lines().is_err() { return Over::Hub },
                    Ok(_) => {
                        open = false;
                        held.hurry();
                        self.listening.drain(..).for_each(|handle| handle.abort());
                    }
                    Err(_) => return Over::Client,
                },
                Some(event) = seldom.next() => match event {
                    Seldom::Changed(change, changes) => {
                        if client.agreed().is_some() && let Some(text) = pump::to_legacy(&client, &change) {
                            self.write(Outgoing::Message(text));
                        }
                        seldom.push(next_change(changes));
                    }
                    Seldom::Ended(Some(error)) => {
                        self.write_farewell(error);
                        // A client that does not read now is not waited for any longer.
                        let _ = timeout(Duration::from_millis(SHUTDOWN_MS), writer.write_all(&self.out)).await;
                        return Over::Hub;
                    }
                    Seldom::Ended(None) => return Over::Hub,
                },
            }
        }
        Over::Client
    }

    /// Answers all requests in progress with this error, so that no client waits for an answer that will not come.
    fn write_farewell(&mut self, error: Error) {
        let error = error.into();
        let ids: Vec<Box<str>> = self.under_way.drain().map(|(id, _)| id).collect();
        for id in ids {
            self.write(Outgoing::Message(response(&id, Err(&error))));
        }
    }

    fn write(&mut self, message: Outgoing) {
        match message {
            Outgoing::Message(text) => {
                self.out.extend_from_slice(text.as_bytes());
                self.out.push(b'\n');
            }
            Outgoing::Pause => {}
        }
    }

    /// Processes every whole line. Fails if a line is over the limit, which ends the connection.
    fn take_lines(&mut self) -> Result<(), Error> {
        let mut start = 0;
        let input = std::mem::take(&mut self.input);
        while let Some(length) = memchr(b'\n', &input[start..]) {
            let line = input[start..start + length].trim_ascii();
            start += length + 1;
            if !line.is_empty() {
                self.take(message::parse(line));
            }
        }
        self.input = input;
        self.input.drain(..start);
        if self.input.len() > MESSAGE_BYTES_MAX {
            return Err(Error::new(Code::PARSE, "a line is over the limit"));
        }
        Ok(())
    }

    fn take(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::One(message) => self.take_one(message),
            Incoming::Batch(all) => self.take_batch(all),
        }
    }

    fn take_one(&mut self, message: Message) {
        match message {
            Message::Request(request) => {
                if self.works.len() >= REQUESTS_MAX {
                    let error = Error::new(Code::CONNECTION, format!("{REQUESTS_MAX} requests are under way"));
                    let text = response(request.id.get(), Err(&error.hint("wait for some of them").into()));
                    return self.write(Outgoing::Message(text));
                }
                let id: Box<str> = request.id.get().into();
                let (handle, registration) = AbortHandle::new_pair();
                if request.method == "subscriptions/listen" {
                    self.listening.retain(|handle| !handle.is_aborted());
                    self.listening.push(handle.clone());
                }
                self.under_way.insert(id.clone(), handle);
                let call = self.call(request);
                self.works.push(Box::pin(async move {
                    match Abortable::new(respond(&call), registration).await {
                        Ok(text) => Done { id: Some(id), text: Some(text) },
                        // A cancelled request gets no response.
                        Err(Aborted) => Done { id: None, text: None },
                    }
                }));
            }
            Message::Notification { method, params } if method == "notifications/cancelled" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Cancelled {
                    request_id: Box<RawValue>,
                }
                let cancelled = params.and_then(|raw| serde_json::from_str::<Cancelled>(raw.get()).ok());
                if let Some(handle) = cancelled.and_then(|one| self.under_way.remove(one.request_id.get())) {
                    handle.abort();
                }
            }
            Message::Notification { method, .. } if is_news_of_roots(&method) => {
                let (handle, registration) = AbortHandle::new_pair();
                self.listening.retain(|handle| !handle.is_aborted());
                self.listening.push(handle);
                let (client, outlet) = (self.client.clone(), self.outlet.clone());
                self.works.push(Box::pin(async move {
                    let _ = Abortable::new(learn_roots(&client, &outlet), registration).await;
                    Done { id: None, text: None }
                }));
            }
            Message::Notification { .. } => {}
            message @ Message::Response { .. } => self.client.receive(message),
            Message::Invalid { id, error } => {
                self.write(Outgoing::Message(response(&id, Err(&error.into()))));
            }
        }
    }

    fn take_batch(&mut self, all: Vec<Message>) {
        let known = self.client.agreed().is_some_and(|agreed| agreed.version == BATCHES);
        if !known || all.len() > BATCH_LEN_MAX {
            let error = Error::new(Code::REQUEST, "this revision has no batches, or the batch is too long");
            return self.write(Outgoing::Message(response("null", Err(&error.into()))));
        }
        let mut requests = Vec::new();
        let mut texts = Vec::new();
        for message in all {
            match message {
                Message::Request(request) => requests.push(self.call(request)),
                Message::Invalid { id, error } => texts.push(response(&id, Err(&error.into()))),
                other => self.take_one(other),
            }
        }
        if requests.is_empty() && texts.is_empty() {
            return;
        }
        self.works.push(Box::pin(async move {
            texts.extend(join_all(requests.iter().map(respond)).await);
            Done { id: None, text: Some(format!("[{}]", texts.join(","))) }
        }));
    }

    fn call(&self, request: Request) -> Call {
        let meta = Meta::of(request.params.as_deref());
        let modern = meta.version.is_some() || request.method == "server/discover";
        let era = if modern { Era::Modern } else { Era::Legacy };
        let (client, provider) = (self.client.clone(), self.provider.clone());
        Call { client, provider, era, request, meta, outlet: self.outlet.clone() }
    }
}

async fn respond(call: &Call) -> String {
    let outcome = match call.era {
        Era::Modern => answer_modern(call).await,
        Era::Legacy => methods::answer(call).await,
    };
    response(call.request.id.get(), outcome.as_deref())
}

async fn answer_modern(call: &Call) -> Result<String, RpcError> {
    call.meta.check_modern()?;
    if call.method() == "subscriptions/listen" { pump::listen(call).await } else { methods::answer(call).await }
}
