//! The stream of letters that outlive their hubs, with one subject per session. Letters that an agent got are removed
//! by a rollup message, which replaces all messages before it. So all operations on a session take effect in the order
//! in which they are sent.

use crate::core::Event;
use crate::row;
use async_nats::connection::State;
use async_nats::header::{HeaderMap, NATS_ROLLUP};
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::stream::{self, DirectGetErrorKind, DiscardPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, Error, StatusCode};
use eye_core::lasting::{GivenMail, LastingLetter};
use eye_protocol::SessionId;
use eye_protocol::limits::{
    LASTING_BYTES_MAX, LASTING_LETTER_BYTES_MAX, LASTING_LETTERS_MAX, RECALL_MS, SESSION_KEPT_MS,
};
use eye_protocol::rpc::json;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Acknowledgements to wait for at once.
const AT_ONCE_MAX: u32 = 64;
/// Operations that may wait to be sent. A letter beyond that does not outlive this hub.
const WAITING_MAX: usize = 1_000;

/// A message of the stream. An empty message removes those before it.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    origin: String,
    number: u64,
    /// Absent if it was too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Box<str>>,
}

/// The names of the stream of letters.
#[derive(Clone, Debug)]
pub struct MailStream {
    pub name: String,
    /// The subjects without the session.
    pub prefix: String,
}

impl MailStream {
    fn subject(&self, session: &SessionId) -> String {
        format!("{}.{}", self.prefix, row::key(session))
    }

    fn config(&self) -> stream::Config {
        stream::Config {
            name: self.name.clone(),
            subjects: vec![format!("{}.>", self.prefix)],
            max_messages_per_subject: i64::try_from(LASTING_LETTERS_MAX).unwrap_or(i64::MAX),
            max_bytes: i64::try_from(LASTING_BYTES_MAX).unwrap_or(i64::MAX),
            max_age: Duration::from_millis(SESSION_KEPT_MS),
            max_message_size: i32::try_from(2 * LASTING_LETTER_BYTES_MAX).unwrap_or(i32::MAX),
            storage: StorageType::File,
            discard: DiscardPolicy::Old,
            allow_direct: true,
            allow_rollup: true,
            num_replicas: 1,
            ..stream::Config::default()
        }
    }

    /// The letters of a session, the oldest first. Most sessions have none, which one request shows.
    pub async fn letters(&self, context: &Context, session: &SessionId) -> Result<Vec<LastingLetter>, Error> {
        let stream = context.get_stream_no_info(&self.name).await?;
        let subject = self.subject(session);
        let first = match stream.direct_get_next_for_subject(&subject, Some(1)).await {
            Ok(first) => first,
            Err(error) => match error.kind() {
                DirectGetErrorKind::NotFound => return Ok(Vec::new()),
                // Nothing answers for a stream that does not exist. It is made with the first letter of any session.
                DirectGetErrorKind::ErrorResponse(StatusCode::NO_RESPONDERS, _) if self.is_missing(context).await => {
                    return Ok(Vec::new());
                }
                _ => return Err(error.into()),
            },
        };
        let mut letters = Vec::new();
        take(&mut letters, session, &first.payload);
        // Reads all others at once: one request per letter would take as many round trips.
        let others = stream.create_consumer(others(subject, first.sequence + 1)).await?;
        let mut others = others.fetch().max_messages(LASTING_LETTERS_MAX).messages().await?;
        while let Some(other) = others.next().await {
            take(&mut letters, session, &other?.payload);
        }
        Ok(letters)
    }

    async fn is_missing(&self, context: &Context) -> bool {
        let there = context.get_stream(&self.name).await;
        let error = there.err().map(|error| error.kind());
        matches!(error, Some(GetStreamErrorKind::JetStream(error)) if error.error_code() == ErrorCode::STREAM_NOT_FOUND)
    }
}

/// Adds a message of the stream to the letters before it.
fn take(letters: &mut Vec<LastingLetter>, session: &SessionId, payload: &[u8]) {
    if payload.is_empty() {
        letters.clear();
    } else if let Ok(Entry { origin, number, text }) = serde_json::from_slice(payload) {
        letters.push(LastingLetter { session: session.clone(), origin: origin.into(), number, text });
    }
}

/// A consumer of the messages of a subject, from a sequence number on. The server removes it soon after it is unused.
fn others(subject: String, start_sequence: u64) -> pull::Config {
    pull::Config {
        filter_subject: subject,
        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence },
        ack_policy: AckPolicy::None,
        inactive_threshold: Duration::from_millis(2 * RECALL_MS),
        memory_storage: true,
        num_replicas: 1,
        ..pull::Config::default()
    }
}

/// An operation on letters.
#[derive(Debug)]
pub enum Op {
    /// Appends a letter.
    Letter(Box<LastingLetter>),
    /// Replaces the letters of a session.
    Mail(SessionId, Vec<LastingLetter>),
    /// Removes the letters of a session, because an agent gets them.
    Given(Box<GivenMail>),
}

/// Sends operations to a worker, which does them in order.
pub struct Mail {
    ops: mpsc::Sender<Op>,
    events: mpsc::UnboundedSender<Event>,
    shared: Arc<Shared>,
    worker: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Whether the stream exists.
    made: AtomicBool,
    /// Whether the last write failed, so that the log reports it once.
    fails: AtomicBool,
}

impl Mail {
    /// Starts the worker. It reports removals through `events`.
    pub fn new(client: Client, stream: MailStream, events: mpsc::UnboundedSender<Event>) -> Self {
        let (ops, todo) = mpsc::channel(WAITING_MAX);
        let shared = Arc::new(Shared::default());
        let context = jetstream::new(client.clone());
        let worker = Worker { client, context, stream, events: events.clone(), shared: shared.clone() };
        let worker = tokio::spawn(worker.run(todo));
        Self { ops, events, shared, worker }
    }

    /// The link is down. The server may come back without its files, so the stream must be made again.
    pub fn stop(&self) {
        self.shared.made.store(false, Relaxed);
    }

    /// Returns when everything is written. Called when the hub ends.
    pub async fn finish(&mut self) {
        self.ops = mpsc::channel(1).0;
        let _ = (&mut self.worker).await;
    }

    /// Queues an operation. A full queue drops it; the agent of a dropped [`Op::Given`] gets its letters anyway.
    pub fn put(&self, op: Op) {
        if let Err(error) = self.ops.try_send(op)
            && let Op::Given(given) = error.into_inner()
        {
            // Fails only when the hub ends: the receiver ends with it.
            let _ = self.events.send(Event::MailGiven(given));
        }
    }
}

/// Sends the operations in order.
struct Worker {
    client: Client,
    context: Context,
    stream: MailStream,
    events: mpsc::UnboundedSender<Event>,
    shared: Arc<Shared>,
}

impl Worker {
    async fn run(self, mut todo: mpsc::Receiver<Op>) {
        let places = Arc::new(Semaphore::new(AT_ONCE_MAX as usize));
        while let Some(op) = todo.recv().await {
            let (session, letters, given) = match op {
                Op::Letter(letter) => (letter.session.clone(), vec![*letter], None),
                Op::Given(given) => (given.session.clone(), Vec::new(), Some(given)),
                Op::Mail(session, letters) => {
                    self.send(&places, &session, None, None).await;
                    (session, letters, None)
                }
            };
            for letter in letters {
                self.send(&places, &session, Some(letter), None).await;
            }
            if given.is_some() {
                self.send(&places, &session, None, given).await;
            }
        }
        let _all = places.acquire_many(AT_ONCE_MAX).await;
    }

    /// Sends a letter, or the message that removes all letters of a session. A task waits for the acknowledgement.
    async fn send(
        &self,
        places: &Arc<Semaphore>,
        session: &SessionId,
        letter: Option<LastingLetter>,
        given: Option<Box<GivenMail>>,
    ) {
        let place = places.clone().acquire_owned().await;
        let sent = timeout(Duration::from_millis(RECALL_MS), self.publish(session, letter)).await;
        let (shared, events) = (self.shared.clone(), self.events.clone());
        tokio::spawn(async move {
            let written = match sent {
                Ok(Ok(written)) => match timeout(Duration::from_millis(RECALL_MS), written).await {
                    Ok(written) => written.map(drop).map_err(Error::from),
                    Err(late) => Err(late.into()),
                },
                Ok(Err(error)) => Err(error),
                Err(late) => Err(late.into()),
            };
            drop(place);
            if shared.fails.swap(written.is_err(), Relaxed) != written.is_err() {
                match &written {
                    Ok(()) => tracing::info!("letters are written again"),
                    Err(error) => tracing::warn!(%error, "letters are not written, and would end with this hub"),
                }
            }
            if let Some(given) = given {
                let _ = events.send(Event::MailGiven(given));
            }
        });
    }

    async fn publish(
        &self,
        session: &SessionId,
        letter: Option<LastingLetter>,
    ) -> Result<jetstream::context::PublishAckFuture, Error> {
        if self.client.connection_state() != State::Connected {
            return Err("the link is down".into());
        }
        if !self.shared.made.load(Relaxed) {
            self.context.get_or_create_stream(self.stream.config()).await?;
            self.shared.made.store(true, Relaxed);
        }
        let (mut headers, mut payload) = (HeaderMap::new(), String::new());
        match letter {
            Some(LastingLetter { origin, number, text, .. }) => {
                payload = json(&Entry { origin: origin.to_string(), number, text });
            }
            None => headers.insert(NATS_ROLLUP, "sub"),
        }
        Ok(self.context.publish_with_headers(self.stream.subject(session), headers, payload.into()).await?)
    }
}
