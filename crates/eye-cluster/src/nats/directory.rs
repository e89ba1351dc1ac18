//! The directory's bucket: `JetStream` KV on file storage. Read from its beginning after each loss of the link, because a watch of a
//! server that lost its files is silent for good.

use crate::core::Event;
use crate::row::{self, Row};
use async_nats::Client;
use async_nats::jetstream::kv::{Config, CreateErrorKind, Operation, Store, UpdateErrorKind};
use async_nats::jetstream::stream::StorageType;
use async_nats::jetstream::{self, Context};
use eye_protocol::SessionId;
use eye_protocol::rpc::json;
use futures_util::StreamExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// Writes that are under way at once.
const WRITES_MAX: usize = 256;
/// How long after a failure it is tried again, at least and at most.
const AGAIN_MS: std::ops::RangeInclusive<u64> = 100..=400;

/// The bucket.
pub struct Bucket {
    context: Context,
    name: String,
    events: mpsc::UnboundedSender<Event>,
    store: Arc<Mutex<Option<Store>>>,
    writes: Arc<Semaphore>,
    reader: Option<JoinHandle<()>>,
}

impl Bucket {
    /// The bucket of this name. Nothing is read yet.
    pub fn new(client: Client, name: String, events: mpsc::UnboundedSender<Event>) -> Self {
        let context = jetstream::new(client);
        let writes = Arc::new(Semaphore::new(WRITES_MAX));
        Self { context, name, events, store: Arc::default(), writes, reader: None }
    }

    /// Reads from the beginning, and goes on.
    pub fn read(&mut self) {
        self.stop();
        let (context, name) = (self.context.clone(), self.name.clone());
        let (events, store) = (self.events.clone(), self.store.clone());
        self.reader = Some(tokio::spawn(async move {
            loop {
                if let Err(error) = read(&context, &name, &events, &store).await {
                    tracing::warn!(%error, "the directory cannot be read");
                }
                pause().await;
            }
        }));
    }

    /// Reads no more.
    pub fn stop(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.abort();
        }
    }

    /// Writes an entry.
    pub fn put(&self, session: SessionId, row: Row, replaces: u64) {
        let (store, events, writes) = (self.store(), self.events.clone(), self.writes.clone());
        tokio::spawn(async move {
            let _place = writes.acquire_owned().await;
            let revision = match store {
                Some(store) => write(&store, &session, &row, replaces).await,
                None => None,
            };
            if revision.is_none() {
                pause().await;
            }
            let _ = events.send(Event::Stored { session, row: Some(row), revision });
        });
    }

    /// Removes an entry.
    pub fn remove(&self, session: SessionId, revision: u64) {
        let (Some(store), writes) = (self.store(), self.writes.clone()) else { return };
        tokio::spawn(async move {
            let _place = writes.acquire_owned().await;
            // Another hub may have claimed it since.
            let _ = store.delete_expect_revision(row::key(&session), Some(revision)).await;
        });
    }

    fn store(&self) -> Option<Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn pause() {
    sleep(Duration::from_millis(fastrand::u64(AGAIN_MS))).await;
}

async fn write(store: &Store, session: &SessionId, row: &Row, replaces: u64) -> Option<u64> {
    let (key, value) = (row::key(session), json(row));
    let failed = if replaces == 0 {
        match store.create(&key, value.into()).await {
            Ok(revision) => return Some(revision),
            Err(error) if error.kind() == CreateErrorKind::AlreadyExists => return None,
            Err(error) => error.to_string(),
        }
    } else {
        match store.update(&key, value.into(), replaces).await {
            Ok(revision) => return Some(revision),
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => return None,
            Err(error) => error.to_string(),
        }
    };
    tracing::warn!(error = failed, "the directory cannot be written");
    None
}

async fn read(
    context: &Context,
    name: &str,
    events: &mpsc::UnboundedSender<Event>,
    place: &Mutex<Option<Store>>,
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
    events.send(Event::Reading)?;
    let mut is_read = is_empty;
    if is_read {
        events.send(Event::Read)?;
    }
    while let Some(entry) = watch.next().await {
        let entry = entry?;
        if let Some(session) = row::session(&entry.key) {
            let row = match entry.operation {
                Operation::Put => serde_json::from_slice(&entry.value).ok(),
                Operation::Delete | Operation::Purge => None,
            };
            events.send(Event::Entry { session, row, revision: entry.revision })?;
        }
        if entry.seen_current && !is_read {
            is_read = true;
            events.send(Event::Read)?;
        }
    }
    Ok(())
}
