//! What waits for the audit thread, bounded by rows and bytes, and what the log holds.

use super::entry::Entry;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What the log holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuditMode {
    /// Nothing.
    Off,
    /// A row for each call, without contents.
    #[default]
    On,
    /// Rows with the arguments of calls.
    Full,
}

impl AuditMode {
    /// Its word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Full => "full",
        }
    }
}

/// The queue, and how others learn how far the thread is.
#[derive(Debug, Default)]
pub struct Shared {
    queue: Mutex<Queue>,
    /// The thread has written a batch, or ends.
    pub changed: Condvar,
}

/// What is in it.
#[derive(Debug, Default)]
pub struct Queue {
    /// In the order of their endings.
    #[expect(clippy::vec_box, reason = "entries move on, and a pointer moves for less")]
    pub entries: Vec<Box<Entry>>,
    /// Bytes of their arguments.
    pub bytes: usize,
    /// Entries that found no room since the thread last looked.
    pub dropped: u64,
    /// Entries that were ever put here.
    pub put: u64,
    /// Of them, those that the thread is done with.
    pub done: u64,
    /// The hub ends.
    pub closing: bool,
    /// The thread has ended.
    pub closed: bool,
    /// Why rows cannot be written, while that is so.
    pub problem: Option<String>,
}

impl Shared {
    /// Holds it.
    pub fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
