//! What a hub knows of states that outlive their hubs: pages that are no longer listed, requests that wait for a state,
//! and states that are to be written.

use crate::gone::GonePages;
use crate::ids::{Millis, earlier};
use crate::lookups::Lookups;
use eye_protocol::SessionId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Debug, Default)]
pub(crate) struct Outliving {
    pub gone: GonePages,
    /// Requests that wait for a state.
    pub recalls: Lookups<SessionId>,
    /// When the states of sessions here are to be written.
    due: BinaryHeap<Reverse<(Millis, SessionId)>>,
}

impl Outliving {
    /// Schedules the writing of a state.
    pub fn give_at(&mut self, at: Millis, session: SessionId) {
        self.due.push(Reverse((at, session)));
    }

    /// The next state that is due.
    pub fn next_due(&mut self, now: Millis) -> Option<SessionId> {
        self.due.peek().filter(|Reverse((at, _))| *at <= now)?;
        self.due.pop().map(|Reverse((_, session))| session)
    }

    /// When the next state or recall is due.
    pub fn next_wake(&self) -> Option<Millis> {
        let due = self.due.peek().map(|Reverse((at, _))| *at);
        earlier(due, self.recalls.next_wake())
    }
}
