//! A page may move to a third hub before the handover of the first hub has reached the second. Then the second hub
//! waits for it and sends it on, together with what it kept itself.

use super::directory::Passing;
use super::event::{Action, Life};
use super::state::Core;
use eye_core::handover::Handover;
use eye_core::{Input, Millis};
use eye_protocol::SessionId;

impl Core {
    /// Another hub has claimed a session whose handover is still on its way here.
    pub(super) fn await_handover(&mut self, session: SessionId, passing: Passing, out: &mut Vec<Action>) {
        out.push(Action::Feed(Input::Released { session: session.clone(), heir: None }));
        self.directory.passing.insert(session, passing);
    }

    /// The handover has arrived.
    pub(super) fn pass_along(&mut self, from: &Life, handover: Box<Handover>, out: &mut Vec<Action>) {
        let session = handover.session.clone();
        let is_its = |passing: &Passing| passing.from == *from && passing.claim == handover.claim;
        if self.directory.passing.get(&session).is_some_and(is_its) {
            out.push(Action::Feed(Input::HandedOver(handover)));
            self.go_along(session, out);
        }
    }

    /// Sends on what this hub keeps of a session, to the hub that claimed it.
    fn go_along(&mut self, session: SessionId, out: &mut Vec<Action>) {
        self.directory.passing.remove(&session);
        let heir = self.directory.entries.get(&session).filter(|entry| entry.life != self.life);
        match heir.map(|entry| (entry.page.origin.clone(), entry.epoch)) {
            Some((origin, claim)) => Self::give_up(session, origin, claim, out),
            // It is sent when an entry of the session is read again.
            None => self.directory.former.note(session, self.life.clone()),
        }
    }

    fn go_along_where(&mut self, is_it: impl Fn(&Passing) -> bool, out: &mut Vec<Action>) {
        let those = self.directory.passing.iter().filter(|(_, passing)| is_it(passing));
        for session in those.map(|(session, _)| session.clone()).collect::<Vec<_>>() {
            self.go_along(session, out);
        }
    }

    /// Stops waiting for handovers that are overdue.
    pub(super) fn pass_along_overdue(&mut self, now: Millis, out: &mut Vec<Action>) {
        self.go_along_where(|passing| now >= passing.until, out);
    }

    /// A hub is gone: stops waiting for its handovers.
    pub(super) fn pass_along_without(&mut self, life: &Life, out: &mut Vec<Action>) {
        self.go_along_where(|passing| passing.from == *life, out);
    }

    /// The link is down: what this hub keeps is sent when entries of the sessions are read again.
    pub(super) fn nothing_passes(&mut self) {
        for session in std::mem::take(&mut self.directory.passing).into_keys() {
            self.directory.former.note(session, self.life.clone());
        }
    }
}
