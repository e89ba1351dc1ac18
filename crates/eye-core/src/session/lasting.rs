//! A session's state that outlives its hub: written now and then, and taken back when the page's hub has ended.

use super::expected::Expecting;
use super::lasts::Lasts;
use super::{PageStatus, Session};
use crate::document::Document;
use crate::effect::Effect;
use crate::handover::HandedState;
use crate::ids::{CallId, Millis};
use crate::lasting::{Lasting, LastingLetter, LastingState};
use crate::session_event::{Outcome, StateNews};
use crate::state::State;
use crate::then::Then;
use crate::work::Work;
use eye_protocol::SessionId;
use eye_protocol::limits::{
    LASTING_LETTER_BYTES_MAX, LASTING_LETTERS_MAX, LASTING_STATE_BYTES_MAX, LASTING_STATE_MS, LIGHT_BYTES_MAX,
};
use eye_protocol::messages::PageInfo;
use serde_json::value::RawValue;
use std::sync::Arc;

impl Session {
    /// A session whose page is gone with its hub, made from the state that outlived it.
    pub(crate) fn outlived(found: &LastingState, now: Millis, before_first_call: CallId) -> Self {
        let info = PageInfo {
            title: Some(found.title.to_string()),
            url: Some(found.url.to_string()),
            alias: found.alias.as_deref().map(Into::into),
            ..PageInfo::default()
        };
        let new = Self::new(found.session.clone(), found.origin.clone(), now, before_first_call);
        let since = now.saturating_sub(found.state.age_ms);
        let (status, expecting) = (PageStatus::Gone { since }, Expecting::recalled(false, true));
        Self { info, expecting, status, lasts: Lasts { from_afar: true, ..Lasts::default() }, ..new }
    }

    /// Its state has changed. Returns when to write it, unless that is scheduled already.
    pub(crate) fn state_to_give(&mut self, now: Millis) -> Option<Millis> {
        let is_new = !std::mem::replace(&mut self.lasts.changed, true);
        is_new.then(|| self.lasts.given_at.map_or(now, |at| now.max(at + LASTING_STATE_MS)))
    }

    /// Whether its state cannot be written yet: it is worked on, or it continues one that is on its way.
    pub(crate) fn is_state_busy(&self, now: Millis) -> bool {
        self.is_working() || self.awaits_handover(now)
    }

    /// Whether the agents that watch its state are notified later, with the revision that it then has.
    pub(crate) fn tells_later(&mut self, now: Millis) -> bool {
        let later = self.awaits_handover(now);
        self.lasts.untold |= later;
        later
    }

    /// The state that its page has published here, for agents that watch it, unless it takes long to write.
    pub(crate) fn state_to_tell(&self, now: Millis) -> Option<(u64, Box<str>)> {
        let state = self.published.state.as_ref().filter(|state| state.is_current() && !self.awaits_handover(now))?;
        let text = state.light_text()?;
        Some((state.revision(), text.into()))
    }

    /// Notifies the agents that watch its state of what was published while the revision was not known.
    pub(super) fn tell_untold(&mut self, out: &mut Vec<Outcome>) {
        if self.expecting.handover_until.is_some() || !std::mem::take(&mut self.lasts.untold) {
            return;
        }
        let state = self.published.state.as_ref().filter(|state| state.is_current());
        if let Some((state, text)) = state.and_then(|state| Some((state, state.light_text()?))) {
            out.push(Outcome::State { revision: state.revision(), news: StateNews::Whole(text.into()) });
        }
    }

    /// Writes its state; a worker does it when it takes long.
    pub(super) fn give_state(&mut self, now: Millis, out: &mut Vec<Outcome>) {
        self.lasts.changed = false;
        let Some(text_bytes) = self.state_bytes() else { return };
        self.lasts.given_at = Some(now);
        if (LIGHT_BYTES_MAX + 1..=LASTING_STATE_BYTES_MAX).contains(&text_bytes)
            && let Some(document) = self.published.state.as_mut().and_then(State::lend)
        {
            return self.begin(Work::Read(document, None), Then::Write, out);
        }
        self.give_state_at_once(now, text_bytes, out);
    }

    /// The hub is ending: a state that has changed since it was written is written at once. Nothing else waits any
    /// more.
    pub(super) fn give_last_state(&mut self, now: Millis, out: &mut Vec<Outcome>) {
        let is_due = std::mem::take(&mut self.lasts.changed) && !self.awaits_handover(now);
        if let Some(text_bytes) = self.state_bytes().filter(|_| is_due) {
            self.give_state_at_once(now, text_bytes, out);
        }
    }

    fn state_bytes(&mut self) -> Option<usize> {
        self.published.state.as_mut()?.document_mut().map(|document| document.text_bytes())
    }

    fn give_state_at_once(&self, now: Millis, text_bytes: usize, out: &mut Vec<Outcome>) {
        let state = self.published.state.as_ref().filter(|_| text_bytes <= LASTING_STATE_BYTES_MAX);
        let text = state.and_then(|state| state.text().ok().flatten());
        self.write_state(now, text, out);
    }

    /// The text of its state is ready: writes it.
    pub(crate) fn write_state(&self, now: Millis, text: Option<Box<RawValue>>, out: &mut Vec<Outcome>) {
        let Some(state) = &self.published.state else { return };
        let text = text.filter(|text| text.get().len() <= LASTING_STATE_BYTES_MAX).map(Into::into);
        let age_ms = now.saturating_sub(state.changed_at());
        let state = HandedState { text, revision: state.revision(), age_ms, wall_ms: state.published_at() };
        let written = Box::new(LastingState {
            session: self.id.clone(),
            origin: self.origin.clone(),
            name: self.given_name.clone(),
            alias: self.info.alias.as_deref().map(Into::into),
            title: self.info.title.as_deref().unwrap_or_default().into(),
            url: self.info.url.as_deref().unwrap_or_default().into(),
            state,
        });
        out.push(Outcome::Effect(Effect::Lasting(Lasting::Write(written))));
    }

    /// Its newest letter, if it is to be written.
    pub(crate) fn letter_to_write(&mut self) -> Option<LastingLetter> {
        let (session, origin) = (&self.id, &self.origin);
        self.mailbox.letter_to_write().map(|(number, text)| lasting_letter(session, origin, number, text))
    }

    /// Its letters, if they are to be written again: at most [`LASTING_LETTERS_MAX`], the newest.
    pub(crate) fn letters_to_write(&mut self) -> Option<Vec<LastingLetter>> {
        let (session, origin) = (&self.id, &self.origin);
        let all = self.mailbox.letters_to_write()?;
        let mut letters: Vec<_> = all.map(|(number, text)| lasting_letter(session, origin, number, text)).collect();
        letters.drain(..letters.len().saturating_sub(LASTING_LETTERS_MAX));
        Some(letters)
    }

    /// Whether its last state may be stored elsewhere: its page is gone, and may have been at another hub since.
    pub(crate) fn wants_recall(&self, now: Millis) -> bool {
        let recently = self.lasts.recalled_at.is_some_and(|at| now < at + LASTING_STATE_MS);
        matches!(self.status, PageStatus::Gone { .. }) && !recently && !self.driven
    }

    /// Its page is at another hub, so what was recalled may be outdated.
    pub(crate) fn recall_anew(&mut self) {
        self.lasts.recalled_at = None;
    }

    /// Whether nothing is known of it here except a state that outlived its hub.
    pub(crate) fn is_from_afar(&self) -> bool {
        self.lasts.from_afar && matches!(self.status, PageStatus::Gone { .. })
    }

    /// A page has come: the session belongs to this hub.
    pub(super) fn is_here(&mut self) {
        self.lasts.from_afar = false;
        self.lasts.before = self.published.state.as_ref().map(|state| (state.published_at(), state.revision()));
    }

    /// Whether the last state ended with its hub because it was too large.
    pub(crate) fn was_too_large(&self) -> bool {
        self.lasts.too_large
    }

    /// Its page has published a state.
    pub(crate) fn has_state_here(&mut self) {
        self.lasts.too_large = false;
    }

    /// Takes the result of a recall.
    pub(super) fn take_recalled(
        &mut self,
        now: Millis,
        found: Option<LastingState>,
        letters: Option<Vec<LastingLetter>>,
        out: &mut Vec<Outcome>,
    ) {
        let awaited = self.awaits_handover(now);
        self.lasts.recalled_at = Some(now);
        // Asked before its page came: with the letters it comes once more.
        if self.page().is_some() && (!awaited || letters.is_none()) {
            return;
        }
        self.expecting.handover_until = None;
        if let Some(letters) = letters.filter(|_| awaited) {
            self.mailbox.recall(now, letters, out);
        }
        let Some(LastingState { state: handed, .. }) = found.filter(|found| !self.knows(&found.state)) else {
            return self.release_waiting(out);
        };
        let HandedState { text, revision, age_ms, wall_ms } = handed;
        let handed = HandedState { text: None, revision, age_ms, wall_ms };
        self.lasts.before = Some((wall_ms, revision));
        match text {
            Some(text) if text.len() > LIGHT_BYTES_MAX => {
                self.begin(Work::Parse(text), Then::TakeOver(handed), out);
            }
            Some(text) => self.take_old_state(now, &handed, Document::parse(&text, || {}).ok(), out),
            None => {
                self.lasts.too_large = true;
                self.take_old_state(now, &handed, None, out);
            }
        }
    }

    /// Whether a state that outlived its hub is the one that is here, or the one that the state here continues.
    pub(super) fn knows(&self, handed: &HandedState) -> bool {
        let is_it = |wall_ms: u64, revision: u64| wall_ms == handed.wall_ms && revision >= handed.revision;
        match &self.published.state {
            Some(own) if !own.is_current() => {
                is_it(own.published_at(), own.revision()) && (own.is_known() || handed.text.is_none())
            }
            Some(_) => self.lasts.before.is_some_and(|(wall_ms, revision)| is_it(wall_ms, revision)),
            None => false,
        }
    }
}

fn lasting_letter(session: &SessionId, origin: &Arc<str>, number: u64, text: &str) -> LastingLetter {
    let text = (text.len() <= LASTING_LETTER_BYTES_MAX).then(|| text.into());
    LastingLetter { session: session.clone(), origin: origin.clone(), number, text }
}
