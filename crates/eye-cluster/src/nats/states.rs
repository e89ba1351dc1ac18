//! The bucket of states that outlive their hubs. It is written by compare-and-set: a state of an older claim never
//! replaces one of a newer claim. Single states are read on request, never the whole bucket.

use super::mail::MailStream;
use crate::core::Event;
use crate::row;
use async_nats::Client;
use async_nats::jetstream::kv::{Operation, Store, UpdateErrorKind};
use async_nats::jetstream::stream::{self, DiscardPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use eye_core::handover::HandedState;
use eye_core::lasting::{Found, LastingState, Recalled};
use eye_protocol::SessionId;
use eye_protocol::limits::{LASTING_BYTES_MAX, LASTING_STATE_BYTES_MAX, LIGHT_BYTES_MAX, RECALL_MS, SESSION_KEPT_MS};
use eye_protocol::rpc::json;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

/// Writes, reads and removals in progress at once.
const AT_ONCE_MAX: usize = 64;
/// The number of sessions whose revisions are remembered. For other sessions the revision is read before the next
/// write.
const KNOWN_LEN_MAX: usize = 10_000;
/// How often a write is tried if another write comes first.
const TRIES_MAX: usize = 3;

/// An entry of the bucket.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// The claim by which its hub held the session.
    epoch: u64,
    origin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alias: Option<Box<str>>,
    title: Box<str>,
    url: Box<str>,
    revision: u64,
    wall_ms: u64,
    /// JSON text. Absent if it was too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Box<str>>,
}

impl Entry {
    fn of(state: LastingState, epoch: u64) -> Self {
        let LastingState { origin, name, alias, title, url, state, .. } = state;
        let HandedState { text, revision, wall_ms, .. } = state;
        Self { epoch, origin: origin.to_string(), name, alias, title, url, revision, wall_ms, text }
    }

    fn state(self, session: SessionId) -> LastingState {
        let Self { origin, name, alias, title, url, revision, wall_ms, text, .. } = self;
        let age_ms = wall_now_ms().saturating_sub(wall_ms);
        let state = HandedState { text, revision, age_ms, wall_ms };
        LastingState { session, origin: origin.into(), name, alias, title, url, state }
    }
}

fn wall_now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// Reads and writes the bucket, each in a task of its own.
pub struct States {
    context: Context,
    name: String,
    /// The stream of letters: those of a session are read with its state.
    mail: MailStream,
    events: mpsc::UnboundedSender<Event>,
    shared: Arc<Shared>,
}

/// What the tasks share.
#[derive(Debug)]
struct Shared {
    store: tokio::sync::Mutex<Option<Store>>,
    sessions: Mutex<FxHashMap<SessionId, Known>>,
    places: Arc<Semaphore>,
    writes: TaskTracker,
    /// Whether the last write failed, so that the log reports it once.
    fails: AtomicBool,
}

/// The writes of one session's entry.
#[derive(Debug, Default)]
struct Known {
    /// The revision of this hub's last write.
    revision: Option<u64>,
    /// Whether a write is in progress.
    writing: bool,
    /// The state to write next, with its claim. A newer one replaces it.
    next: Option<(Box<LastingState>, u64)>,
}

impl States {
    /// Connects to nothing yet. Results are sent to `events`.
    pub fn new(client: Client, name: String, mail: MailStream, events: mpsc::UnboundedSender<Event>) -> Self {
        let places = Arc::new(Semaphore::new(AT_ONCE_MAX));
        let (store, sessions) = (tokio::sync::Mutex::default(), Mutex::default());
        let (writes, fails) = (TaskTracker::new(), AtomicBool::new(false));
        let shared = Arc::new(Shared { store, sessions, places, writes, fails });
        Self { context: jetstream::new(client), name, mail, events, shared }
    }

    /// The link is down. The server may come back without its files, so nothing that is known of them counts.
    pub fn stop(&self) {
        let store = self.shared.clone();
        lock(&store.sessions).retain(|_, known| {
            known.revision = None;
            known.next = None;
            known.writing
        });
        tokio::spawn(async move { *store.store.lock().await = None });
    }

    /// Writes a state. It replaces a state of the same session that still waits to be written.
    pub fn put(&self, state: Box<LastingState>, epoch: u64) {
        let mut sessions = lock(&self.shared.sessions);
        if sessions.len() >= KNOWN_LEN_MAX {
            sessions.retain(|_, known| known.writing);
        }
        let known = sessions.entry(state.session.clone()).or_default();
        if known.writing {
            known.next = Some((state, epoch));
            return;
        }
        known.writing = true;
        drop(sessions);
        let (context, name, shared) = (self.context.clone(), self.name.clone(), self.shared.clone());
        self.shared.writes.spawn(async move {
            let mut next = Some((state, epoch));
            while let Some((state, epoch)) = next {
                let _place = shared.places.acquire().await;
                let session = state.session.clone();
                let known = lock(&shared.sessions).get(&session).and_then(|known| known.revision);
                let written = match shared.store(&context, &name).await {
                    Ok(store) => write(&store, *state, epoch, known).await,
                    Err(error) => Err(error),
                };
                if shared.fails.swap(written.is_err(), Relaxed) != written.is_err() {
                    match &written {
                        Ok(_) => tracing::info!("states are written again"),
                        Err(error) => tracing::warn!(%error, "states are not written, and would end with this hub"),
                    }
                }
                next = shared.written(&session, written.unwrap_or_default());
            }
        });
    }

    /// Returns when everything is written. Called when the hub ends.
    pub async fn finish(&self) {
        self.shared.writes.close();
        self.shared.writes.wait().await;
    }

    /// Looks for the state of a session, and for its letters, if these are wanted.
    pub fn get(&self, session: SessionId, with_letters: bool) {
        let (context, name, shared) = (self.context.clone(), self.name.clone(), self.shared.clone());
        let (events, mail) = (self.events.clone(), self.mail.clone());
        tokio::spawn(async move {
            let letters = async {
                if !with_letters {
                    return None;
                }
                let recalled = timeout(Duration::from_millis(RECALL_MS), mail.letters(&context, &session)).await;
                Some(recalled.map_err(Into::into).flatten().unwrap_or_else(|error: async_nats::Error| {
                    tracing::warn!(%error, "letters cannot be recalled");
                    Vec::new()
                }))
            };
            let looked = timeout(Duration::from_millis(RECALL_MS), async {
                let _place = shared.places.acquire().await;
                let store = shared.store(&context, &name).await?;
                let (_, entry) = read(&store, &row::key(&session)).await?;
                Ok::<_, async_nats::Error>(entry)
            });
            let (looked, letters) = tokio::join!(looked, letters);
            let found = match looked {
                Ok(Ok(Some(entry))) => Found::State(Box::new(entry.state(session.clone()))),
                Ok(Ok(None)) => Found::Nothing,
                Ok(Err(error)) => {
                    tracing::warn!(%error, "a state cannot be recalled");
                    Found::Unknown
                }
                Err(_) => Found::Unknown,
            };
            // Fails only when the hub ends: the receiver ends with it.
            let _ = events.send(Event::Recalled(Box::new(Recalled { session, found, letters })));
        });
    }

    /// Removes the state of a session.
    pub fn remove(&self, session: &SessionId) {
        let (context, name, shared) = (self.context.clone(), self.name.clone(), self.shared.clone());
        let key = row::key(session);
        tokio::spawn(async move {
            let _place = shared.places.acquire().await;
            let removed = match shared.store(&context, &name).await {
                Ok(store) => store.purge(key).await.map_err(async_nats::Error::from),
                Err(error) => Err(error),
            };
            if let Err(error) = removed {
                tracing::warn!(%error, "a state that is to be forgotten cannot be removed");
            }
        });
    }
}

impl Shared {
    /// The bucket. It is created if it does not exist.
    async fn store(&self, context: &Context, name: &str) -> Result<Store, async_nats::Error> {
        let mut known = self.store.lock().await;
        if let Some(store) = &*known {
            return Ok(store.clone());
        }
        let store = if let Ok(store) = context.get_key_value(name).await {
            store
        } else {
            context.create_stream(config(name)).await?;
            context.get_key_value(name).await?
        };
        *known = Some(store.clone());
        Ok(store)
    }

    /// Handles the end of a write. Returns the state to write next.
    fn written(&self, session: &SessionId, revision: Option<u64>) -> Option<(Box<LastingState>, u64)> {
        let mut sessions = lock(&self.sessions);
        let known = sessions.get_mut(session)?;
        known.revision = revision;
        let next = known.next.take();
        known.writing = next.is_some();
        next
    }
}

/// The configuration of a bucket whose oldest entries make room for new ones. The library's own buckets refuse new
/// entries instead.
fn config(name: &str) -> stream::Config {
    stream::Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        max_bytes: i64::try_from(LASTING_BYTES_MAX).unwrap_or(i64::MAX),
        max_age: Duration::from_millis(SESSION_KEPT_MS),
        max_message_size: i32::try_from(2 * LASTING_STATE_BYTES_MAX).unwrap_or(i32::MAX),
        storage: StorageType::File,
        discard: DiscardPolicy::Old,
        allow_direct: true,
        allow_rollup: true,
        deny_delete: true,
        num_replicas: 1,
        ..stream::Config::default()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parses or writes JSON, in a worker if it is large.
async fn apart<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, async_nats::Error> {
    if bytes <= LIGHT_BYTES_MAX { Ok(work()) } else { Ok(spawn_blocking(work).await?) }
}

/// The revision of an entry and its content; revision 0 when it does not exist.
async fn read(store: &Store, key: &str) -> Result<(u64, Option<Entry>), async_nats::Error> {
    let Some(found) = store.entry(key).await? else { return Ok((0, None)) };
    let revision = found.revision;
    let entry = match found.operation {
        Operation::Put => apart(found.value.len(), move || serde_json::from_slice(&found.value).ok()).await?,
        Operation::Delete | Operation::Purge => None,
    };
    Ok((revision, entry))
}

/// Writes an entry over one of an older claim. Returns its revision, or `None` if the stored one is of a newer claim.
async fn write(
    store: &Store,
    state: LastingState,
    epoch: u64,
    mut known: Option<u64>,
) -> Result<Option<u64>, async_nats::Error> {
    let key = row::key(&state.session);
    let value = apart(state.state.text.as_deref().map_or(0, str::len), move || json(&Entry::of(state, epoch))).await?;
    for _ in 0..TRIES_MAX {
        let replaces = match known.take() {
            Some(revision) => revision,
            None => match read(store, &key).await? {
                (_, Some(there)) if there.epoch > epoch => return Ok(None),
                (revision, _) => revision,
            },
        };
        match store.update(&key, value.clone().into(), replaces).await {
            Ok(revision) => return Ok(Some(revision)),
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}
