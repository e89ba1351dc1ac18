//! A session that changes its hub: what is kept of it goes along. It is at one hub at a time, or on its way.

use super::Session;
use crate::document::Document;
use crate::effect::Effect;
use crate::handover::{HandedState, Handover};
use crate::ids::Millis;
use crate::session_event::Outcome;
use crate::state::{State, When, select};
use crate::task::Reply;
use crate::then::Then;
use crate::work::Work;
use eye_protocol::limits::{HANDOVER_BYTES_MAX, HANDOVER_MS, LIGHT_BYTES_MAX, RECALL_MS};
use serde_json::value::RawValue;

impl Session {
    /// Its page has come from another hub, which sends what it kept.
    pub(crate) fn expect_handover(&mut self, now: Millis) {
        self.expecting.handover_until = Some(now + HANDOVER_MS);
    }

    /// Its page has come from a hub that is gone: what outlived that hub is recalled.
    pub(crate) fn expect_recall(&mut self, now: Millis) {
        self.expecting.handover_until = Some(now + RECALL_MS);
    }

    /// Whether what another hub kept is on its way.
    pub(super) fn awaits_handover(&self, now: Millis) -> bool {
        self.expecting.handover_until.is_some_and(|until| now < until)
    }

    /// Whether there is something that its page does not send again.
    pub(crate) fn has_belongings(&self) -> bool {
        let published = &self.published;
        let kept = published.state.is_some() || published.snapshots.bytes() > 0;
        kept || self.mailbox.bytes() > 0 || self.given_name.is_some()
    }

    /// Takes the agents that wait for a letter, and until when.
    pub(crate) fn take_readers(&mut self) -> impl Iterator<Item = (Reply, Millis)> + use<> {
        self.mailbox.take_readers()
    }

    /// Another hub holds the session: hands over what was kept of it.
    pub(super) fn give_away(&mut self, now: Millis, claim: u64, out: &mut Vec<Outcome>) {
        let (letters, dropped) = self.mailbox.hand_over();
        let ago = |at: Millis| now.saturating_sub(at);
        let mut handover = Box::new(Handover {
            session: self.id.clone(),
            origin: self.origin.clone(),
            claim,
            state: None,
            letters,
            dropped,
            snapshots: self.published.snapshots.hand_over(now),
            name: self.given_name.take(),
            had_tools: self.expecting.had_tools,
            age_ms: ago(self.made_at),
            asked: self.asked_at.map(|at| (ago(at), self.asked_by.clone())),
            is_forgotten: false,
        });
        let state = self.published.state.take().map(|state| state.hand_over(now));
        let Some((handed, document)) = state else { return out.push(hand_over(handover)) };
        handover.state = Some(handed);
        match document {
            Some(document) if document.text_bytes() > LIGHT_BYTES_MAX => {
                self.begin(Work::Read(document, None), Then::HandOver(handover), out);
            }
            Some(document) => {
                let text = select(document.value(), None).ok();
                self.hand_over(handover, document, text, out);
            }
            None => out.push(hand_over(handover)),
        }
    }

    /// The text of the state is ready: hands everything over.
    #[expect(clippy::unused_self, reason = "one of the session's steps, beside its siblings")]
    pub(crate) fn hand_over(
        &self,
        mut handover: Box<Handover>,
        document: Document,
        text: Option<Box<RawValue>>,
        out: &mut Vec<Outcome>,
    ) {
        if document.text_bytes() > LIGHT_BYTES_MAX {
            out.push(Outcome::Effect(Effect::Free(Box::new(document))));
        }
        if let Some(state) = &mut handover.state {
            state.text = text.map(Into::into);
        }
        out.push(hand_over(handover));
    }

    /// Takes what another hub kept, which is older than everything that the page has sent here.
    pub(super) fn take_over(&mut self, now: Millis, handover: Handover, out: &mut Vec<Outcome>) {
        let Handover { state, letters, dropped, snapshots, had_tools, age_ms, asked, .. } = handover;
        self.expecting.handover_until = None;
        self.expecting.had_tools |= had_tools;
        self.made_at = self.made_at.min(now.saturating_sub(age_ms));
        if let (None, Some((ago_ms, by))) = (self.asked_at, asked) {
            self.asked_at = Some(now.saturating_sub(ago_ms));
            self.asked_by = by;
        }
        self.mailbox.take_over(now, letters, dropped, out);
        self.published.snapshots.take_over(now, snapshots);
        // The state may have been recalled already from where it outlives its hub.
        match state.filter(|handed| !self.knows(handed)) {
            Some(HandedState { text: Some(text), revision, age_ms, wall_ms }) => {
                let handed = HandedState { text: None, revision, age_ms, wall_ms };
                if text.len() > LIGHT_BYTES_MAX {
                    self.begin(Work::Parse(text), Then::TakeOver(handed), out);
                } else {
                    self.take_old_state(now, &handed, Document::parse(&text, || {}).ok(), out);
                }
            }
            Some(handed) => self.take_old_state(now, &handed, None, out),
            None => self.release_waiting(out),
        }
    }

    /// Takes the state that another hub kept, unless the page has published here since. Revisions go on from there.
    pub(crate) fn take_old_state(
        &mut self,
        now: Millis,
        handed: &HandedState,
        document: Option<Document>,
        out: &mut Vec<Outcome>,
    ) {
        let HandedState { revision, age_ms, wall_ms, .. } = *handed;
        match &mut self.published.state {
            Some(own) if own.is_current() => own.follow(revision),
            // What was kept here is usually older, because that hub held the session since; not where that hub received
            // nothing.
            Some(own) if own.published_at() >= wall_ms => own.number_after(revision),
            own => {
                let revision = own.as_ref().map_or(revision, |own| revision.max(own.revision() + 1));
                let came = When { now: now.saturating_sub(age_ms), wall_ms };
                let before = own.replace(State::handed(document, revision, came));
                self.published.wall_ms = self.published.wall_ms.max(wall_ms);
                let freed = before.and_then(|mut before| before.drop_document());
                let heavy = freed.filter(|document| document.text_bytes() > LIGHT_BYTES_MAX);
                out.extend(heavy.map(|document| Outcome::Effect(Effect::Free(Box::new(document)))));
            }
        }
        self.offered(out);
    }
}

fn hand_over(mut handover: Box<Handover>) -> Outcome {
    handover.cut_to(HANDOVER_BYTES_MAX);
    Outcome::Effect(Effect::HandOver(handover))
}
