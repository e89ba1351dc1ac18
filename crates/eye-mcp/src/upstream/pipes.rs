//! The state of a child's pipes: the messages to write, and the end of its stderr.

use super::outbox::Outbox;
use crate::limits::STDERR_BYTES_MAX;
use std::sync::{Arc, Mutex, PoisonError};

/// The sending side of a child's connection.
#[derive(Debug, Default)]
pub struct ChildWire {
    pub outbox: Outbox,
    pub stderr_tail: StderrTail,
}

/// The end of a child's stderr.
#[derive(Clone, Debug, Default)]
pub struct StderrTail(Arc<Mutex<Vec<u8>>>);

impl StderrTail {
    /// Appends. Above the limit, the oldest bytes are dropped.
    pub fn append(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes);
        let over = kept.len().saturating_sub(STDERR_BYTES_MAX);
        kept.drain(..over);
    }

    pub fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).trim().to_owned()
    }
}
