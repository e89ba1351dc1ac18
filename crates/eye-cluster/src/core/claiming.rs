//! Decides which hub holds which session. A claim writes the entry of the directory by compare-and-set, with the next
//! epoch. So of two hubs that claim a session one gives up, and a late claim with an older epoch has no effect.

use super::directory::{Claim, Entry, Own, Passing};
use super::event::{Action, Looked};
use super::state::Core;
use crate::row::Row;
use eye_core::elsewhere::{ChangedRow, Listed, RowHere};
use eye_core::handover::Heir;
use eye_core::{Input, Millis};
use eye_protocol::SessionId;

/// The epoch of a session whose page came before the directory was read. The epoch of its claim is not known yet.
pub(super) const UNCLAIMED: u64 = 0;

/// The epoch of a new claim over this entry.
fn next_epoch(entry: Option<&Entry>, own: &str) -> u64 {
    entry.map_or(1, |entry| entry.epoch + u64::from(*entry.life != *own))
}

impl Core {
    /// Writes the rows of this hub that differ from the directory.
    pub(super) fn write_all(&mut self, out: &mut Vec<Action>) {
        for session in self.directory.own.keys().cloned().collect::<Vec<_>>() {
            self.write(&session, out);
        }
    }

    fn write(&mut self, session: &SessionId, out: &mut Vec<Action>) {
        if self.up_since.is_none() || !self.directory.is_read {
            return;
        }
        let is_due = |own: &&mut Own| !own.writing && own.changed && own.row.epoch != UNCLAIMED;
        let Some(own) = self.directory.own.get_mut(session).filter(is_due) else { return };
        own.writing = true;
        own.changed = false;
        let replaces = self.directory.entries.get(session).map_or(0, |entry| entry.revision);
        if own.claim != Claim::Written {
            own.claim = Claim::Writing(replaces);
        }
        out.push(Action::Put { session: session.clone(), row: own.row.clone(), replaces });
    }

    /// Handles changed rows of local pages.
    pub(super) fn rows(&mut self, rows: Vec<ChangedRow>, out: &mut Vec<Action>) {
        for (session, row) in rows {
            let entry = self.directory.entries.get(&session);
            let elsewhere = entry.filter(|entry| entry.life != self.life);
            match row {
                Some(RowHere { row, last_ref, page }) => {
                    let mut row = Row::of(row, last_ref, &self.name, &self.life);
                    // A page that is only expected here does not take its session from the hub where it is.
                    if !row.connected && elsewhere.is_some() && !self.directory.own.contains_key(&session) {
                        continue;
                    }
                    let before = self.directory.own.get(&session);
                    let is_known = self.directory.is_read && (entry.is_some() || !self.directory.is_partial);
                    let first = || if is_known { next_epoch(entry, &self.life) } else { UNCLAIMED };
                    row.epoch = before.map_or_else(first, |own| own.row.epoch);
                    let comes_again = before.is_some_and(|own| page.is_some() && own.page != page);
                    if before.is_some_and(|own| own.row == row && !own.changed) && !comes_again {
                        continue;
                    }
                    let known = self.directory.own.remove(&session);
                    let is_new = known.is_none();
                    self.directory.passing.remove(&session);
                    let mut own = match known {
                        Some(own) => Own { row, page, changed: true, ..own },
                        None => Own::new(row, page, self.directory.holder_before(&session, &self.life)),
                    };
                    own.claim = if comes_again { Claim::Due } else { own.claim };
                    self.directory.own.insert(session.clone(), own);
                    self.comes_from(&session, is_new, out);
                    if is_new && !is_known && self.directory.is_read {
                        self.look_up_entry(session, out);
                    } else {
                        self.write(&session, out);
                    }
                }
                None => {
                    if self.directory.own.remove(&session).is_some_and(|own| !own.writing) {
                        self.remove_own(&session, out);
                    }
                }
            }
        }
        self.directory.came_back.clear();
    }

    /// Removes the entry of a session that this hub no longer holds.
    fn remove_own(&self, session: &SessionId, out: &mut Vec<Action>) {
        let entry = self.directory.entries.get(session).filter(|entry| entry.life == self.life);
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
        self.directory.newest_read = self.directory.newest_read.max(revision);
        self.entry_is(now, session, row, revision, out);
    }

    /// Handles the entry of a session, as it was read or looked up.
    fn entry_is(&mut self, now: Millis, session: SessionId, row: Option<Row>, revision: u64, out: &mut Vec<Action>) {
        let Some(mut row) = row else {
            self.passes_by(&session, revision);
            self.directory.forget(&session);
            return self.entry_gone(session, out);
        };
        let is_own = row.life == self.life;
        if !is_own && !self.keeps(&session) {
            return self.leave_out(now, session, &row, revision, out);
        }
        self.directory.entries.share(&mut row);
        let entry = Entry::of(session.clone(), &row, revision, now);
        let (epoch, life, origin, connected) = (row.epoch, row.life, row.origin, row.connected);
        if !is_own {
            self.hubs.note(now, &life);
            if self.hubs.is_alive(&life) {
                let listed = Listed::There(entry.page.clone());
                out.push(Action::Feed(Input::Listed(vec![listed])));
            }
        } else if self.directory.entries.get(&session).is_some_and(|before| before.life != life) {
            out.push(Action::Feed(Input::Listed(vec![Listed::Gone(session.clone())])));
        }
        let had_it = self.directory.life_of(&session) == Some(&self.life);
        self.insert(session.clone(), entry, out);
        if is_own {
            if let Some(own) = self.directory.own.get_mut(&session) {
                own.is_there(epoch, revision);
                self.write_state(&session, out);
                self.recall_due(&session, out);
            } else {
                self.remove_own(&session, out);
            }
            return;
        }
        match self.directory.own.get_mut(&session) {
            // It is claimed when the whole directory has been read.
            Some(own) if own.row.epoch == UNCLAIMED => {}
            // The page moved here so fast that this claim came too late: claims the session from the hub that holds it
            // now.
            Some(own) if own.row.epoch <= epoch && own.comes_after(&origin) => {
                own.row.epoch = epoch + 1;
                own.claim = Claim::Due;
                own.before = Some(life.clone());
                own.changed = true;
                self.comes_from(&session, false, out);
                self.write(&session, out);
                if had_it {
                    Self::keep(session, life, Heir { origin, claim: epoch }, out);
                }
            }
            Some(own) if own.row.epoch <= epoch => {
                // The claim of the other hub is later: it holds the session now.
                let (claim, before) = (own.row.epoch, own.before.take());
                self.directory.own.remove(&session);
                match before.filter(|from| self.hubs.is_alive(from)) {
                    Some(from) => self.await_handover(session, Passing::new(now, from, claim), out),
                    None => Self::give_up(session, origin, epoch, out),
                }
            }
            // The claim came too late, and the page has meanwhile gone back to the other hub.
            Some(own) if connected && own.claim != Claim::Written && !own.row.connected => {
                self.directory.own.remove(&session);
            }
            Some(own) => {
                own.changed = true;
                self.write(&session, out);
            }
            // The page had left this hub before it came back through another one.
            None if connected && (had_it || self.directory.former.is(&session, &self.life)) => {
                self.directory.former.take(&session);
                Self::give_up(session, origin, epoch, out);
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

    /// The whole directory has been read: forgets entries that are no longer in it, and writes the rows of this hub
    /// again.
    pub(super) fn directory_read(&mut self, out: &mut Vec<Action>) {
        for session in std::mem::take(&mut self.directory.unread) {
            self.directory.forget(&session);
            self.entry_gone(session, out);
        }
        let is_partial = self.directory.has_left_out;
        let is_first = self.seeks.first_reading_until.take().is_some();
        if std::mem::replace(&mut self.directory.is_partial, is_partial) != is_partial || is_first {
            out.push(Action::Feed(Input::Listed(vec![Listed::All(!is_partial)])));
        }
        self.claim_all(out);
        // All sessions are claimed before any row is written.
        self.directory.is_read = true;
        let (entries, own) = (&self.directory.entries, &mut self.directory.own);
        for (session, own) in own.iter_mut() {
            own.changed |= !entries.get(session).is_some_and(|entry| entry.lists(&own.row));
        }
        self.write_all(out);
        if !self.directory.own.is_empty() {
            // States that were written before may be lost.
            out.push(Action::Feed(Input::StatesWanted));
        }
        self.finish_reading(out);
    }

    /// Claims the sessions of pages that came before the directory was read, as if they came now.
    fn claim_all(&mut self, out: &mut Vec<Action>) {
        let unclaimed = self.directory.own.iter().filter(|(_, own)| own.row.epoch == UNCLAIMED);
        for session in unclaimed.map(|(session, _)| session.clone()).collect::<Vec<_>>() {
            if self.directory.is_partial && self.directory.entries.get(&session).is_none() {
                self.look_up_entry(session, out);
            } else {
                self.claim(&session, out);
                self.comes_from(&session, false, out);
            }
        }
    }

    /// Claims the session of a page that came before its holder was known.
    fn claim(&mut self, session: &SessionId, out: &mut Vec<Action>) {
        let (entry, life) = (self.directory.entries.get(session), &self.life);
        let Some(own) = self.directory.own.get_mut(session) else { return };
        let elsewhere = entry.filter(|entry| entry.life != *life);
        if elsewhere.is_some_and(|entry| entry.page.origin != own.row.origin) {
            // The session belongs to another origin: the page gets a new session when it comes back.
            out.push(Action::Feed(Input::Released { session: session.clone(), heir: None }));
            self.directory.own.remove(session);
        } else if elsewhere.is_some() && !own.row.connected {
            self.directory.own.remove(session);
        } else {
            own.row.epoch = next_epoch(entry, life);
            own.before = elsewhere.map(|entry| entry.life.clone()).or(own.before.take());
        }
    }

    /// A write was refused, and the entry that is there instead was looked up.
    pub(super) fn write_over(&mut self, now: Millis, session: &SessionId, found: Looked, out: &mut Vec<Action>) {
        let known = self.directory.entries.get(session).map_or(0, |entry| entry.revision);
        match found {
            Looked::There { row, revision } if revision > known => {
                self.entry_is(now, session.clone(), Some(row), revision, out);
            }
            Looked::Nothing if known > 0 => self.entry_is(now, session.clone(), None, known, out),
            _ => {}
        }
        self.write(session, out);
    }

    /// The holder of a session whose page came here is known now: claims the session, and expects a handover from the
    /// holder.
    pub(super) fn claim_known(&mut self, session: &SessionId, out: &mut Vec<Action>) {
        if !self.is_unclaimed(session) {
            return;
        }
        let Some(own) = self.directory.own.get_mut(session) else { return };
        own.changed = true;
        own.takes_any = self.directory.entries.get(session).is_none() && own.before.is_none();
        self.claim(session, out);
        let from = self.directory.entries.get(session).filter(|entry| entry.life != self.life);
        if let Some((page, life)) = from.filter(|_| self.directory.holds(session)).map(|it| (it.page.clone(), &it.life))
        {
            out.push(Action::Feed(Input::Listed(vec![Listed::There(page)])));
            out.push(Action::Feed(Input::CameOver(session.clone())));
            if !self.hubs.is_alive(life) {
                out.push(Action::Feed(Input::Listed(vec![Listed::Gone(session.clone())])));
            }
        }
        self.comes_from(session, true, out);
        self.write(session, out);
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
            let was_elsewhere = self.directory.entries.get(session).is_some_and(|entry| entry.life != self.life);
            // The acknowledgement of a write may arrive after the entry was removed again. While the directory is being
            // read, the entries that are read count.
            if self.directory.is_read && revision > known.max(self.directory.newest_read) {
                let entry = Entry::of(session.clone(), &row, revision, 0);
                self.directory.entries.insert(session.clone(), entry);
                if was_elsewhere {
                    out.push(Action::Feed(Input::Listed(vec![Listed::Gone(session.clone())])));
                }
            }
        }
        match self.directory.own.get_mut(session) {
            // Another hub was faster: its entry has arrived or will arrive, and decides.
            Some(own) if revision.is_none() => {
                own.writing = false;
                let is_refused = |entry: &Entry| entry.life != self.life && entry.epoch >= own.row.epoch;
                own.changed |= !self.directory.entries.get(session).is_some_and(is_refused);
                if self.directory.is_partial {
                    // The other hub's entry may have been read, and not kept, before the page came here.
                    self.look_up_entry(session.clone(), out);
                } else {
                    self.write(session, out);
                }
            }
            Some(own) => {
                own.writing = false;
                own.is_there(row.epoch, revision.unwrap_or_default());
                self.write(session, out);
                self.write_state(session, out);
                self.recall_due(session, out);
            }
            None => self.remove_own(session, out),
        }
    }
}

#[cfg(test)]
#[path = "../../tests/cast/row.rs"]
pub(super) mod cast_row;

#[cfg(test)]
mod tests {
    use super::cast_row::ORIGIN;
    use super::*;
    use crate::core::Event;
    use crate::wire::Frame;
    use eye_core::Conn;
    use eye_protocol::messages::{Presence, SessionRow};

    fn page(state: Presence) -> SessionRow {
        cast_row::page("s1", state)
    }

    fn id() -> SessionId {
        SessionId::parse("s1").unwrap()
    }

    /// A row of hub `b`.
    fn theirs(epoch: u64, origin: &str) -> Row {
        let row = Row::of(page(Presence::Connected), None, &"b".into(), &"b".into());
        Row { epoch, origin: origin.into(), ..row }
    }

    fn entry(row: Row) -> Event {
        Event::Entry { session: id(), row: Some(row), revision: 5 }
    }

    fn later(row: Row) -> Event {
        Event::Entry { session: id(), row: Some(row), revision: 7 }
    }

    fn rows(state: Presence) -> Event {
        Event::Rows(vec![(id(), Some(RowHere { row: page(state), last_ref: None, page: None }))])
    }

    /// The page is connected here, with this connection.
    fn here(page_conn: u64) -> Event {
        let row = page(Presence::Connected);
        Event::Rows(vec![(id(), Some(RowHere { row, last_ref: None, page: Some(Conn(page_conn)) }))])
    }

    /// A write of this hub is over.
    fn stored(epoch: u64, revision: Option<u64>) -> Event {
        let row = Row { epoch, ..Row::of(page(Presence::Connected), None, &"a".into(), &"a".into()) };
        Event::Stored { session: id(), row: Some(row), revision }
    }

    /// Plays events and returns the actions, without those for the list of pages elsewhere.
    fn played(events: Vec<Event>) -> Vec<String> {
        let mut core = Core::new("a".into(), "a".into());
        let mut actions = Vec::new();
        for event in events {
            core.on(1, event, &mut actions);
        }
        let described = |action| match action {
            Action::Put { row, replaces, .. } => Some(format!("put epoch {} over {replaces}", row.epoch)),
            Action::Feed(Input::Released { .. }) => Some("release".into()),
            Action::Send { to, frame: Frame::HandOver(nothing) } if nothing.letters.is_empty() => {
                Some(format!("keep from {to} for {}", nothing.claim))
            }
            Action::Feed(_) | Action::Leave { .. } => None,
            other => Some(format!("{other:?}")),
        };
        actions.into_iter().filter_map(described).collect()
    }

    #[test]
    fn a_page_that_comes_before_the_directory_is_read_takes_its_session_when_it_is() {
        let before = vec![rows(Presence::Connected), Event::Up, Event::Reading, entry(theirs(3, ORIGIN))];
        assert_eq!(played(before), [""; 0], "nothing is decided while the directory is read");
        for between in [0, 1, 2, 3] {
            let mut events = vec![Event::Up, Event::Reading, entry(theirs(3, ORIGIN)), Event::Read];
            events.insert(between, rows(Presence::Connected));
            assert_eq!(played(events), ["put epoch 4 over 5"], "joined after {between} events");
        }
    }

    #[test]
    fn a_page_of_another_origin_that_came_before_the_directory_is_read_gives_the_session_up() {
        let other = entry(theirs(3, "http://localhost:9"));
        let events = vec![rows(Presence::Connected), Event::Up, Event::Reading, other, Event::Read];
        assert_eq!(played(events), ["release"]);
    }

    #[test]
    fn a_page_that_comes_while_the_directory_is_lost_takes_its_session_with_an_epoch() {
        let mut events = vec![Event::Up, Event::Reading, entry(theirs(3, ORIGIN)), Event::Read, Event::Down];
        events.extend([rows(Presence::Connected), Event::Up, Event::Reading, Event::Read]);
        assert_eq!(played(events), ["put epoch 1 over 0"]);
    }

    #[test]
    fn a_page_that_is_only_expected_takes_no_session() {
        let events = vec![rows(Presence::Away), Event::Up, Event::Reading, entry(theirs(3, ORIGIN)), Event::Read];
        assert_eq!(played(events), [""; 0]);
    }

    #[test]
    fn a_page_that_has_moved_while_this_hub_had_no_link_stays_where_it_is() {
        let mut events = vec![Event::Up, Event::Reading, Event::Read, rows(Presence::Connected), stored(1, Some(4))];
        events.extend([Event::Down, Event::Up, Event::Reading, entry(theirs(2, ORIGIN)), Event::Read]);
        assert_eq!(played(events), ["put epoch 1 over 0", "release"]);
    }

    #[test]
    fn a_page_that_came_again_before_another_hubs_claim_was_heard_of_is_claimed_anew() {
        let held = || vec![Event::Up, Event::Reading, Event::Read, here(1), stored(1, Some(4))];
        let all = |more: Vec<Event>| played(held().into_iter().chain(more).collect());
        let moved = || entry(theirs(2, ORIGIN));
        let written = "put epoch 1 over 0";
        assert_eq!(all(vec![moved()]), [written, "release"], "it is at the other hub");
        assert_eq!(all(vec![here(1), moved()]), [written, "release"], "nothing is new");
        let again = "put epoch 1 over 4";
        let (kept, anew) = ("keep from b for 2", "put epoch 3 over 5");
        assert_eq!(all(vec![here(2), moved()]), [written, again, kept], "its write is still out");
        assert_eq!(all(vec![here(2), moved(), stored(1, None)]), [written, again, kept, anew]);
        let refused_first = vec![here(2), stored(1, None), moved(), stored(1, None)];
        assert_eq!(all(refused_first), [written, again, again, kept, anew]);
        let after = vec![here(2), moved(), stored(1, None), stored(3, Some(6)), later(theirs(4, ORIGIN))];
        assert_eq!(all(after), [written, again, kept, anew, "release"], "and gives way to a later one");
        assert_eq!(all(vec![here(2), stored(1, Some(5)), moved()]), [written, again, "release"], "it left after that");
    }

    #[test]
    fn a_claim_that_came_too_late_is_not_made_again_when_the_page_has_gone_back() {
        let before = || vec![Event::Up, Event::Reading, entry(theirs(3, ORIGIN)), Event::Read, here(1)];
        let all = |more: Vec<Event>| played(before().into_iter().chain(more).collect());
        let claimed = "put epoch 4 over 5";
        assert_eq!(all(vec![later(theirs(3, ORIGIN)), stored(4, None)]), [claimed, "put epoch 4 over 7"], "it is here");
        let gone = vec![rows(Presence::Away), later(theirs(3, ORIGIN)), stored(4, None)];
        assert_eq!(all(gone), [claimed]);
        let away = Row { connected: false, ..theirs(3, ORIGIN) };
        let gone = vec![rows(Presence::Away), later(away), stored(4, None)];
        assert_eq!(all(gone), [claimed, "put epoch 4 over 7"], "it was here last");
    }

    #[test]
    fn what_was_written_before_a_page_came_again_is_not_its_claim() {
        let renamed = || {
            let row = SessionRow { title: "new".into(), ..page(Presence::Connected) };
            Event::Rows(vec![(id(), Some(RowHere { row, last_ref: None, page: Some(Conn(1)) }))])
        };
        let held = || vec![Event::Up, Event::Reading, Event::Read, here(1), stored(1, Some(2)), renamed()];
        let own = |revision| match stored(1, None) {
            Event::Stored { session, row, .. } => Event::Entry { session, row, revision },
            other => other,
        };
        // The title is being written when the page comes again. The claim of the other hub comes after that.
        for order in [vec![stored(1, Some(4))], vec![own(4), stored(1, Some(4))], vec![stored(1, Some(4)), own(4)]] {
            let mut events = held();
            events.push(here(2));
            events.extend(order);
            events.extend([entry(theirs(2, ORIGIN)), stored(1, None)]);
            let puts = ["put epoch 1 over 0", "put epoch 1 over 2", "put epoch 1 over 4"];
            assert_eq!(played(events), [&puts[..], &["keep from b for 2", "put epoch 3 over 5"]].concat());
        }
    }
}
