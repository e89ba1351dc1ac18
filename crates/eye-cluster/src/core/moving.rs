//! Moves what was kept of a session to the hub that claimed it. Only the hub that held the session before may send it,
//! for that claim, and once. Every other handover is ignored.

use super::event::{Action, Life};
use super::state::Core;
use crate::wire::Frame;
use eye_core::Input;
use eye_core::handover::{Handover, Heir};
use eye_protocol::SessionId;
use std::sync::Arc;

impl Core {
    /// Another hub has claimed a session that this hub held.
    pub(super) fn give_up(session: SessionId, origin: Arc<str>, claim: u64, out: &mut Vec<Action>) {
        out.push(Action::Feed(Input::Released { session, heir: Some(Heir { origin, claim }) }));
    }

    /// Another hub has claimed a session whose page is back here. Sends an empty handover, so that the other hub does
    /// not wait.
    pub(super) fn keep(session: SessionId, to: Life, heir: Heir, out: &mut Vec<Action>) {
        let nothing = Handover::nothing(session, heir);
        out.push(Action::Send { to, frame: Frame::HandOver(Box::new(nothing)) });
    }

    /// Sends what the local hub kept to the hub that claimed the session.
    pub(super) fn hand_over(&mut self, handover: Box<Handover>, out: &mut Vec<Action>) {
        let entry = self.directory.entries.get(&handover.session);
        let heir = entry.filter(|entry| entry.life != self.life && entry.epoch == handover.claim);
        let is_sent = self.up_since.is_some() && !self.directory.holds(&handover.session);
        match heir.map(|entry| entry.life.clone()).filter(|life| is_sent && self.hubs.is_alive(life)) {
            Some(to) => out.push(Action::Send { to, frame: Frame::HandOver(handover) }),
            None => self.unsent(handover, out),
        }
    }

    /// What could not be sent stays here, until an entry of the session is read again.
    pub(super) fn unsent(&mut self, handover: Box<Handover>, out: &mut Vec<Action>) {
        if !self.directory.holds(&handover.session) {
            self.directory.former.note(handover.session.clone(), self.life.clone());
        }
        out.push(Action::Feed(Input::HandedOver(handover)));
    }

    /// Another hub sends what it kept of a session.
    pub(super) fn handed_over(&mut self, from: &Life, handover: Box<Handover>, out: &mut Vec<Action>) {
        let Some(own) = self.directory.own.get_mut(&handover.session) else {
            return self.pass_along(from, handover, out);
        };
        let is_its = own.row.epoch == handover.claim && own.row.origin == handover.origin;
        if is_its && (own.before.take_if(|before| before == from).is_some() || own.takes_any) {
            own.takes_any = false;
            own.recalls = handover.is_forgotten;
            if own.recalls {
                return self.recall_due(&handover.session, out);
            }
            out.push(Action::Feed(Input::HandedOver(handover)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::claiming::cast_row::{ORIGIN, page};
    use crate::core::{Event, FORGET_AFTER_MS, StatesAction};
    use crate::row::Row;
    use eye_core::elsewhere::RowHere;
    use eye_protocol::messages::Presence;

    fn id() -> SessionId {
        SessionId::parse("s1").unwrap()
    }

    fn entry(life: &str, epoch: u64, revision: u64) -> Event {
        let row = Row::of(page("s1", Presence::Connected), None, &life.into(), &life.into());
        Event::Entry { session: id(), row: Some(Row { epoch, ..row }), revision }
    }

    fn joined() -> Event {
        let row = page("s1", Presence::Connected);
        Event::Rows(vec![(id(), Some(RowHere { row, last_ref: None, page: None }))])
    }

    fn handover(claim: u64, origin: &str) -> Handover {
        Handover {
            session: id(),
            origin: origin.into(),
            claim,
            state: None,
            letters: vec!["1".into()],
            dropped: 0,
            snapshots: Vec::new(),
            name: None,
            had_tools: false,
            age_ms: 0,
            asked: None,
            is_forgotten: false,
        }
    }

    fn sent(from: &str, claim: u64, origin: &str) -> Event {
        Event::Frame { from: from.into(), frame: Frame::HandOver(Box::new(handover(claim, origin))) }
    }

    /// Plays events at hub `b`, which has a page of session `s1`. The directory lists `s1` at hub `a` with epoch 3.
    fn claimed(after: impl IntoIterator<Item = Event>) -> Vec<Action> {
        let (mut core, mut out) = (Core::new("b".into(), "b".into()), Vec::new());
        for event in [Event::Up, Event::Reading, entry("a", 3, 5), Event::Read, joined()] {
            core.on(1, event, &mut out);
        }
        out.clear();
        for event in after {
            core.on(1, event, &mut out);
        }
        out
    }

    /// The claim of `b` is in the directory.
    fn written() -> Event {
        entry("b", 4, 6)
    }

    fn taken(after: impl IntoIterator<Item = Event>) -> usize {
        let is_taken = |action: &&Action| {
            matches!(action, Action::Feed(Input::HandedOver(_)) | Action::States(StatesAction::Get { .. }))
        };
        claimed(after).iter().filter(is_taken).count()
    }

    #[test]
    fn only_what_the_hub_before_sends_for_this_claim_is_taken_and_once() {
        let good = || sent("a", 4, ORIGIN);
        assert_eq!(taken([good()]), 1);
        assert_eq!(taken([good(), good()]), 1, "doubled");
        assert_eq!(taken([sent("a", 3, ORIGIN)]), 0, "for an earlier claim");
        assert_eq!(taken([sent("a", 5, ORIGIN)]), 0, "for a later claim");
        assert_eq!(taken([sent("c", 4, ORIGIN)]), 0, "from another hub");
        assert_eq!(taken([sent("a", 4, "http://localhost:9")]), 0, "of another origin");
        assert_eq!(taken([sent("c", 4, ORIGIN), good()]), 1, "what does not count does no harm");
        assert_eq!(taken([entry("c", 5, 7), good()]), 0, "the session has gone on to another hub");
        let ended = |life: &str| Event::Bye { life: life.into() };
        assert_eq!(taken([ended("a")]), 0, "nothing comes of a hub that is gone");
        assert_eq!(taken([ended("a"), written()]), 1, "but what outlived it, when the session is claimed");
        assert_eq!(taken([written(), ended("a")]), 1);
        assert_eq!(taken([ended("a"), written(), good()]), 2, "it was only hung");
        assert_eq!(taken([ended("a"), good(), written()]), 1, "it has sent everything");
        assert_eq!(taken([ended("c")]), 0, "another hub");
        assert_eq!(taken([good(), ended("a")]), 1, "it has come already");
    }

    #[test]
    fn what_outlives_hubs_is_looked_for_when_the_hub_before_has_forgotten_the_session() {
        let forgotten = |claim| {
            let nothing = Handover { letters: Vec::new(), is_forgotten: true, ..handover(claim, ORIGIN) };
            Event::Frame { from: "a".into(), frame: Frame::HandOver(Box::new(nothing)) }
        };
        let all = |events: Vec<Event>| {
            let described = |action: Action| match action {
                Action::States(StatesAction::Get { with_letters, .. }) => Some(format!("recall {with_letters}")),
                Action::Feed(Input::HandedOver(_)) => Some("take".into()),
                _ => None,
            };
            claimed(events).into_iter().filter_map(described).collect::<Vec<_>>()
        };
        assert_eq!(all(vec![written(), forgotten(4)]), ["recall true"]);
        assert_eq!(all(vec![forgotten(4)]), [""; 0], "not before the claim is in the directory");
        assert_eq!(all(vec![forgotten(4), written()]), ["recall true"]);
        assert_eq!(all(vec![written(), forgotten(3), sent("a", 4, ORIGIN)]), ["take"], "for another claim");
    }

    #[test]
    fn what_a_hub_gives_away_goes_to_the_claim_that_it_was_given_for_or_stays() {
        let given = |claim| Event::HandOver(Box::new(handover(claim, ORIGIN)));
        let to = |after: Vec<Event>| {
            let described = |action| match action {
                Action::Send { to, frame: Frame::HandOver(_) } => Some(to.to_string()),
                Action::Feed(Input::HandedOver(_)) => Some("back".into()),
                _ => None,
            };
            claimed(after).into_iter().filter_map(described).collect::<Vec<_>>()
        };
        assert_eq!(to(vec![written(), entry("c", 5, 7), given(5)]), ["c"]);
        assert_eq!(to(vec![written(), entry("c", 5, 7), given(4)]), ["back"], "for another claim");
        assert_eq!(to(vec![given(4)]), ["back"], "the page is here");
        assert_eq!(to(vec![written(), entry("c", 5, 7), Event::Down, given(5)]), ["back"], "without a link");
        let gone = Event::Bye { life: "c".into() };
        assert_eq!(to(vec![written(), entry("c", 5, 7), gone, given(5)]), ["back"], "that hub is gone");
        assert_eq!(to(vec![entry("c", 5, 7), given(5)]), ["back"], "its claim came too late and is made again");
    }

    #[test]
    fn what_stayed_here_is_given_when_the_other_hub_is_heard_of_again() {
        let lost = [written(), entry("c", 5, 7), Event::Down, Event::HandOver(Box::new(handover(5, ORIGIN)))];
        let again = [Event::Up, Event::Reading, entry("c", 5, 7), Event::Read];
        let released = |action: &Action| matches!(action, Action::Feed(Input::Released { .. }));
        assert_eq!(claimed(lost.into_iter().chain(again)).into_iter().filter(released).count(), 2);
    }

    #[test]
    fn a_session_that_was_removed_is_taken_over_from_the_hub_that_had_it() {
        let (mut core, mut out) = (Core::new("b".into(), "b".into()), Vec::new());
        let removed = Event::Entry { session: id(), row: None, revision: 6 };
        for event in [Event::Up, Event::Reading, entry("a", 3, 5), Event::Read, removed, joined()] {
            core.on(FORGET_AFTER_MS, event, &mut out);
        }
        out.clear();
        core.on(FORGET_AFTER_MS, sent("a", 1, ORIGIN), &mut out);
        assert!(matches!(out[..], [Action::Feed(Input::HandedOver(_))]), "{out:?}");
    }
}
