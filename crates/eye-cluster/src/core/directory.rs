//! The directory as this hub knows it, and the sessions that this hub holds.

use super::event::{Action, Life};
use super::former::Former;
use crate::row::Row;
use eye_core::elsewhere::{Listed, PageElsewhere};
use eye_core::lasting::LastingState;
use eye_core::{Conn, Millis};
use eye_protocol::SessionId;
use eye_protocol::limits::{HANDOVER_MS, PAGES_ELSEWHERE_MAX, PAGES_LOOKED_UP_MAX};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// The directory as this hub knows it, and the sessions that this hub holds.
#[derive(Debug)]
pub(super) struct Directory {
    pub entries: Entries,
    pub own: FxHashMap<SessionId, Own>,
    /// The last holders of sessions whose entries are gone.
    pub former: Former,
    /// Sessions whose pages have come here from hubs that are gone, as far as is known here. Their rows follow.
    pub came_back: FxHashSet<SessionId>,
    /// Sessions that moved on to a third hub while their handover is still on its way here.
    pub passing: FxHashMap<SessionId, Passing>,
    /// Entries that have not been read again since reading restarted.
    pub unread: FxHashSet<SessionId>,
    /// Whether the whole directory has been read.
    pub is_read: bool,
    /// The newest revision that has been read. Revisions count for the whole directory and come in order, so an entry
    /// that was stored with an older revision has been read or replaced.
    pub newest_read: u64,
    /// The most entries of other hubs to keep, apart from those in `beyond`.
    pub pages_max: usize,
    /// Whether other hubs have entries that are not kept here.
    pub is_partial: bool,
    /// Whether an entry was omitted since reading restarted.
    pub has_left_out: bool,
    /// Entries kept beyond the limit, because they were looked up or concern this hub. The oldest first.
    beyond: VecDeque<SessionId>,
}

impl Default for Directory {
    fn default() -> Self {
        Self {
            entries: Entries::default(),
            own: FxHashMap::default(),
            former: Former::default(),
            came_back: FxHashSet::default(),
            passing: FxHashMap::default(),
            unread: FxHashSet::default(),
            is_read: false,
            newest_read: 0,
            pages_max: PAGES_ELSEWHERE_MAX,
            is_partial: false,
            has_left_out: false,
            beyond: VecDeque::new(),
        }
    }
}

/// All entries, with a count per life: the counts are read every 200 ms, so they must not cost more with more pages.
#[derive(Debug, Default)]
pub(super) struct Entries {
    all: FxHashMap<SessionId, Entry>,
    held: FxHashMap<Life, usize>,
    /// One entry of each life. New rows share their strings with it.
    newest: FxHashMap<Life, SessionId>,
}

impl Entries {
    pub fn get(&self, session: &SessionId) -> Option<&Entry> {
        self.all.get(session)
    }

    /// The number of entries of other hubs.
    pub fn elsewhere(&self, own: &str) -> usize {
        self.all.len() - self.held_by(own)
    }

    pub fn insert(&mut self, session: SessionId, entry: Entry) {
        self.remove(&session);
        *self.held.entry(entry.life.clone()).or_default() += 1;
        self.newest.insert(entry.life.clone(), session.clone());
        self.all.insert(session, entry);
    }

    pub fn remove(&mut self, session: &SessionId) {
        let Some(entry) = self.all.remove(session) else { return };
        if let Some(count) = self.held.get_mut(&entry.life) {
            *count -= 1;
            if *count == 0 {
                self.held.remove(&entry.life);
                self.newest.remove(&entry.life);
            }
        }
    }

    /// Makes a row share the strings of its life, hub and origin with known rows: a parsed row has its own copies.
    pub fn share(&self, row: &mut Row) {
        let Some((life, _)) = self.held.get_key_value(&row.life) else { return };
        row.life = life.clone();
        let Some(other) = self.newest.get(life).and_then(|session| self.all.get(session)) else { return };
        if other.page.hub == row.hub {
            row.hub = other.page.hub.clone();
        }
        if other.page.origin == row.origin {
            row.origin = other.page.origin.clone();
        }
    }

    pub fn sessions(&self) -> impl Iterator<Item = &SessionId> {
        self.all.keys()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&SessionId, &Entry)> {
        self.all.iter()
    }

    /// The name of the hub of this life, if it has entries.
    pub fn hub_of(&self, life: &Life) -> Option<&Arc<str>> {
        let newest = self.newest.get(life).and_then(|session| self.all.get(session));
        let any = newest.or_else(|| self.all.values().find(|entry| entry.life == *life));
        any.map(|entry| &entry.page.hub)
    }

    pub fn held_by(&self, life: &str) -> usize {
        self.held.get(life).copied().unwrap_or(0)
    }
}

/// An entry, as it was last read or written. It shares the page with the hub's list, so that it is kept in memory once.
#[derive(Debug)]
pub(super) struct Entry {
    pub page: Arc<PageElsewhere>,
    pub life: Life,
    pub epoch: u64,
    pub revision: u64,
}

impl Entry {
    pub fn of(session: SessionId, row: &Row, revision: u64, now: Millis) -> Self {
        let page = Arc::new(row.listed(session, now));
        Self { page, life: row.life.clone(), epoch: row.epoch, revision }
    }

    /// Whether the entry has the content of this row.
    pub fn lists(&self, row: &Row) -> bool {
        let is_its = self.life == row.life && self.epoch == row.epoch;
        is_its && *self.page == row.listed(self.page.id.clone(), self.page.heard_at)
    }
}

/// A session that this hub holds.
#[expect(clippy::struct_excessive_bools, reason = "what is known of a session, each for itself")]
#[derive(Debug)]
pub(super) struct Own {
    pub row: Row,
    /// The hub that held the session before and has not yet sent what it kept.
    pub before: Option<Life>,
    /// A write is under way.
    pub writing: bool,
    /// The row has changed since it was last written.
    pub changed: bool,
    /// The last connection of the session's page.
    pub page: Option<Conn>,
    /// The progress of the claim that was made when the page came.
    pub claim: Claim,
    /// The state to write as soon as the claim is written.
    pub state: Option<Box<LastingState>>,
    /// It is not known which hub held the session before, so a handover for this claim is accepted from any hub.
    pub takes_any: bool,
    /// What outlived the hub before is looked for when the claim is written.
    pub recalls: bool,
}

/// The progress of a claim. A page that left and came back makes a new claim: it may have been at another hub
/// meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    Due,
    /// It is being written over the entry with this revision.
    Writing(u64),
    /// It is in the directory. Only a later claim of another hub replaces it.
    Written,
}

impl Own {
    /// A session whose page has just come.
    pub fn new(row: Row, page: Option<Conn>, before: Option<Life>) -> Self {
        let (claim, state) = (Claim::Due, None);
        Self { row, before, writing: false, changed: true, page, claim, state, takes_any: false, recalls: false }
    }

    /// Whether, as far as this hub can know, the page came here after another hub of the same origin claimed it.
    pub fn comes_after(&self, origin: &Arc<str>) -> bool {
        self.claim != Claim::Written && self.row.connected && self.row.origin == *origin
    }

    /// The directory has the session as this hub's, with this claim and revision.
    pub fn is_there(&mut self, epoch: u64, revision: u64) {
        if matches!(self.claim, Claim::Writing(over) if revision > over) && self.row.epoch == epoch {
            self.claim = Claim::Written;
        }
    }
}

impl Directory {
    pub fn begin(&mut self) {
        self.is_read = false;
        self.newest_read = 0;
        self.has_left_out = false;
        self.unread = self.entries.sessions().cloned().collect();
    }

    pub fn link_is_down(&mut self) {
        self.is_read = false;
        for own in self.own.values_mut() {
            own.writing = false;
            own.changed = true;
            // The local hub sends the state again when the directory has been read.
            own.state = None;
        }
    }

    /// Whether there is room for one more entry of another hub.
    pub fn has_room(&self, own: &str) -> bool {
        self.entries.elsewhere(own) < self.pages_max
    }

    /// Whether so many entries are gone that some of the omitted ones have room again.
    pub fn has_become_empty(&self, own: &str) -> bool {
        self.is_partial && self.entries.elsewhere(own) < self.pages_max / 2
    }

    /// Keeps an entry beyond the limit. Returns the entry that was removed to make room.
    pub fn keep_beyond(&mut self, session: SessionId) -> Option<SessionId> {
        self.beyond.push_back(session);
        if self.beyond.len() <= PAGES_LOOKED_UP_MAX {
            return None;
        }
        let oldest = self.beyond.pop_front().filter(|oldest| !self.own.contains_key(oldest))?;
        self.entries.remove(&oldest);
        Some(oldest)
    }

    /// Removes an entry, and remembers which hub held it.
    pub fn forget(&mut self, session: &SessionId) {
        if let Some(entry) = self.entries.get(session) {
            self.former.note(session.clone(), entry.life.clone());
        }
        self.entries.remove(session);
    }

    /// The hub, other than this one, that held a session until now.
    pub fn holder_before(&mut self, session: &SessionId, own: &Life) -> Option<Life> {
        let former = self.former.take(session);
        self.life_of(session).cloned().or(former).filter(|life| life != own)
    }

    pub fn holds(&self, session: &SessionId) -> bool {
        self.own.contains_key(session)
    }

    pub fn life_of(&self, session: &SessionId) -> Option<&Life> {
        self.entries.get(session).map(|entry| &entry.life)
    }

    fn entries_of<'a>(&'a self, life: &'a str) -> impl Iterator<Item = (&'a SessionId, &'a Entry)> {
        self.entries.iter().filter(move |(_, entry)| *entry.life == *life)
    }

    pub fn listed_of(&self, life: &Life) -> Vec<Listed> {
        self.entries_of(life).map(|(_, entry)| Listed::There(entry.page.clone())).collect()
    }

    pub fn unlisted_of(&self, life: &Life) -> Vec<Listed> {
        self.entries_of(life).map(|(session, _)| Listed::Gone(session.clone())).collect()
    }

    pub fn remove_all_of(&self, life: &Life, out: &mut Vec<Action>) {
        out.extend(
            self.entries_of(life)
                .map(|(session, entry)| Action::Remove { session: session.clone(), revision: entry.revision }),
        );
    }
}

/// A handover that this hub waits for, to send it on to the next hub.
#[derive(Debug)]
pub(super) struct Passing {
    pub(super) from: Life,
    /// The claim of this hub that the handover is for.
    pub(super) claim: u64,
    pub(super) until: Millis,
}

impl Passing {
    pub fn new(now: Millis, from: Life, claim: u64) -> Self {
        Self { from, claim, until: now + HANDOVER_MS }
    }
}
