//! What outlived the hub that held a session before is looked for when the directory says that this hub holds it, and
//! only if the hub before is gone or has forgotten the session: a hub that is there gives the letters of its sessions
//! to its own agents until it hears of the claim, and then sends what is left of them.

use super::directory::Claim;
use super::event::{Action, Life, StatesAction};
use super::state::Core;
use eye_core::Input;
use eye_protocol::SessionId;

impl Core {
    /// It is known which hub held a session before whose page is here: what that hub kept is expected, or what outlived
    /// it.
    pub(super) fn comes_from(&mut self, session: &SessionId, is_new: bool, out: &mut Vec<Action>) {
        let came_back = self.directory.came_back.remove(session);
        let Some(own) = self.directory.own.get_mut(session) else { return };
        let came_back = came_back || std::mem::take(&mut own.recalls);
        match own.before.as_ref().map(|life| self.hubs.is_alive(life)) {
            // The hub here did not know of it.
            Some(true) if came_back => out.push(Action::Feed(Input::CameOver(session.clone()))),
            Some(true) => {}
            Some(false) => own.recalls = is_new || came_back,
            None => own.recalls = came_back,
        }
        self.recall_due(session, out);
    }

    /// Looks for what outlived the hub before, if that is due.
    pub(super) fn recall_due(&mut self, session: &SessionId, out: &mut Vec<Action>) {
        let Some(own) = self.directory.own.get_mut(session).filter(|own| own.claim == Claim::Written) else { return };
        let is_there = own.before.as_ref().is_some_and(|life| self.hubs.is_alive(life));
        if std::mem::take(&mut own.recalls) && !is_there {
            out.push(Action::States(StatesAction::Get { session: session.clone(), with_letters: true }));
        }
    }

    /// A hub is gone: what waits for what it kept gets what outlived it. Should it have been only hung, it still sends
    /// the rest.
    pub(super) fn nothing_comes_of(&mut self, life: &Life, out: &mut Vec<Action>) {
        let from = self.directory.own.iter_mut().filter(|(_, own)| own.before.as_ref() == Some(life));
        let sessions: Vec<SessionId> = from
            .map(|(session, own)| {
                own.recalls = true;
                session.clone()
            })
            .collect();
        for session in sessions {
            self.recall_due(&session, out);
        }
    }
}
