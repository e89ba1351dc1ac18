//! Who holds which session. An entry changes its hub by compare-and-set; each claim has the next epoch, so of two hubs that claim a
//! session one gives up, and a late claim of the older is none.

use super::directory::{Entry, Own};
use super::event::Action;
use super::state::Core;
use crate::row::Row;
use eye_core::elsewhere::{ChangedRow, Listed};
use eye_core::{Input, Millis};
use eye_protocol::SessionId;

impl Core {
    /// Writes what this hub holds and the directory does not have so.
    pub(super) fn write_all(&mut self, out: &mut Vec<Action>) {
        for session in self.directory.own.keys().cloned().collect::<Vec<_>>() {
            self.write(&session, out);
        }
    }

    fn write(&mut self, session: &SessionId, out: &mut Vec<Action>) {
        if self.up_since.is_none() || !self.directory.is_read {
            return;
        }
        let Some(own) = self.directory.own.get_mut(session).filter(|own| !own.writing && own.changed) else { return };
        own.writing = true;
        own.changed = false;
        let replaces = self.directory.entries.get(session).map_or(0, |entry| entry.revision);
        out.push(Action::Put { session: session.clone(), row: own.row.clone(), replaces });
    }

    /// Rows of pages here.
    pub(super) fn rows(&mut self, rows: Vec<ChangedRow>, out: &mut Vec<Action>) {
        for (session, row) in rows {
            let entry = self.directory.entries.get(&session);
            let elsewhere = entry.filter(|entry| entry.row.life != self.life);
            match row {
                Some((row, last_ref)) => {
                    let mut row = Row::of(row, last_ref, &self.name, &self.life);
                    // A page that is only expected here does not take a session from the hub where it is.
                    if !row.connected && elsewhere.is_some() && !self.directory.own.contains_key(&session) {
                        continue;
                    }
                    let before = self.directory.own.get(&session);
                    let next = || entry.map_or(1, |entry| entry.row.epoch + u64::from(elsewhere.is_some()));
                    row.epoch = before.map_or_else(next, |own| own.row.epoch);
                    if before.is_some_and(|own| own.row == row && !own.changed) {
                        continue;
                    }
                    let writing = before.is_some_and(|own| own.writing);
                    self.directory.own.insert(session.clone(), Own { row, writing, changed: true });
                    self.write(&session, out);
                }
                None => {
                    if self.directory.own.remove(&session).is_some_and(|own| !own.writing) {
                        self.remove_own(&session, out);
                    }
                }
            }
        }
    }

    /// Removes the entry of a session that this hub no longer holds.
    fn remove_own(&self, session: &SessionId, out: &mut Vec<Action>) {
        let entry = self.directory.entries.get(session).filter(|entry| entry.row.life == self.life);
        if let Some(entry) = entry.filter(|_| self.up_since.is_some()) {
            out.push(Action::Remove { session: session.clone(), revision: entry.revision });
        }
    }

    pub(super) fn entry(
        &mut self,
        now: Millis,
        session: SessionId,
        row: Option<Row>,
        revision: u64,
        out: &mut Vec<Action>,
    ) {
        self.directory.unread.remove(&session);
        let Some(row) = row else {
            self.directory.entries.remove(&session);
            return self.entry_gone(session, out);
        };
        let is_own = row.life == self.life;
        let (epoch, life) = (row.epoch, row.life.clone());
        if !is_own {
            self.hubs.note(now, &life);
            if self.hubs.is_alive(&life) {
                let listed = Listed::There(Box::new(row.listed(session.clone(), now)));
                out.push(Action::Feed(Input::Listed(vec![listed])));
            }
        } else if self.directory.entries.get(&session).is_some_and(|before| before.row.life != life) {
            out.push(Action::Feed(Input::Listed(vec![Listed::Gone(session.clone())])));
        }
        self.directory.entries.insert(session.clone(), Entry { row, revision });
        if is_own {
            if !self.directory.own.contains_key(&session) {
                self.remove_own(&session, out);
            }
            return;
        }
        match self.directory.own.get_mut(&session) {
            Some(own) if own.row.epoch <= epoch => {
                // Another hub holds it now: its claim is later, or was faster.
                self.directory.own.remove(&session);
                out.push(Action::Feed(Input::Released(session)));
            }
            Some(own) => {
                own.changed = true;
                self.write(&session, out);
            }
            None => {}
        }
    }

    fn entry_gone(&mut self, session: SessionId, out: &mut Vec<Action>) {
        if let Some(own) = self.directory.own.get_mut(&session) {
            own.changed = true;
            self.write(&session, out);
        } else {
            out.push(Action::Feed(Input::Listed(vec![Listed::Gone(session)])));
        }
    }

    /// All of the directory has been read: what is not in it any more is gone, and what this hub holds is written again.
    pub(super) fn directory_read(&mut self, out: &mut Vec<Action>) {
        self.directory.is_read = true;
        for session in std::mem::take(&mut self.directory.unread) {
            self.directory.entries.remove(&session);
            self.entry_gone(session, out);
        }
        let (entries, own) = (&self.directory.entries, &mut self.directory.own);
        for (session, own) in own.iter_mut() {
            own.changed |= entries.get(session).is_none_or(|entry| entry.row != own.row);
        }
        self.write_all(out);
    }

    pub(super) fn stored(
        &mut self,
        session: &SessionId,
        row: Option<Row>,
        revision: Option<u64>,
        out: &mut Vec<Action>,
    ) {
        let Some(row) = row else { return };
        if let Some(revision) = revision {
            let known = self.directory.entries.get(session).map_or(0, |entry| entry.revision);
            let was_elsewhere = self.directory.entries.get(session).is_some_and(|entry| entry.row.life != self.life);
            if revision > known {
                self.directory.entries.insert(session.clone(), Entry { row, revision });
                if was_elsewhere {
                    out.push(Action::Feed(Input::Listed(vec![Listed::Gone(session.clone())])));
                }
            }
        }
        match self.directory.own.get_mut(session) {
            // Another hub was faster: its entry has come, or comes, and decides.
            Some(own) if revision.is_none() => {
                own.writing = false;
                let epoch = self.directory.entries.get(session).map_or(0, |entry| entry.row.epoch);
                own.changed |= own.row.epoch > epoch || epoch == 0;
                self.write(session, out);
            }
            Some(own) => {
                own.writing = false;
                self.write(session, out);
            }
            None => self.remove_own(session, out),
        }
    }
}
