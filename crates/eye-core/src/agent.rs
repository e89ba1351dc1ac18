//! What is known of an agent: per connection, and, under its name, across connections.

use crate::event::Millis;
use crate::kept::Shelf;
use crate::order::InOrder;
use eye_protocol::limits::{CALL_TIMEOUT_DEFAULT_MS, CALL_TIMEOUT_MAX_MS};
use eye_protocol::{Ending, SessionId};
use std::collections::BTreeSet;

/// One connection of an agent.
#[derive(Debug, Default)]
pub struct Agent {
    /// Who it is across connections; empty when it did not say.
    pub name: Box<str>,
    /// The page its calls go to, as it named it.
    pub target: Option<Box<str>>,
    /// The frame its calls are evaluated in.
    pub frame: Option<Box<str>>,
    /// How long its calls may take.
    pub timeout_ms: Option<u64>,
    /// The page it used last on this connection.
    pub last_used: Option<SessionId>,
    /// Sessions where calls of it may be under way.
    pub asked: BTreeSet<SessionId>,
    /// Its answers without ids.
    pub order: InOrder<Ending>,
}

impl Agent {
    /// How long a call may take: as it says, as its connection says, or the default.
    pub fn timeout_ms(&self, wanted: Option<u64>) -> u64 {
        wanted.or(self.timeout_ms).unwrap_or(CALL_TIMEOUT_DEFAULT_MS).min(CALL_TIMEOUT_MAX_MS)
    }
}

/// What outlives an agent's connections.
#[derive(Debug, Default)]
pub struct Memory {
    /// The page it used last.
    pub last_used: Option<SessionId>,
    /// Its kept results.
    pub shelf: Shelf,
    /// When it was last there.
    pub seen_at: Millis,
}
