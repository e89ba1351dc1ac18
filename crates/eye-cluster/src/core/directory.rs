//! The directory as this hub knows it, and what this hub holds itself.

use super::event::{Action, Life};
use crate::row::Row;
use eye_core::Millis;
use eye_core::elsewhere::Listed;
use eye_protocol::SessionId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The directory as this hub knows it, and what it holds itself.
#[derive(Debug, Default)]
pub(super) struct Directory {
    pub entries: FxHashMap<SessionId, Entry>,
    pub own: FxHashMap<SessionId, Own>,
    /// Entries that have not been read again since the directory was begun anew.
    pub unread: FxHashSet<SessionId>,
    /// Whether all of it has been read.
    pub is_read: bool,
    /// The newest revision that has been read. Revisions are of the whole directory and come in order, so what was stored at an
    /// older one has been read, or has been replaced since.
    pub newest_read: u64,
}

/// An entry, as it was last read or written.
#[derive(Debug)]
pub(super) struct Entry {
    pub row: Row,
    pub revision: u64,
}

/// A session that this hub holds.
#[derive(Debug)]
pub(super) struct Own {
    pub row: Row,
    /// A write is under way.
    pub writing: bool,
    /// The row has changed since it was written.
    pub changed: bool,
}

impl Directory {
    pub fn begin(&mut self) {
        self.is_read = false;
        self.newest_read = 0;
        self.unread = self.entries.keys().cloned().collect();
    }

    pub fn link_is_down(&mut self) {
        self.is_read = false;
        for own in self.own.values_mut() {
            own.writing = false;
            own.changed = true;
        }
    }

    pub fn holds(&self, session: &SessionId) -> bool {
        self.own.contains_key(session)
    }

    pub fn life_of(&self, session: &SessionId) -> Option<&Life> {
        self.entries.get(session).map(|entry| &entry.row.life)
    }

    pub fn held_by<'a>(&'a self, life: &'a str) -> impl Iterator<Item = (&'a SessionId, &'a Row)> {
        self.entries.iter().map(|(session, entry)| (session, &entry.row)).filter(move |(_, row)| *row.life == *life)
    }

    pub fn listed_of(&self, life: &Life, now: Millis) -> Vec<Listed> {
        let listed = |(session, row): (&SessionId, &Row)| Listed::There(Box::new(row.listed(session.clone(), now)));
        self.held_by(life).map(listed).collect()
    }

    pub fn unlisted_of(&self, life: &Life) -> Vec<Listed> {
        self.held_by(life).map(|(session, _)| Listed::Gone(session.clone())).collect()
    }

    pub fn remove_all_of(&self, life: &Life, out: &mut Vec<Action>) {
        let of_it = self.entries.iter().filter(|(_, entry)| entry.row.life == *life);
        out.extend(of_it.map(|(session, entry)| Action::Remove { session: session.clone(), revision: entry.revision }));
    }
}
