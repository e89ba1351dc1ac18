//! The audit thread: takes queued entries, writes them in batches, and broadcasts each row to watchers.

use super::entry::{Entry, dropped_line};
use super::queue::{AuditMode, Shared};
use super::rows::Rows;
use crate::gate::token::{self, Token};
use crate::rotated::Rotated;
use eye_protocol::limits::{AUDIT_FILE_BYTES_MAX, AUDIT_FILES_MAX};
use ring::hmac;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::sync::broadcast;

/// The log's file name in the hub's folder.
pub const FILE: &str = "audit.jsonl";
/// The file with the hash key, in the same folder.
const KEY_FILE: &str = "audit.key";
/// Pause between batches, so that rows which arrive close together are written together.
const BATCH_PAUSE: Duration = Duration::from_millis(50);
/// Bytes that trigger a write within a batch.
const WRITE_BYTES_MAX: usize = 256 << 10;
/// Capacity for entries that is kept from one batch to the next.
const ENTRIES_KEPT: usize = 1024;

/// The state of the audit thread.
pub struct Writer {
    folder: PathBuf,
    contents: bool,
    shared: Arc<Shared>,
    rows: broadcast::Sender<Arc<str>>,
    file: Rotated,
    /// Rows that are not yet in the file.
    lines: Vec<u8>,
    /// Rows that were dropped, and why.
    missing: u64,
    why: String,
}

impl Writer {
    pub fn new(folder: &Path, mode: AuditMode, shared: Arc<Shared>, rows: broadcast::Sender<Arc<str>>) -> Self {
        let file = Rotated::new(folder.join(FILE), AUDIT_FILE_BYTES_MAX, AUDIT_FILES_MAX);
        let contents = mode == AuditMode::Full;
        let (lines, why) = (Vec::new(), String::new());
        Self { folder: folder.to_owned(), contents, shared, rows, file, lines, missing: 0, why }
    }

    /// Runs until the hub stops.
    pub fn run(mut self) {
        let mut rows = Rows::new(key(&self.folder), self.contents);
        let mut entries = Vec::new();
        loop {
            let mut queue = self.shared.queue();
            std::mem::swap(&mut queue.entries, &mut entries);
            let dropped = std::mem::take(&mut queue.dropped);
            queue.bytes = 0;
            let closing = queue.closing;
            if entries.is_empty() && dropped == 0 {
                if closing {
                    queue.closed = true;
                    self.shared.changed.notify_all();
                    return;
                }
                drop(queue);
                thread::park();
                continue;
            }
            drop(queue);
            self.write(&mut rows, &entries, dropped);
            self.shared.queue().done += entries.len() as u64;
            entries.clear();
            entries.shrink_to(ENTRIES_KEPT);
            self.shared.changed.notify_all();
            if !closing {
                thread::sleep(BATCH_PAUSE);
            }
        }
    }

    fn write(&mut self, rows: &mut Rows, entries: &[Box<Entry>], dropped: u64) {
        if dropped > 0 {
            self.miss(dropped, "more calls came than could be written");
        }
        let mut count = 0;
        for entry in entries {
            let start = self.lines.len();
            rows.write(entry, &mut self.lines);
            if self.rows.receiver_count() > 0
                && let Ok(row) = std::str::from_utf8(&self.lines[start..])
            {
                // The last watcher may have left in the meantime.
                let _ = self.rows.send(row.into());
            }
            self.lines.push(b'\n');
            count += 1;
            if self.lines.len() > WRITE_BYTES_MAX {
                self.append(&mut count);
            }
        }
        self.append(&mut count);
    }

    /// Writes the collected lines, preceded by a row that counts the missing ones.
    fn append(&mut self, count: &mut u64) {
        if self.missing > 0 {
            let missing_row = dropped_line(self.missing, &self.why) + "\n";
            self.lines.splice(..0, missing_row.into_bytes());
        }
        let count = std::mem::take(count);
        let written = self.file.append(&self.lines);
        self.lines.clear();
        match written {
            Ok(_) => {
                self.missing = 0;
                let mended = self.shared.queue().problem.take();
                if mended.is_some() {
                    tracing::info!("the audit log is written again");
                }
            }
            Err(error) => self.failed(count, &error),
        }
    }

    fn failed(&mut self, count: u64, error: &io::Error) {
        let why = format!("the log could not be written: {error}");
        self.miss(count, &why);
        let problem = format!("the audit log in {} cannot be written: {error}", self.folder.display());
        let before = self.shared.queue().problem.replace(problem);
        if before.is_none() {
            tracing::error!(folder = %self.folder.display(), %error, "the audit log cannot be written; rows are dropped");
        }
    }

    fn miss(&mut self, count: u64, why: &str) {
        self.missing += count;
        why.clone_into(&mut self.why);
    }
}

/// The hash key. If it cannot be stored, hashes are comparable only while this hub runs.
fn key(folder: &Path) -> hmac::Key {
    let path = folder.join(KEY_FILE);
    let secret = Token::load_or_create(&path).unwrap_or_else(|error| {
        tracing::warn!(file = %path.display(), %error, "the key of the audit log cannot be used; this hub takes another");
        token::fresh().unwrap_or_else(|_| Token::new(""))
    });
    hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::log::Audit;
    use super::super::reading::read;
    use super::*;
    use std::fs;

    #[test]
    fn rows_are_written_and_read_back_and_missing_ones_are_reported() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(FILE);
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        let (shared, rows) = (Arc::<Shared>::default(), broadcast::Sender::new(4));
        let mut writer = Writer::new(home.path(), AuditMode::On, shared.clone(), rows);
        let mut rows = Rows::new(key(home.path()), false);
        writer.write(&mut rows, &[Entry::new("eval".into(), "1"), Entry::new("eval".into(), "2")].map(Box::new), 3);
        assert!(shared.queue().problem.is_some());
        fs::remove_file(&path).unwrap();
        writer.write(&mut rows, &[Box::new(Entry::new("eval".into(), "3"))], 0);
        assert!(shared.queue().problem.is_none());
        let (lines, cut) = read(home.path(), 0, 10);
        assert!(lines[0].get().contains(r#""dropped":5"#) && lines[1].get().contains("eval") && !cut, "{lines:?}");
    }

    #[test]
    fn the_last_rows_are_written_before_the_hub_ends() {
        let home = tempfile::tempdir().unwrap();
        let audit = Audit::start(AuditMode::On, home.path()).unwrap();
        for _ in 0..100 {
            audit.put(Box::new(Entry::new("eval".into(), "1")));
        }
        audit.finish();
        assert_eq!(read(home.path(), 0, 1_000).0.len(), 100);
    }
}
