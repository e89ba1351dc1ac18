//! What takes long to free.

use eye_protocol::scan::Pause;
use std::fmt;

/// Something that is freed anywhere but on the hub's thread, piece by piece.
pub trait Heavy: Send + fmt::Debug {
    /// Frees it, and calls `pause` about every tenth of a millisecond.
    fn free(self: Box<Self>, pause: Pause);
}
