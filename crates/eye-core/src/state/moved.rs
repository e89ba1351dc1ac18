//! States that move to another hub, or come from one.

use super::{Holding, State, When};
use crate::document::Document;
use crate::handover::HandedState;
use crate::ids::Millis;
use std::collections::VecDeque;

impl State {
    /// A state that another hub kept. The page that published it is not here.
    pub(crate) fn handed(document: Option<Document>, revision: u64, came: When) -> Self {
        let document = document.map_or(Holding::Dropped, Holding::Here);
        let history = VecDeque::new();
        Self { document, revision, page_revision: 0, came, history, history_bytes: 0, current: false }
    }

    /// Takes the state apart for another hub: the document is returned separately, because its text is made elsewhere.
    pub(crate) fn hand_over(mut self, now: Millis) -> (HandedState, Option<Document>) {
        let age_ms = now.saturating_sub(self.came.now);
        let handed = HandedState { text: None, revision: self.revision, age_ms, wall_ms: self.came.wall_ms };
        (handed, self.drop_document())
    }

    /// When it was published: Unix time in milliseconds.
    pub(crate) fn published_at(&self) -> u64 {
        self.came.wall_ms
    }

    /// Another hub gave this revision, or a later one, to an older state: goes on after it.
    pub(crate) fn number_after(&mut self, revision: u64) {
        if self.revision <= revision {
            self.revision = revision + 1;
            self.history.clear();
            self.history_bytes = 0;
        }
    }

    /// Another hub had published up to this revision before what is known here: adds it, because revisions only grow.
    pub(crate) fn follow(&mut self, revision: u64) {
        self.revision += revision;
        for (at, _) in &mut self.history {
            *at += revision;
        }
    }
}
