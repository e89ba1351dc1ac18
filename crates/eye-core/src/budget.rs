//! The memory that is kept for peers, under one budget: documents with their histories, mailboxes, kept results, tools.
//! Sizes are estimates of what parsed values take ([`crate::document`]). When the sum exceeds the budget, the oldest is
//! evicted until an eighth of the budget is free, so that looking for the oldest is rare.

use crate::effect::Effect;
use crate::heavy::Heavy;
use eye_protocol::limits::MEMORY_BYTES_MAX;

/// Eviction stops when no more than this is kept.
const MEMORY_BYTES_AFTER: usize = MEMORY_BYTES_MAX / 8 * 7;

#[derive(Debug, Default)]
pub(crate) struct Budget {
    /// Kept for sessions: states, mailboxes, tools.
    sessions_bytes: usize,
    /// Part of `sessions_bytes`: tools, which are not evicted while their page is there.
    tools_bytes: usize,
    /// Kept for agents: results.
    shelves_bytes: usize,
    /// Evicted values that take long to free.
    freed: Vec<Box<dyn Heavy>>,
}

impl Budget {
    /// Bytes kept for peers, by estimate.
    pub fn kept_bytes(&self) -> usize {
        self.sessions_bytes + self.shelves_bytes
    }

    /// Whether something must be evicted.
    pub fn is_exceeded(&self) -> bool {
        self.kept_bytes() > MEMORY_BYTES_MAX
    }

    /// Whether enough has been evicted.
    pub fn has_room(&self) -> bool {
        self.kept_bytes() <= MEMORY_BYTES_AFTER
    }

    /// Bytes that the tools of one more page may take.
    pub fn tools_room_bytes(&self) -> usize {
        (MEMORY_BYTES_MAX / 2).saturating_sub(self.tools_bytes)
    }

    /// Replaces the bytes of a session, `before` by `now`: all of it, and the part that is tools.
    pub fn session_takes(&mut self, before: (usize, usize), now: (usize, usize)) {
        self.sessions_bytes = self.sessions_bytes + now.0 - before.0;
        self.tools_bytes = self.tools_bytes + now.1 - before.1;
    }

    /// Replaces the bytes of an agent's shelf.
    pub fn shelf_takes(&mut self, before_bytes: usize, now_bytes: usize) {
        self.shelves_bytes = self.shelves_bytes + now_bytes - before_bytes;
    }

    /// Queues an evicted value to be freed off the hub's thread.
    pub fn free_later(&mut self, value: Box<dyn Heavy>) {
        self.freed.push(value);
    }

    /// Whether values are queued.
    pub fn has_freed(&self) -> bool {
        !self.freed.is_empty()
    }

    /// Takes the queued values, as effects.
    pub fn freed(&mut self) -> impl Iterator<Item = Effect> + '_ {
        self.freed.drain(..).map(Effect::Free)
    }
}
