//! Everything a hub knows of its cluster.

use super::calls::Calls;
use super::directory::Directory;
use super::event::Life;
use super::hubs::Hubs;
use super::seeks::Seeks;
use super::tokens::Tokens;
use super::topics::Topics;
use eye_core::Millis;
use std::sync::Arc;

/// Everything a hub knows of its cluster.
#[derive(Debug)]
pub struct Core {
    pub(super) name: Arc<str>,
    pub(super) life: Life,
    /// Since when the link has been up.
    pub(super) up_since: Option<Millis>,
    /// When this hub last heard its own heartbeat, which passes the server as those of the others do.
    pub(super) heard_itself_at: Millis,
    /// When time last passed here.
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

    /// The same, and it lists so many pages of other hubs; further ones are looked up.
    #[must_use]
    pub fn listing(mut self, pages_max: usize) -> Self {
        self.directory.pages_max = pages_max;
        self
    }

    /// Whether other hubs hold pages that this one does not list.
    pub fn is_partial(&self) -> bool {
        self.directory.is_partial
    }

    /// Whether the link is up.
    pub fn is_up(&self) -> bool {
        self.up_since.is_some()
    }

    /// Whether this hub knows which sessions the others hold.
    pub fn has_read(&self) -> bool {
        self.directory.is_read
    }

    /// Requests of agents here that another hub has not answered.
    pub fn calls_out(&self) -> usize {
        self.calls.len()
    }

    /// The other hubs that are there, by name, with the pages that each holds.
    pub fn others(&self) -> Vec<(Arc<str>, usize)> {
        let mut others: Vec<_> =
            self.hubs.alive().map(|(life, name)| (name.clone(), self.directory.entries.held_by(life))).collect();
        others.sort();
        others
    }
}
