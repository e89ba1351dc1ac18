//! The queue of the audit thread, bounded in rows and bytes, and the log's mode.

use super::entry::Entry;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuditMode {
    Off,
    /// A row for each call, without contents.
    #[default]
    On,
    /// Rows with the arguments of calls.
    Full,
}

impl AuditMode {
    /// The mode's word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Full => "full",
        }
    }
}

/// The queue, and a condition variable that signals the thread's progress.
#[derive(Debug, Default)]
pub struct Shared {
    queue: Mutex<Queue>,
    /// Signals that the thread has written a batch, or has ended.
    pub changed: Condvar,
}

#[derive(Debug, Default)]
pub struct Queue {
    /// In the order in which the calls ended.
    #[expect(clippy::vec_box, reason = "entries move on, and a pointer moves for less")]
    pub entries: Vec<Box<Entry>>,
    /// Bytes of the entries' arguments.
    pub bytes: usize,
    /// Entries that found no room since the thread last took a batch.
    pub dropped: u64,
    /// Entries ever queued.
    pub put: u64,
    /// Entries that the thread has written or dropped.
    pub done: u64,
    /// Set by a hub that stops: the thread ends once the queue is empty.
    pub closing: bool,
    pub closed: bool,
    /// Why rows cannot be written at the moment.
    pub problem: Option<String>,
}

impl Shared {
    pub fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
