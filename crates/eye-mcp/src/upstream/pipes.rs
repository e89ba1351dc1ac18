//! What is kept of a child's pipes: what waits to be written to it, and the end of what it said on stderr.

use super::outbox::Outbox;
use crate::limits::STDERR_BYTES_MAX;
use std::sync::{Arc, Mutex, PoisonError};

/// The sending end of a child.
#[derive(Debug, Default)]
pub struct ChildWire {
    /// What waits to be written.
    pub outbox: Outbox,
    /// What it says on stderr.
    pub murmur: Murmur,
}

/// The end of what a child said on stderr.
#[derive(Clone, Debug, Default)]
pub struct Murmur(Arc<Mutex<Vec<u8>>>);

impl Murmur {
    /// Adds to it. What is older gives way.
    pub fn hear(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes);
        let over = kept.len().saturating_sub(STDERR_BYTES_MAX);
        kept.drain(..over);
    }

    /// The last of it.
    pub fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).trim().to_owned()
    }
}
