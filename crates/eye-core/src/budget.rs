//! The memory that is kept for peers, under one budget: documents with their histories, mailboxes, kept results, tools.
//! Sizes are estimates of what parsed values take ([`crate::document`]). When the sum exceeds the budget, the oldest
//! gives way until an eighth of it is free, so that looking for the oldest is rare.

use crate::effect::Effect;
use crate::event::Millis;
use crate::session::Session;
use crate::switchboard::Switchboard;
use eye_protocol::SessionId;
use eye_protocol::limits::{LIGHT_BYTES_MAX, MEMORY_BYTES_MAX};
use std::fmt;

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
    freed: Vec<Box<dyn Send + fmt::Debug>>,
}

impl Budget {
    /// What is to be freed elsewhere.
    pub fn freed(&mut self) -> impl Iterator<Item = Effect> + '_ {
        self.freed.drain(..).map(Effect::Free)
    }
}

/// Something that may give way.
enum Item {
    State(SessionId),
    Mailbox(SessionId),
    /// The oldest of what agents kept of a state.
    Snapshot(SessionId),
    /// All of a session whose page is gone.
    Session(SessionId),
    /// The oldest results of an agent.
    Shelf(Box<str>),
}

impl Switchboard {
    /// What is kept for peers, by estimate.
    pub fn kept_bytes(&self) -> usize {
        self.budget.sessions_bytes + self.budget.shelves_bytes
    }

    /// What the tools of one more page may take.
    pub(crate) fn tools_room_bytes(&self) -> usize {
        (MEMORY_BYTES_MAX / 2).saturating_sub(self.budget.tools_bytes)
    }

    /// Counts anew what a session takes, and makes room if it is too much.
    pub(crate) fn account(&mut self, session: &SessionId) {
        let Some(held) = self.sessions.get_mut(session) else { return };
        let (now_bytes, tools_bytes) = (held.kept_bytes(), held.toolbox().parsed_bytes());
        let (before_bytes, tools_before) = std::mem::replace(&mut held.accounted, (now_bytes, tools_bytes));
        self.budget.sessions_bytes = self.budget.sessions_bytes + now_bytes - before_bytes;
        self.budget.tools_bytes = self.budget.tools_bytes + tools_bytes - tools_before;
        if self.kept_bytes() > MEMORY_BYTES_MAX {
            self.make_memory();
        }
    }

    /// Counts what the shelf of an agent takes more or less than before.
    pub(crate) fn account_shelf(&mut self, before_bytes: usize, after_bytes: usize) {
        self.budget.shelves_bytes = self.budget.shelves_bytes + after_bytes - before_bytes;
        if self.kept_bytes() > MEMORY_BYTES_MAX {
            self.make_memory();
        }
    }

    /// A session is no more.
    pub(crate) fn forget_session(&mut self, session: &SessionId) {
        if let Some(held) = self.sessions.remove(session) {
            self.forget_names(&held);
            self.budget.sessions_bytes -= held.accounted.0;
            self.budget.tools_bytes -= held.accounted.1;
            if held.accounted.0 > LIGHT_BYTES_MAX {
                self.budget.freed.push(Box::new(held));
            }
        }
        self.armed.remove(session);
        self.row_changed(session);
        self.forget_lane(session);
        // Another origin may make a session of this id later; what is told of it is not for those who followed this one.
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
            let forgettable = held.gone_since().filter(|_| held.pending() == 0);
            items.extend(forgettable.map(|at| (at, Item::Session(id.clone()))));
        }
        for (name, memory) in &self.memories {
            items.extend(memory.shelf.oldest_at().map(|at| (at, Item::Shelf(name.clone()))));
        }
        items.sort_by_key(|(at, _)| *at);
        for (_, item) in items {
            if self.kept_bytes() <= MEMORY_BYTES_AFTER {
                return;
            }
            match item {
                Item::State(session) => {
                    let freed = self.shrink(&session, |held| held.published.state.as_mut()?.drop_document());
                    self.budget.freed.extend(freed.flatten().map(|document| Box::new(document) as _));
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
                        self.budget.shelves_bytes = self.budget.shelves_bytes + memory.shelf.bytes() - before;
                    }
                }
            }
        }
    }

    fn shrink<T>(&mut self, session: &SessionId, change: impl FnOnce(&mut Session) -> T) -> Option<T> {
        let held = self.sessions.get_mut(session)?;
        let changed = change(held);
        let bytes = held.kept_bytes();
        let (before, tools) = held.accounted;
        held.accounted = (bytes, tools);
        self.budget.sessions_bytes = self.budget.sessions_bytes + bytes - before;
        Some(changed)
    }
}
