//! The memory that is kept for peers, under one budget: documents with their histories, mailboxes, kept results, tools.
//! Sizes are estimates of what parsed values take ([`crate::document`]). When the sum exceeds the budget, the oldest
//! gives way until an eighth of it is free, so that looking for the oldest is rare.

use crate::effect::Effect;
use crate::heavy::Heavy;
use eye_protocol::limits::MEMORY_BYTES_MAX;

/// What is left of the budget when something had to give way.
const MEMORY_BYTES_AFTER: usize = MEMORY_BYTES_MAX / 8 * 7;

/// What is kept, summed.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    /// By sessions: states, mailboxes, tools.
    sessions_bytes: usize,
    /// Of that, tools of sessions, which do not give way while their page is there.
    tools_bytes: usize,
    /// By agents: kept results.
    shelves_bytes: usize,
    /// What gave way and takes long to free.
    freed: Vec<Box<dyn Heavy>>,
}

impl Budget {
    /// What is kept for peers, by estimate.
    pub fn kept_bytes(&self) -> usize {
        self.sessions_bytes + self.shelves_bytes
    }

    /// Whether something has to give way.
    pub fn is_exceeded(&self) -> bool {
        self.kept_bytes() > MEMORY_BYTES_MAX
    }

    /// Whether enough has given way.
    pub fn has_room(&self) -> bool {
        self.kept_bytes() <= MEMORY_BYTES_AFTER
    }

    /// What the tools of one more page may take.
    pub fn tools_room_bytes(&self) -> usize {
        (MEMORY_BYTES_MAX / 2).saturating_sub(self.tools_bytes)
    }

    /// A session took `before` and takes `now`: all of it, and its tools.
    pub fn session_takes(&mut self, before: (usize, usize), now: (usize, usize)) {
        self.sessions_bytes = self.sessions_bytes + now.0 - before.0;
        self.tools_bytes = self.tools_bytes + now.1 - before.1;
    }

    /// The shelf of an agent took `before_bytes` and takes `now_bytes`.
    pub fn shelf_takes(&mut self, before_bytes: usize, now_bytes: usize) {
        self.shelves_bytes = self.shelves_bytes + now_bytes - before_bytes;
    }

    /// Something gave way that takes long to free.
    pub fn free_later(&mut self, value: Box<dyn Heavy>) {
        self.freed.push(value);
    }

    /// What is to be freed elsewhere.
    pub fn freed(&mut self) -> impl Iterator<Item = Effect> + '_ {
        self.freed.drain(..).map(Effect::Free)
    }
}
