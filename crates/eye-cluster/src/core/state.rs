//! The state of a hub in its cluster.

use super::calls::Calls;
use super::directory::Directory;
use super::event::Life;
use super::hubs::Hubs;
use super::seeks::Seeks;
use super::tokens::Tokens;
use super::topics::Topics;
use eye_core::Millis;
use std::sync::Arc;

/// Everything that a hub knows of its cluster.
#[derive(Debug)]
pub struct Core {
    pub(super) name: Arc<str>,
    pub(super) life: Life,
    /// When the link came up. `None`: there is no link.
    pub(super) up_since: Option<Millis>,
    /// When this hub last received its own heartbeat, which travels through the server like those of the other hubs.
    pub(super) heard_itself_at: Millis,
    /// When the last tick was.
    pub(super) ticked_at: Option<Millis>,
    pub(super) calls: Calls,
    pub(super) directory: Directory,
    pub(super) hubs: Hubs,
    pub(super) seeks: Seeks,
    pub(super) tokens: Tokens,
    pub(super) topics: Topics,
}

impl Core {
    /// A hub that has no link yet.
    pub fn new(name: Arc<str>, life: Life) -> Self {
        Self {
            name,
            life,
            up_since: None,
            heard_itself_at: 0,
            ticked_at: None,
            calls: Calls::default(),
            directory: Directory::default(),
            hubs: Hubs::default(),
            seeks: Seeks::default(),
            tokens: Tokens::default(),
            topics: Topics::default(),
        }
    }

    /// Sets how many pages of other hubs this hub lists. Further pages are looked up.
    #[must_use]
    pub fn listing(mut self, pages_max: usize) -> Self {
        self.directory.pages_max = pages_max;
        self
    }

    /// Whether other hubs hold pages that this one does not list.
    pub fn is_partial(&self) -> bool {
        self.directory.is_partial
    }

    pub fn is_up(&self) -> bool {
        self.up_since.is_some()
    }

    /// Whether this hub has read which sessions the other hubs hold.
    pub fn has_read(&self) -> bool {
        self.directory.is_read
    }

    /// Requests of local agents that another hub has not answered.
    pub fn calls_out(&self) -> usize {
        self.calls.len()
    }

    /// The names of the other hubs that are alive, with the number of pages that each holds.
    pub fn others(&self) -> Vec<(Arc<str>, usize)> {
        let mut others: Vec<_> =
            self.hubs.alive().map(|(life, name)| (name.clone(), self.directory.entries.held_by(life))).collect();
        others.sort();
        others
    }
}
