//! A socket as the hub writes to it directly.

use super::outbox::Waiting;
use std::fmt::Debug;

/// A socket that takes bytes without waiting.
pub trait Outlet: Debug + Send + Sync {
    /// Writes as much as it takes now.
    fn send(&self, waiting: Waiting<'_>) -> Sent;
}

/// The result of a direct write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Bytes that the outbox need not keep any more; of messages all or none.
    pub taken: usize,
    /// Whether everything was written.
    pub all: bool,
}
