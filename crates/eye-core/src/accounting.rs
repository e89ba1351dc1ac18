//! Counts the memory kept for sessions and agents against the budget, and evicts the oldest when the budget is
//! exceeded.

use crate::ids::Millis;
use crate::session::Session;
use crate::switchboard::Switchboard;
use eye_protocol::SessionId;
use eye_protocol::limits::LIGHT_BYTES_MAX;
use std::sync::Arc;

/// Something that may be evicted.
enum Item {
    State(SessionId),
    Mailbox(SessionId),
    /// The oldest snapshot of a session's state.
    Snapshot(SessionId),
    /// A whole session whose page is gone.
    Session(SessionId),
    /// All ended results of an agent.
    Shelf(Arc<str>),
}

impl Switchboard {
    /// Bytes kept for peers, by estimate.
    pub fn kept_bytes(&self) -> usize {
        self.budget.kept_bytes()
    }

    /// Bytes that the tools of one more page may take.
    pub(crate) fn tools_room_bytes(&self) -> usize {
        self.budget.tools_room_bytes()
    }

    /// Recounts the bytes of a session, and evicts if the budget is exceeded.
    pub(crate) fn account(&mut self, session: &SessionId) {
        let Some(held) = self.sessions.get_mut(session) else { return };
        let takes = (held.kept_bytes(), held.toolbox().parsed_bytes());
        let before = std::mem::replace(&mut held.accounted, takes);
        self.budget.session_takes(before, takes);
        if self.budget.is_exceeded() {
            self.make_memory();
        }
    }

    /// Updates the bytes of an agent's shelf, and evicts if the budget is exceeded.
    pub(crate) fn account_shelf(&mut self, before_bytes: usize, after_bytes: usize) {
        self.budget.shelf_takes(before_bytes, after_bytes);
        if self.budget.is_exceeded() {
            self.make_memory();
        }
    }

    /// Removes a session with its names, watchers and members.
    pub(crate) fn forget_session(&mut self, session: &SessionId) {
        self.namings += 1;
        let held = self.sessions.remove(session);
        let goes_on =
            self.elsewhere.get(session).zip(held.as_ref()).is_some_and(|(page, held)| *page.origin == *held.origin());
        if let Some(held) = held {
            self.forget_names(&held);
            self.budget.session_takes(held.accounted, (0, 0));
            if held.accounted.0 > LIGHT_BYTES_MAX {
                self.budget.free_later(held);
            }
        }
        self.row_changed(session);
        self.forget_lane(session);
        // Another origin may make a session of this id later; its news is not for those who followed this one. Where
        // the page is at another hub by now, they follow it there.
        if goes_on {
            return;
        }
        self.watchers.remove(session);
        for member in self.members.remove(session).unwrap_or_default() {
            if let Some(agent) = self.agents.get_mut(&member) {
                agent.joined = None;
            }
        }
    }

    fn make_memory(&mut self) {
        let mut items: Vec<(Millis, Item)> = Vec::new();
        for held in self.sessions.values() {
            let id = held.id();
            if let Some(state) = held.published.state.as_ref().filter(|state| state.parsed_bytes() > 0) {
                items.push((state.changed_at(), Item::State(id.clone())));
            }
            items.extend(held.mailbox().newest_at().map(|at| (at, Item::Mailbox(id.clone()))));
            items.extend(held.published.snapshots.oldest_at().map(|at| (at, Item::Snapshot(id.clone()))));
            let forgettable = held.gone_since().filter(|_| !held.is_awaited());
            items.extend(forgettable.map(|at| (at, Item::Session(id.clone()))));
        }
        for (name, memory) in &self.memories {
            items.extend(memory.shelf.oldest_at().map(|at| (at, Item::Shelf(name.clone()))));
        }
        items.sort_by_key(|(at, _)| *at);
        for (_, item) in items {
            if self.budget.has_room() {
                return;
            }
            match item {
                Item::State(session) => {
                    let freed = self.shrink(&session, |held| held.published.state.as_mut()?.drop_document());
                    if let Some(document) = freed.flatten() {
                        self.budget.free_later(Box::new(document));
                    }
                }
                Item::Mailbox(session) => {
                    self.shrink(&session, |held| held.mailbox_mut().drop_all());
                }
                Item::Snapshot(session) => {
                    self.shrink(&session, |held| held.published.snapshots.drop_oldest());
                }
                Item::Session(session) => self.forget_session(&session),
                Item::Shelf(name) => {
                    if let Some(memory) = self.memories.get_mut(&name) {
                        let before = memory.shelf.bytes();
                        memory.shelf.drop_ended();
                        self.budget.shelf_takes(before, memory.shelf.bytes());
                    }
                }
            }
        }
    }

    fn shrink<T>(&mut self, session: &SessionId, change: impl FnOnce(&mut Session) -> T) -> Option<T> {
        let held = self.sessions.get_mut(session)?;
        let changed = change(held);
        let before = held.accounted;
        held.accounted = (held.kept_bytes(), before.1);
        self.budget.session_takes(before, held.accounted);
        Some(changed)
    }
}
