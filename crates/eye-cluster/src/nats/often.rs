//! The sources that every call comes through.

use crate::FromHub;
use crate::queue::Queue;
use async_nats::Subscriber;
use std::collections::VecDeque;

/// The sources of every call.
pub struct Often<'a> {
    /// Messages of other hubs.
    pub own: Subscriber,
    /// Effects and news of this hub.
    pub queue: &'a Queue,
    /// Those that are being handled.
    pub taken: VecDeque<FromHub>,
}

impl Often<'_> {
    /// The next one that this hub has queued.
    pub fn next(&mut self) -> Option<FromHub> {
        if self.taken.is_empty() {
            self.queue.take(&mut self.taken);
        }
        self.taken.pop_front()
    }
}
