//! Values that take long to free.

use eye_protocol::scan::Pause;
use std::fmt;

/// A value that is freed off the hub's thread, piece by piece.
pub trait Heavy: Send + fmt::Debug {
    /// Frees it, and calls `pause` about every tenth of a millisecond.
    fn free(self: Box<Self>, pause: Pause);
}
