//! A message of one frame, written apart from the others.

use crate::core::Life;
use crate::wire::Frame;

/// A message that was written apart, with the frame that it holds.
pub(super) struct Alone {
    pub to: Life,
    pub frame: Frame,
    pub message: Vec<u8>,
}
