//! A bucket of `JetStream` KV on file storage: the directory, or the named tokens. It is read again from its beginning
//! after each loss of the link, because a watch on a server that lost its files stays silent for good.

use crate::core::{Event, Looked, TokensEvent};
use crate::row::{self, Row};
use async_nats::Client;
use async_nats::jetstream::kv::{Config, CreateErrorKind, Operation, Store, UpdateErrorKind};
use async_nats::jetstream::stream::StorageType;
use async_nats::jetstream::{self, Context};
use eye_protocol::SessionId;
use eye_protocol::limits::RECALL_MS;
use eye_protocol::rpc::json;
use eye_protocol::shared_token::SharedToken;
use futures_util::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Writes in progress at once.
const WRITES_MAX: usize = 256;
/// Look-ups in progress at once.
const LOOK_UPS_MAX: usize = 64;
/// The pause after a failed read, at least and at most.
const AGAIN_MS: std::ops::RangeInclusive<u64> = 100..=400;

/// The kind of entries in a bucket.
pub trait Content: 'static {
    /// Identifies an entry.
    type Id: Send;
    type Entry: Serialize + DeserializeOwned + Send;
    /// The name in the log.
    const NAME: &str;

    fn key(id: &Self::Id) -> String;
    /// The id that a key stands for.
    fn id(key: &str) -> Option<Self::Id>;
    /// The event when reading starts.
    fn reading() -> Event;
    /// The event when everything has been read.
    fn read() -> Event;
    /// The event when an entry was read.
    fn entry(id: Self::Id, entry: Option<Self::Entry>, revision: u64) -> Event;
    /// The event when a write is over; without a revision it failed. `None`: nothing waits for it.
    fn written(id: Self::Id, entry: Self::Entry, revision: Option<u64>) -> Option<Event>;
}

/// The directory: which hub holds which session.
pub enum Sessions {}

impl Content for Sessions {
    type Id = SessionId;
    type Entry = Row;
    const NAME: &str = "directory";

    fn key(id: &SessionId) -> String {
        row::key(id)
    }
    fn id(key: &str) -> Option<SessionId> {
        row::session(key)
    }
    fn reading() -> Event {
        Event::Reading
    }
    fn read() -> Event {
        Event::Read
    }
    fn entry(session: SessionId, row: Option<Row>, revision: u64) -> Event {
        Event::Entry { session, row, revision }
    }
    fn written(session: SessionId, row: Row, revision: Option<u64>) -> Option<Event> {
        Some(Event::Stored { session, row: Some(row), revision })
    }
}

/// Named tokens.
pub enum NamedTokens {}

impl Content for NamedTokens {
    type Id = Box<str>;
    type Entry = SharedToken;
    const NAME: &str = "bucket of tokens";

    fn key(hash: &Box<str>) -> String {
        hash.to_string()
    }
    fn id(key: &str) -> Option<Box<str>> {
        Some(key.into())
    }
    fn reading() -> Event {
        Event::Tokens(TokensEvent::Reading)
    }
    fn read() -> Event {
        Event::Tokens(TokensEvent::Read)
    }
    fn entry(hash: Box<str>, token: Option<SharedToken>, revision: u64) -> Event {
        Event::Tokens(TokensEvent::Entry { hash, token, revision })
    }
    fn written(hash: Box<str>, _: SharedToken, revision: Option<u64>) -> Option<Event> {
        revision.is_none().then_some(Event::Tokens(TokensEvent::Refused { hash }))
    }
}

/// One bucket. A task reads it and sends its events.
pub struct Bucket<C> {
    context: Context,
    name: String,
    events: mpsc::UnboundedSender<Event>,
    store: Arc<Mutex<Option<Store>>>,
    /// The error of the last attempt to read it.
    trouble: Arc<Mutex<Option<String>>>,
    writes: Arc<Semaphore>,
    look_ups: Arc<Semaphore>,
    reader: Option<JoinHandle<()>>,
    content: PhantomData<C>,
}

impl<C: Content> Bucket<C> {
    /// The bucket with this name. Reading starts with [`Bucket::read`].
    pub fn new(client: Client, name: String, events: mpsc::UnboundedSender<Event>) -> Self {
        let context = jetstream::new(client);
        let writes = Arc::new(Semaphore::new(WRITES_MAX));
        Self {
            context,
            name,
            events,
            store: Arc::default(),
            trouble: Arc::default(),
            writes,
            look_ups: Arc::new(Semaphore::new(LOOK_UPS_MAX)),
            reader: None,
            content: PhantomData,
        }
    }

    /// Reads the bucket from its beginning, and then its changes.
    pub fn read(&mut self) {
        self.stop();
        let (context, name) = (self.context.clone(), self.name.clone());
        let (events, store, trouble) = (self.events.clone(), self.store.clone(), self.trouble.clone());
        self.reader = Some(tokio::spawn(async move {
            loop {
                if let Err(error) = read::<C>(&context, &name, &events, &store, &trouble).await {
                    tracing::warn!(%error, "the {} cannot be read", C::NAME);
                    *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
                }
                pause().await;
            }
        }));
    }

    /// Why the bucket cannot be read, if so.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops reading.
    pub fn stop(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.abort();
        }
    }

    /// Writes an entry, if its revision is still `replaces`.
    pub fn put(&self, id: C::Id, entry: C::Entry, replaces: u64) {
        let (store, events, writes) = (self.store(), self.events.clone(), self.writes.clone());
        let (key, value) = (C::key(&id), json(&entry));
        tokio::spawn(async move {
            let _place = writes.acquire_owned().await;
            let revision = match store {
                Some(store) => write(&store, C::NAME, &key, value, replaces).await,
                None => None,
            };
            if revision.is_none() {
                pause().await;
            }
            if let Some(event) = C::written(id, entry, revision) {
                let _ = events.send(event);
            }
        });
    }

    /// Removes an entry, if its revision is still this one.
    pub fn remove(&self, id: &C::Id, revision: u64) {
        let (Some(store), writes) = (self.store(), self.writes.clone()) else { return };
        let key = C::key(id);
        tokio::spawn(async move {
            let _place = writes.acquire_owned().await;
            // Refused if another hub has claimed it since.
            let _ = store.delete_expect_revision(key, Some(revision)).await;
        });
    }

    fn store(&self) -> Option<Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Bucket<Sessions> {
    /// Looks up an entry and reports it as [`Event::LookedUp`].
    pub fn look_up(&self, look_up: u64, session: SessionId) {
        let (store, events, places) = (self.store(), self.events.clone(), self.look_ups.clone());
        tokio::spawn(async move {
            let found = timeout(Duration::from_millis(RECALL_MS), async {
                let _place = places.acquire_owned().await;
                match store?.entry(row::key(&session)).await {
                    Ok(Some(entry)) if entry.operation == Operation::Put => {
                        let row = serde_json::from_slice(&entry.value).ok()?;
                        Some(Looked::There { row, revision: entry.revision })
                    }
                    Ok(_) => Some(Looked::Nothing),
                    Err(error) => {
                        tracing::warn!(%error, "an entry of the directory cannot be looked up");
                        None
                    }
                }
            });
            let found = if let Ok(Some(found)) = found.await {
                found
            } else {
                pause().await;
                Looked::Unknown
            };
            // Fails only when the hub ends: the receiver ends with it.
            let _ = events.send(Event::LookedUp { look_up, session, found });
        });
    }
}

impl<C> Drop for Bucket<C> {
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.abort();
        }
    }
}

async fn pause() {
    sleep(Duration::from_millis(fastrand::u64(AGAIN_MS))).await;
}

async fn write(store: &Store, name: &str, key: &str, value: String, replaces: u64) -> Option<u64> {
    let failed = if replaces == 0 {
        match store.create(key, value.into()).await {
            Ok(revision) => return Some(revision),
            Err(error) if error.kind() == CreateErrorKind::AlreadyExists => return None,
            Err(error) => error.to_string(),
        }
    } else {
        match store.update(key, value.into(), replaces).await {
            Ok(revision) => return Some(revision),
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => return None,
            Err(error) => error.to_string(),
        }
    };
    tracing::warn!(error = failed, "the {name} cannot be written");
    None
}

async fn read<C: Content>(
    context: &Context,
    name: &str,
    events: &mpsc::UnboundedSender<Event>,
    place: &Mutex<Option<Store>>,
    trouble: &Mutex<Option<String>>,
) -> Result<(), async_nats::Error> {
    let store = if let Ok(store) = context.get_key_value(name).await {
        store
    } else {
        let config = Config { bucket: name.into(), history: 1, storage: StorageType::File, ..Config::default() };
        context.create_key_value(config).await?
    };
    *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(store.clone());
    let is_empty = store.status().await?.values() == 0;
    let mut watch = store.watch_with_history(">").await?;
    *trouble.lock().unwrap_or_else(PoisonError::into_inner) = None;
    events.send(C::reading())?;
    let mut is_read = is_empty;
    if is_read {
        events.send(C::read())?;
    }
    while let Some(entry) = watch.next().await {
        let entry = entry?;
        if let Some(id) = C::id(&entry.key) {
            let value = match entry.operation {
                Operation::Put => serde_json::from_slice(&entry.value).ok(),
                Operation::Delete | Operation::Purge => None,
            };
            events.send(C::entry(id, value, entry.revision))?;
        }
        if entry.seen_current && !is_read {
            is_read = true;
            events.send(C::read())?;
        }
    }
    Ok(())
}
