//! Sessions of legacy clients over HTTP, with their streams, which can be resumed after a disconnection.

use super::call::{Outgoing, Outlet, learn_roots};
use super::client::Client;
use super::fresh::fresh_id;
use super::hold::hold;
use super::limits::{EVENTS_BYTES_MAX, EVENTS_MAX, SESSION_IDLE, SESSIONS_MAX, STREAMS_MAX};
use super::pump;
use futures_util::future::AbortHandle;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::sync::{Notify, broadcast, mpsc};
use tokio_util::sync::{CancellationToken, DropGuard};

#[derive(Debug, Default)]
pub struct Sessions(Mutex<HashMap<String, Arc<Session>>>);

impl Sessions {
    /// Begins a session. Above the limit, the session that was idle longest ends.
    pub fn begin(&self, client: Arc<Client>) -> Arc<Session> {
        let mut all = hold(&self.0);
        let ages = all.values().map(|session| (session.id.clone(), session.idle_since()));
        for id in outlived(ages.collect(), Instant::now()) {
            all.remove(&id);
        }
        let session = Arc::new(Session::new(client));
        all.insert(session.id.clone(), session.clone());
        session
    }

    /// The session of this id; marks it as used now.
    pub fn get(&self, id: &str) -> Option<Arc<Session>> {
        let session = hold(&self.0).get(id).cloned()?;
        *hold(&session.used) = Instant::now();
        Some(session)
    }

    pub fn end(&self, id: &str) -> bool {
        hold(&self.0).remove(id).is_some()
    }

    pub fn clear(&self) {
        for (_, session) in hold(&self.0).drain() {
            session.ended.cancel();
        }
    }
}

/// The sessions that end when one more begins: those idle for too long, and above the limit the one idle longest.
fn outlived(mut idle_since: Vec<(String, Instant)>, now: Instant) -> Vec<String> {
    idle_since.sort_by_key(|(_, since)| *since);
    let over = (idle_since.len() + 1).saturating_sub(SESSIONS_MAX);
    let old = idle_since.partition_point(|(_, since)| now.duration_since(*since) >= SESSION_IDLE);
    idle_since.into_iter().take(over.max(old)).map(|(id, _)| id).collect()
}

/// Whether a request for the client's roots is in progress.
#[derive(Debug, Default, PartialEq, Eq)]
enum AskingRoots {
    #[default]
    No,
    Once,
    /// The roots changed during the request.
    Again,
}

#[derive(Debug)]
pub struct Session {
    /// Random, since it grants access.
    pub id: String,
    pub client: Arc<Client>,
    used: Mutex<Instant>,
    streams: Mutex<VecDeque<Arc<Log>>>,
    last_stream: AtomicU32,
    /// The session's own stream, for notifications and requests to the client.
    pub own: Arc<Log>,
    listening: AtomicBool,
    under_way: Mutex<HashMap<Box<str>, AbortHandle>>,
    asking_roots: Arc<Mutex<AskingRoots>>,
    /// Cancelled when the session ends.
    pub ended: CancellationToken,
    _end: DropGuard,
}

impl Session {
    fn new(client: Arc<Client>) -> Self {
        let ended = CancellationToken::new();
        Self {
            id: fresh_id(),
            client,
            used: Mutex::new(Instant::now()),
            streams: Mutex::default(),
            last_stream: AtomicU32::new(0),
            own: Arc::new(Log::new(0)),
            listening: AtomicBool::new(false),
            under_way: Mutex::default(),
            asking_roots: Arc::default(),
            ended: ended.clone(),
            _end: ended.drop_guard(),
        }
    }

    fn idle_since(&self) -> Instant {
        *hold(&self.used)
    }

    /// Registers a request for cancellation; dropping the guard removes it.
    pub fn under_way(self: &Arc<Self>, id: &str, handle: AbortHandle) -> UnderWay {
        hold(&self.under_way).insert(id.into(), handle);
        UnderWay { session: self.clone(), id: id.into() }
    }

    /// Cancels a request. `id` is JSON text.
    pub fn cancel(&self, id: &str) {
        if let Some(handle) = hold(&self.under_way).remove(id) {
            handle.abort();
        }
    }

    /// A stream for the answer to a request.
    pub fn open_stream(&self) -> Arc<Log> {
        let log = Arc::new(Log::new(self.last_stream.fetch_add(1, Ordering::Relaxed) + 1));
        let mut streams = hold(&self.streams);
        if streams.len() >= STREAMS_MAX {
            streams.pop_front();
        }
        streams.push_back(log.clone());
        log
    }

    /// The stream and event number that follow the last event that a client received.
    pub fn resume(&self, last_event: &str) -> Option<(Arc<Log>, u64)> {
        let (stream, seen) = last_event.split_once('-')?;
        let (stream, seen): (u32, u64) = (stream.parse().ok()?, seen.parse().ok()?);
        if stream == 0 {
            return Some((self.own.clone(), seen + 1));
        }
        let streams = hold(&self.streams);
        streams.iter().find(|log| log.id == stream).map(|log| (log.clone(), seen + 1))
    }

    /// Requests the client's roots on the session's own stream. One request runs at a time; a change in the meantime
    /// causes one more.
    pub fn learn_roots(&self) {
        {
            let mut asking = hold(&self.asking_roots);
            if *asking != AskingRoots::No {
                *asking = AskingRoots::Again;
                return;
            }
            *asking = AskingRoots::Once;
        }
        let (client, own, ended) = (self.client.clone(), self.own.clone(), self.ended.clone());
        let asking = self.asking_roots.clone();
        let (sender, mut outgoing) = mpsc::channel(1);
        tokio::spawn(async move {
            let outlet = Outlet(sender);
            let writing = async {
                while let Some(message) = outgoing.recv().await {
                    if let Outgoing::Message(text) = message {
                        own.push(&text);
                    }
                }
            };
            let learning = async {
                loop {
                    learn_roots(&client, &outlet).await;
                    let mut asking = hold(&asking);
                    if std::mem::replace(&mut *asking, AskingRoots::Once) != AskingRoots::Again {
                        *asking = AskingRoots::No;
                        return;
                    }
                }
            };
            tokio::select! {
                () = ended.cancelled() => {}
                () = writing => {}
                () = learning => {}
            }
        });
    }

    /// From the first listener on, changes are written to the session's own stream.
    pub fn listen(self: &Arc<Self>) {
        if self.listening.swap(true, Ordering::Relaxed) {
            return;
        }
        let (client, own, ended) = (self.client.clone(), self.own.clone(), self.ended.clone());
        let mut changes = client.changes();
        tokio::spawn(async move {
            let pass_changes = async {
                loop {
                    match changes.recv().await {
                        Ok(change) => {
                            if let Some(text) = pump::to_legacy(&client, &change) {
                                own.push(&text);
                            }
                        }
                        Err(broadcast::error::RecvError::Lagged(_)) => {}
                        Err(broadcast::error::RecvError::Closed) => return,
                    }
                }
            };
            tokio::select! {
                () = ended.cancelled() => {}
                () = client.pump() => {}
                () = pass_changes => {}
            }
            own.end();
        });
    }
}

/// Keeps a request cancellable; see `Session::under_way`.
#[derive(Debug)]
pub struct UnderWay {
    session: Arc<Session>,
    id: Box<str>,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        hold(&self.session.under_way).remove(&self.id);
    }
}

/// The events of one stream, kept so that a client can resume after its last event.
#[derive(Debug)]
pub struct Log {
    id: u32,
    inner: Mutex<Events>,
    came: Notify,
}

#[derive(Debug, Default)]
struct Events {
    /// Number and text; an empty text is an event without data, which only marks the position.
    kept: VecDeque<(u64, String)>,
    bytes: usize,
    next: u64,
    ended: bool,
    /// Incremented when the current reader must stop: by a pause or by another reader.
    turn: u64,
    /// Where a new reader without a position begins: after the last event that was read.
    taken: u64,
}

/// The next item for a reader.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// An event: its id and data.
    Event(String, String),
    /// No more for this reader.
    End,
}

impl Log {
    fn new(id: u32) -> Self {
        Self { id, inner: Mutex::default(), came: Notify::new() }
    }

    /// Adds a message. Above the limits, the oldest are dropped.
    pub fn push(&self, text: &str) {
        let mut inner = hold(&self.inner);
        let number = inner.next;
        inner.next += 1;
        inner.bytes += text.len();
        inner.kept.push_back((number, text.to_owned()));
        while inner.kept.len() > EVENTS_MAX || (inner.bytes > EVENTS_BYTES_MAX && inner.kept.len() > 1) {
            if let Some((_, oldest)) = inner.kept.pop_front() {
                inner.bytes -= oldest.len();
            }
        }
        drop(inner);
        self.came.notify_waiters();
    }

    /// Ends the stream.
    pub fn end(&self) {
        hold(&self.inner).ended = true;
        self.came.notify_waiters();
    }

    /// Stops the current reader, which may resume later.
    pub fn pause(&self) {
        hold(&self.inner).turn += 1;
        self.came.notify_waiters();
    }

    /// Starts a reader and stops the one before. Returns the reader's turn, and the number of its first event.
    pub fn begin(&self, from: Option<u64>) -> (u64, u64) {
        let mut inner = hold(&self.inner);
        inner.turn += 1;
        let (turn, from) = (inner.turn, from.unwrap_or(inner.taken));
        drop(inner);
        self.came.notify_waiters();
        (turn, from)
    }

    /// The next event from this number on, for the reader of this turn.
    pub async fn next(&self, turn: u64, from: u64) -> (Next, u64) {
        loop {
            let notified = self.came.notified();
            {
                let mut inner = hold(&self.inner);
                let found = inner.kept.iter().find(|(number, _)| *number >= from).cloned();
                // Events from before a pause are still delivered.
                if let Some((number, text)) = found
                    && (inner.turn == turn || inner.turn == turn + 1)
                {
                    inner.taken = number + 1;
                    return (Next::Event(format!("{}-{number}", self.id), text), number + 1);
                }
                if inner.ended || inner.turn != turn {
                    return (Next::End, from);
                }
            }
            notified.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    #[test]
    fn a_session_ends_after_a_day_of_silence_or_when_there_are_too_many() {
        let start = Instant::now();
        let all = |count: u64| (0..count).map(|n| (n.to_string(), start + Duration::from_secs(n))).collect();
        assert!(outlived(all(2), start + SESSION_IDLE.saturating_sub(Duration::from_secs(1))).is_empty());
        assert_eq!(outlived(all(2), start + SESSION_IDLE), ["0"]);
        assert_eq!(outlived(all(2), start + SESSION_IDLE + Duration::from_secs(1)), ["0", "1"]);
        assert!(outlived(all(SESSIONS_MAX as u64 - 1), start + Duration::from_hours(1)).is_empty());
        assert_eq!(outlived(all(SESSIONS_MAX as u64), start + Duration::from_hours(1)), ["0"]);
    }

    fn read(log: &Log, turn: u64, from: u64) -> Option<(Next, u64)> {
        match pin!(log.next(turn, from)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(next) => Some(next),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_stream_is_read_on_from_what_was_seen_last() {
        let log = Log::new(7);
        log.push("a");
        log.push("b");
        let (turn, from) = log.begin(None);
        assert_eq!(read(&log, turn, from), Some((Next::Event("7-0".into(), "a".into()), 1)));
        let (turn, from) = log.begin(Some(1));
        assert_eq!(read(&log, turn, from), Some((Next::Event("7-1".into(), "b".into()), 2)));
        assert_eq!(read(&log, turn, 2), None);
        log.end();
        assert_eq!(read(&log, turn, 2), Some((Next::End, 2)));
    }

    #[test]
    fn a_paused_stream_ends_its_reader_after_what_was_written() {
        let log = Log::new(1);
        let (turn, from) = log.begin(None);
        log.push("a");
        log.pause();
        assert_eq!(read(&log, turn, from), Some((Next::Event("1-0".into(), "a".into()), 1)));
        assert_eq!(read(&log, turn, 1), Some((Next::End, 1)));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let log = Log::new(1);
        for _ in 0..EVENTS_MAX + 5 {
            log.push("x");
        }
        assert_eq!(hold(&log.inner).kept.len(), EVENTS_MAX);
        let big = "x".repeat(EVENTS_BYTES_MAX);
        log.push(&big);
        log.push(&big);
        assert_eq!(hold(&log.inner).kept.len(), 1);
    }
}
