//! Sessions that change their hub: the page here is closed, and what was kept of the session is handed over or taken
//! over.

use crate::effect::Effect;
use crate::handover::{Handover, Heir};
use crate::ids::Millis;
use crate::input::Input;
use crate::page_event::PageEvent;
use crate::session::Session;
use crate::session_event::Event;
use crate::switchboard::Switchboard;
use crate::work::Lane;
use eye_protocol::SessionId;
use eye_protocol::close::Close;
use eye_protocol::messages::Presence;

impl Switchboard {
    /// Another hub holds a session from now on. Its page here is notified and closed, its calls end, and what was kept
    /// goes to the heir if that has the same origin.
    pub(crate) fn release(&mut self, now: Millis, session: SessionId, heir: Option<Heir>, out: &mut Vec<Effect>) {
        if let Some(page) = self.sessions.get(&session).and_then(Session::page) {
            out.push(Effect::Replaced { page });
            out.push(Effect::Close { conn: page, close: Close::taken_over() });
            self.pages.remove(&page);
            self.topics.forget(page);
            self.session_on(now, &session, Event::page(page, PageEvent::Left), out);
        }
        self.renew_watches(&session, out);
        self.move_readers(now, &session, out);
        let Some(heir) = heir else { return };
        let held = self.sessions.get(&session);
        let is_forgotten = held.is_none();
        let Some(held) = held.filter(|held| *heir.origin == *held.origin()) else {
            let nothing = Handover { is_forgotten, ..Handover::nothing(session, heir) };
            return out.push(Effect::HandOver(Box::new(nothing)));
        };
        let lane = Lane::Session(session.clone());
        if self.lanes.holds(&lane) {
            // Requests for the state that came before are answered first.
            self.lanes.put(&lane, Input::Released { session, heir: Some(heir) });
            return;
        }
        if let Some(name) = held.given_name() {
            self.names.given.remove(name);
            self.known_changed = true;
        }
        self.session_on(now, &session, Event::GivenAway { claim: heir.claim }, out);
    }

    /// Lets agents that wait for a letter of a page wait at the hub that holds the page now.
    fn move_readers(&mut self, now: Millis, session: &SessionId, out: &mut Vec<Effect>) {
        let there = self.page_elsewhere(session).map(|page| page.origin.clone());
        let Some(held) = self.sessions.get_mut(session).filter(|held| there.as_deref() == Some(held.origin())) else {
            return;
        };
        for (reply, until) in held.take_readers() {
            let timeout_ms = Some(until.saturating_sub(now));
            self.go_on(now, Input::ReadMail { reply, page: Some(session.as_str().into()), timeout_ms }, out);
        }
    }

    /// Takes what another hub kept of a session.
    pub(crate) fn take_over(&mut self, now: Millis, mut handover: Box<Handover>, out: &mut Vec<Effect>) {
        let session = handover.session.clone();
        if self.sessions.get(&session).is_none_or(|held| *held.origin() != *handover.origin) {
            return;
        }
        if let Some(name) = handover.name.take() {
            self.inherit_name(&session, &name);
        }
        self.session_on(now, &session, Event::TakenOver(handover), out);
        self.state_renumbered(now, &session);
    }

    /// A page has come that, as far as this hub knows, another hub holds. The page keeps its name; the rest follows
    /// with the handover.
    pub(crate) fn come_over(&mut self, now: Millis, session: &SessionId, out: &mut Vec<Effect>) {
        let Some(row) = self.elsewhere.get(session) else { return self.come_back(now, session, out) };
        let name = row.name.clone();
        let Some(held) = self.sessions.get_mut(session).filter(|held| *held.origin() == *row.origin) else { return };
        held.expect_handover(now);
        if let Some(name) = name {
            self.inherit_name(session, &name);
        }
    }

    /// Whether a page that may come back through another hub has left something here to hand over.
    pub fn awaits_heirs(&self) -> bool {
        let comes_back = |held: &Session| held.presence() != Presence::Gone && !held.is_driven();
        self.sessions.values().any(|held| comes_back(held) && held.has_belongings())
    }
}
