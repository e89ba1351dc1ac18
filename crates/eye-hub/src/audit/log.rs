//! The handle to the audit thread: accepts entries, and broadcasts rows to watchers. It does not write files.

use super::entry::Entry;
use super::queue::{AuditMode, Shared};
use super::writing::Writer;
use eye_protocol::limits::{AUDIT_QUEUE_BYTES_MAX, AUDIT_QUEUE_LEN_MAX};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::Thread;
use std::time::Duration;
use tokio::sync::broadcast;

/// Rows that a watcher may lag behind before it loses some.
const WATCHED_ROWS_MAX: usize = 2048;
/// How long a stopping hub waits for the last rows to be written.
const LAST_ROWS: Duration = Duration::from_secs(1);

/// The handle to the audit thread.
pub struct Audit {
    mode: AuditMode,
    folder: PathBuf,
    shared: Arc<Shared>,
    thread: Option<Thread>,
    rows: broadcast::Sender<Arc<str>>,
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Audit({})", self.mode.word())
    }
}

impl Audit {
    /// A log that keeps nothing.
    pub fn off() -> Arc<Self> {
        Arc::new(Self::new(AuditMode::Off, PathBuf::new()))
    }

    /// Starts the thread, unless the log is off. The log and its key are in `folder`.
    pub fn start(mode: AuditMode, folder: &Path) -> std::io::Result<Arc<Self>> {
        let mut audit = Self::new(mode, folder.to_owned());
        if mode != AuditMode::Off {
            let writer = Writer::new(folder, mode, audit.shared.clone(), audit.rows.clone());
            let thread = std::thread::Builder::new().name("audit".into()).spawn(move || writer.run())?;
            audit.thread = Some(thread.thread().clone());
        }
        Ok(Arc::new(audit))
    }

    fn new(mode: AuditMode, folder: PathBuf) -> Self {
        let rows = broadcast::Sender::new(WATCHED_ROWS_MAX);
        Self { mode, folder, shared: Arc::default(), thread: None, rows }
    }

    /// Whether calls are recorded.
    pub fn is_on(&self) -> bool {
        self.mode != AuditMode::Off
    }

    pub fn mode(&self) -> AuditMode {
        self.mode
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Queues an entry. Never blocks: if the queue is full, the entry is dropped and counted.
    pub fn put(&self, entry: Box<Entry>) {
        let Some(thread) = &self.thread else { return };
        let mut queue = self.shared.queue();
        let bytes = queue.bytes + entry.arguments.len();
        if queue.entries.len() >= AUDIT_QUEUE_LEN_MAX || bytes > AUDIT_QUEUE_BYTES_MAX {
            queue.dropped += 1;
            return;
        }
        let first = queue.entries.is_empty();
        queue.bytes = bytes;
        queue.put += 1;
        queue.entries.push(entry);
        drop(queue);
        if first {
            thread.unpark();
        }
    }

    /// Subscribes to new rows, as lines of JSON. Without watchers, rows are not broadcast.
    pub fn watch(&self) -> broadcast::Receiver<Arc<str>> {
        self.rows.subscribe()
    }

    /// Why rows cannot be written at the moment.
    pub fn problem(&self) -> Option<String> {
        self.shared.queue().problem.clone()
    }

    /// Stops the thread and waits until all queued entries are written, for at most `LAST_ROWS`.
    pub fn finish(&self) {
        let Some(thread) = &self.thread else { return };
        let mut queue = self.shared.queue();
        queue.closing = true;
        thread.unpark();
        let _ = self.shared.changed.wait_timeout_while(queue, LAST_ROWS, |queue| !queue.closed);
    }

    /// Blocks until the entries queued so far are written, for at most `LAST_ROWS`.
    pub fn settle(&self) {
        let queue = self.shared.queue();
        let put = queue.put;
        if self.thread.is_some() {
            let _ = self.shared.changed.wait_timeout_while(queue, LAST_ROWS, |queue| queue.done < put);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::limits::AUDIT_ARGUMENTS_BYTES_MAX;

    /// A log whose thread does nothing, so that the queue fills.
    fn stuck() -> Audit {
        let mut audit = Audit::new(AuditMode::On, PathBuf::new());
        audit.thread = Some(std::thread::current());
        audit
    }

    #[test]
    fn a_full_queue_drops_and_counts() {
        let audit = stuck();
        for _ in 0..AUDIT_QUEUE_LEN_MAX {
            audit.put(Box::new(Entry::new("eval".into(), "1")));
        }
        assert_eq!(audit.shared.queue().dropped, 0);
        audit.put(Box::new(Entry::new("eval".into(), "1")));
        let queue = audit.shared.queue();
        assert_eq!((queue.dropped, queue.entries.len()), (1, AUDIT_QUEUE_LEN_MAX));
    }

    #[test]
    fn large_arguments_fill_the_queue_too() {
        let audit = stuck();
        let large = "x".repeat(AUDIT_ARGUMENTS_BYTES_MAX);
        for _ in 0..AUDIT_QUEUE_BYTES_MAX / AUDIT_ARGUMENTS_BYTES_MAX {
            audit.put(Box::new(Entry::new("eval".into(), &large)));
        }
        let bytes = audit.shared.queue().bytes;
        assert_eq!((audit.shared.queue().dropped, bytes), (0, AUDIT_QUEUE_BYTES_MAX));
        audit.put(Box::new(Entry::new("eval".into(), "1")));
        assert_eq!(audit.shared.queue().dropped, 1);
    }

    #[test]
    fn what_is_off_keeps_nothing() {
        let audit = Audit::off();
        audit.put(Box::new(Entry::new("eval".into(), "1")));
        assert!(audit.shared.queue().entries.is_empty() && !audit.is_on());
        audit.finish();
    }
}
