//! Finds pages that this hub does not list because there are too many. An id is looked up in the directory; for any
//! other word the other hubs are asked. The pages found are listed beside the others.

use super::claiming::UNCLAIMED;
use super::directory::Entry;
use super::event::{Action, Life, Looked};
use super::seeks::{LookUp, Seek, Stage};
use super::state::Core;
use crate::row::Row;
use crate::wire::{Frame, WireEntry};
use eye_core::elsewhere::Listed;
use eye_core::select::holds_in_any_case;
use eye_core::{Input, Millis};
use eye_protocol::SessionId;
use eye_protocol::limits::RECALL_MS;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most pages that a hub returns for one word, and the most of one origin, so that pages of several origins are
/// returned.
const SOUGHT_LEN_MAX: usize = 16;
const SOUGHT_OF_ORIGIN_MAX: usize = 4;
/// The most words to ask other hubs for at once, because each hub searches all of its pages. Further words wait.
const ASKED_LEN_MAX: usize = 4;
/// The most changed entries to remember while hubs are asked. With more, the answers may be out of date, so the search
/// ends without a result.
const PASSED_LEN_MAX: usize = 10_000;

impl Core {
    /// The hub starts: until it has read the directory, it does not list all pages, and requests for others wait.
    pub(super) fn start_reading(&mut self, now: Millis, out: &mut Vec<Action>) {
        self.seeks.first_reading_until = Some(now + RECALL_MS);
        out.push(Action::Feed(Input::Listed(vec![Listed::All(false)])));
    }

    /// The directory has been read: continues the searches that waited for it.
    pub(super) fn finish_reading(&mut self, out: &mut Vec<Action>) {
        for seek in self.seeks.which(|seek| matches!(seek.stage, Stage::Reading)) {
            if self.directory.is_partial {
                self.search(seek, out);
            } else {
                self.seeks.finish(seek, true, out);
            }
        }
    }

    /// Ends the wait for the first reading when it takes too long. Without a link, this hub serves its own pages alone.
    pub(super) fn give_up_reading(&mut self, now: Millis, out: &mut Vec<Action>) {
        if self.seeks.first_reading_until.take_if(|until| now >= *until).is_some() {
            out.push(Action::Feed(Input::Listed(vec![Listed::All(!self.directory.is_partial)])));
            let waiting = self.seeks.which(|seek| matches!(seek.stage, Stage::Reading));
            self.seeks.finish_all(waiting, self.up_since.is_none(), out);
        }
    }

    /// Looks up a word that may name a page that is not listed. An empty word stands for a request that names no page.
    pub(super) fn look_up(&mut self, now: Millis, word: Box<str>, out: &mut Vec<Action>) {
        let waits = self.seeks.first_reading_until.is_some();
        if !waits && (self.up_since.is_none() || word.is_empty()) {
            let known = self.up_since.is_some();
            return out.push(Action::Feed(Input::LookedUp { word, known }));
        }
        self.seeks.last += 1;
        let (seek, until) = (self.seeks.last, now + RECALL_MS);
        self.seeks.words.insert(seek, Seek { word, until, stage: Stage::Reading });
        if !waits {
            self.search(seek, out);
        }
    }

    /// Searches for a word: in the directory if it may be an id, else at the other hubs.
    fn search(&mut self, seek: u64, out: &mut Vec<Action>) {
        let Some(known) = self.seeks.words.get_mut(&seek) else { return };
        if known.word.is_empty() {
            return self.seeks.finish(seek, true, out);
        }
        let id = SessionId::parse(&known.word);
        known.stage = id.clone().map_or(Stage::Waiting, Stage::Entry);
        match id {
            Some(session) => self.look_up_entry(session, out),
            None => self.ask_hubs(out),
        }
    }

    /// Looks up an entry. Parallel requests for the same entry share one look-up.
    pub(super) fn look_up_entry(&mut self, session: SessionId, out: &mut Vec<Action>) {
        if self.up_since.is_none() || self.seeks.entries.contains_key(&session) {
            return;
        }
        self.seeks.last += 1;
        let number = self.seeks.last;
        self.seeks.entries.insert(session.clone(), LookUp { number, passed: 0 });
        out.push(Action::LookUp { look_up: number, session });
    }

    /// Handles the result of a look-up.
    pub(super) fn looked_up(
        &mut self,
        now: Millis,
        look_up: u64,
        session: &SessionId,
        found: Looked,
        out: &mut Vec<Action>,
    ) {
        let Some(passed) = self.seeks.entries.get(session).filter(|it| it.number == look_up).map(|it| it.passed) else {
            // The link was lost meanwhile, and all requests that waited have ended.
            return;
        };
        self.seeks.entries.remove(session);
        let is_known = !matches!(found, Looked::Unknown);
        let is_old = match &found {
            Looked::There { revision, .. } => passed > *revision,
            Looked::Nothing => passed > 0,
            Looked::Unknown => false,
        };
        if is_old || !is_known && self.is_unclaimed(session) && self.directory.is_read {
            // Either the entry changed meanwhile, or the page is here and its session is still to be claimed, which
            // only a look-up triggers.
            return self.look_up_entry(session.clone(), out);
        }
        match found {
            found if self.is_claimed(session) => self.write_over(now, session, found, out),
            Looked::There { row, revision } => self.list(now, session.clone(), row, revision, out),
            Looked::Nothing | Looked::Unknown => {}
        }
        let is_listed = self.directory.entries.get(session).is_some();
        if is_known && self.directory.is_read {
            self.claim_known(session, out);
        }
        for seek in self.seeks.which(|seek| matches!(&seek.stage, Stage::Entry(id) if id == session)) {
            if is_known && !is_listed {
                if let Some(seek) = self.seeks.words.get_mut(&seek) {
                    seek.stage = Stage::Waiting;
                }
            } else {
                self.seeks.finish(seek, is_known, out);
            }
        }
        self.ask_hubs(out);
    }

    /// Whether a page has come here whose session is still to be claimed.
    pub(super) fn is_unclaimed(&self, session: &SessionId) -> bool {
        self.directory.own.get(session).is_some_and(|own| own.row.epoch == UNCLAIMED)
    }

    /// Whether this hub holds a session and has claimed it, written or not.
    fn is_claimed(&self, session: &SessionId) -> bool {
        self.directory.holds(session) && !self.is_unclaimed(session)
    }

    /// Asks the other hubs about the words that wait, as many as may be asked about at once.
    pub(super) fn ask_hubs(&mut self, out: &mut Vec<Action>) {
        let asked = self.seeks.which(|seek| matches!(seek.stage, Stage::Hubs(_))).len();
        let waiting = self.seeks.which(|seek| matches!(seek.stage, Stage::Waiting));
        for number in waiting.into_iter().take(ASKED_LEN_MAX.saturating_sub(asked)) {
            let hubs: FxHashSet<Life> = self.hubs.lives().cloned().collect();
            let Some(seek) = self.seeks.words.get_mut(&number) else { continue };
            for to in &hubs {
                let frame = Frame::Seek { seek: number, word: seek.word.clone() };
                out.push(Action::Send { to: to.clone(), frame });
            }
            let is_alone = hubs.is_empty();
            seek.stage = Stage::Hubs(hubs);
            if is_alone {
                self.seeks.finish(number, true, out);
            }
        }
    }

    /// Answers another hub that searches for pages.
    pub(super) fn seek(&self, from: Life, seek: u64, word: &str, out: &mut Vec<Action>) {
        let lower = word.to_lowercase();
        let mut fit: Vec<(u8, &SessionId, &Row)> = self
            .directory
            .own
            .iter()
            .filter_map(|(session, own)| Some((rank(session, &own.row, word, &lower)?, session, &own.row)))
            .collect();
        fit.sort_by_key(|(rank, session, _)| (*rank, *session));
        let mut of_origin: FxHashMap<&str, usize> = FxHashMap::default();
        let mut pages = Vec::new();
        for (_, session, row) in fit {
            let entry = self.directory.entries.get(session).filter(|entry| entry.life == self.life);
            let Some(entry) = entry else { continue };
            let count = of_origin.entry(&row.origin).or_default();
            *count += 1;
            if *count <= SOUGHT_OF_ORIGIN_MAX && pages.len() < SOUGHT_LEN_MAX {
                pages.push(WireEntry { session: session.clone(), row: row.clone(), revision: entry.revision });
            }
        }
        out.push(Action::Send { to: from, frame: Frame::Sought { seek, pages } });
    }

    /// Handles the answer of another hub.
    pub(super) fn sought(&mut self, now: Millis, from: &Life, seek: u64, pages: Vec<WireEntry>, out: &mut Vec<Action>) {
        let waits = |seek: &Seek| matches!(&seek.stage, Stage::Hubs(hubs) if hubs.contains(from));
        if !self.seeks.words.get(&seek).is_some_and(waits) {
            return;
        }
        for WireEntry { session, row, revision } in pages.into_iter().take(SOUGHT_LEN_MAX) {
            let is_old = self.seeks.passed.get(&session).is_some_and(|passed| *passed > revision);
            if row.life == *from && !is_old {
                self.list(now, session, row, revision, out);
            }
        }
        if self.seeks.passed.len() < PASSED_LEN_MAX {
            self.seeks.answered(seek, from, out);
        } else {
            self.seeks.finish(seek, false, out);
        }
        self.ask_hubs(out);
    }

    /// Lists a page that was found, unless it is already known.
    fn list(&mut self, now: Millis, session: SessionId, row: Row, revision: u64, out: &mut Vec<Action>) {
        if row.life == self.life || self.directory.entries.get(&session).is_some() {
            return;
        }
        let mut row = row;
        self.directory.entries.share(&mut row);
        let entry = Entry::of(session.clone(), &row, revision, now);
        self.hubs.note(now, &row.life);
        if self.hubs.is_alive(&row.life) {
            out.push(Action::Feed(Input::Listed(vec![Listed::There(entry.page.clone())])));
        }
        self.insert(session, entry, out);
    }

    /// Whether to keep an entry of another hub: it is already kept, or concerns this hub, or there is room.
    pub(super) fn keeps(&self, session: &SessionId) -> bool {
        self.directory.entries.get(session).is_some()
            || self.directory.holds(session)
            || self.directory.former.is(session, &self.life)
            || self.directory.has_room(&self.life)
    }

    /// Omits an entry of another hub.
    pub(super) fn leave_out(
        &mut self,
        now: Millis,
        session: SessionId,
        row: &Row,
        revision: u64,
        out: &mut Vec<Action>,
    ) {
        self.hubs.note(now, &row.life);
        self.passes_by(&session, revision);
        self.directory.has_left_out = true;
        if !std::mem::replace(&mut self.directory.is_partial, true) {
            out.push(Action::Feed(Input::Listed(vec![Listed::All(false)])));
        }
        if self.hubs.is_tidied(&row.life) {
            out.push(Action::Remove { session, revision });
        }
    }

    /// Notes the change of an entry that may be looked up right now.
    pub(super) fn passes_by(&mut self, session: &SessionId, revision: u64) {
        if let Some(look_up) = self.seeks.entries.get_mut(session) {
            look_up.passed = look_up.passed.max(revision);
        }
        if !self.seeks.words.is_empty() && self.seeks.passed.len() < PASSED_LEN_MAX {
            self.seeks.passed.insert(session.clone(), revision);
        }
    }

    /// Keeps an entry. If it is beyond the limit, omits the oldest of the entries beyond the limit.
    pub(super) fn insert(&mut self, session: SessionId, entry: Entry, out: &mut Vec<Action>) {
        let was_elsewhere = self.directory.life_of(&session).is_some_and(|life| *life != self.life);
        let is_beyond = entry.life != self.life && !was_elsewhere && !self.directory.has_room(&self.life);
        self.directory.entries.insert(session.clone(), entry);
        if is_beyond && let Some(oldest) = self.directory.keep_beyond(session) {
            out.push(Action::Feed(Input::Listed(vec![Listed::LeftOut(oldest)])));
        }
    }
}

/// How well a word matches a page: 0 is best; `None`: it does not match.
fn rank(session: &SessionId, row: &Row, word: &str, lower: &str) -> Option<u8> {
    let holds = |text: &str| holds_in_any_case(text, lower);
    if row.name.as_deref() == Some(word) {
        Some(0)
    } else if session.as_str() == word || row.alias.as_deref() == Some(word) {
        Some(1)
    } else if *row.origin == *word.trim_end_matches('/') {
        Some(2)
    } else if holds(&row.title) {
        Some(3)
    } else {
        holds(&row.url).then_some(4)
    }
}

#[cfg(test)]
mod tests;
