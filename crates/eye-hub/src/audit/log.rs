//! The way to the audit thread: entries in, rows out to whatever watches.

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

/// Rows that a watcher may be behind before it misses some.
const WATCHED_ROWS_MAX: usize = 2048;
/// How long a hub that ends waits for the last rows to be written.
const LAST_ROWS: Duration = Duration::from_secs(1);

/// The way to the audit thread.
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

    /// Starts the thread, unless the log is off. The log and its key are in this folder.
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

    /// Whether it keeps anything.
    pub fn is_on(&self) -> bool {
        self.mode != AuditMode::Off
    }

    /// What it holds.
    pub fn mode(&self) -> AuditMode {
        self.mode
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Hands an entry over. It never waits: without room the entry is dropped and counted.
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

    /// The rows from now on, as lines of JSON. Nothing is paid for while there is no watcher.
    pub fn watch(&self) -> broadcast::Receiver<Arc<str>> {
        self.rows.subscribe()
    }

    /// Why rows cannot be written, while that is so.
    pub fn problem(&self) -> Option<String> {
        self.shared.queue().problem.clone()
    }

    /// Waits until what was handed over is written, or the disk takes too long.
    pub fn finish(&self) {
        let Some(thread) = &self.thread else { return };
        let mut queue = self.shared.queue();
        queue.closing = true;
        thread.unpark();
        let _ = self.shared.changed.wait_timeout_while(queue, LAST_ROWS, |queue| !queue.closed);
    }

    /// Waits until what was handed over before is written, or the disk takes too long. It blocks.
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
