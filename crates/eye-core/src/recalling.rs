//! States and letters that outlive their hubs: written when they change, and recalled when an agent requests the state
//! of a page that no hub holds any more, or when such a page comes back.

use crate::candidate::Candidate;
use crate::effect::Effect;
use crate::elsewhere::Listed;
use crate::gone::GonePage;
use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::lasting::{Found, GivenMail, Lasting, LastingState, Recalled};
use crate::naming::forgotten;
use crate::select;
use crate::session::Session;
use crate::session_event::Event;
use crate::state::State;
use crate::switchboard::Switchboard;
use eye_protocol::messages::Presence;
use eye_protocol::{Error, SessionId};

/// How many states are written in one turn, and how long the others wait.
const GIVEN_MAX: usize = 64;
const LATER_MS: Millis = 20;

impl Switchboard {
    /// Handles inputs about states and letters that outlive their hubs.
    pub(crate) fn on_lasting(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) {
        match input {
            Input::Recalled(recalled) => self.recalled(now, *recalled, out),
            Input::StatesWanted => self.all_states_changed(now, out),
            Input::MailGiven(given) => self.mail_given(*given, out),
            _ => {}
        }
    }

    /// A page of this hub has published: schedules the writing of its state, if there are other hubs.
    pub(crate) fn state_changed(&mut self, now: Millis, session: &SessionId) {
        if !self.elsewhere.wanted {
            return;
        }
        let held = self.sessions.get_mut(session).filter(|held| !held.is_driven());
        let at = held.and_then(|held| held.state_to_give(now));
        if let Some(at) = at {
            self.outliving.give_at(at, session.clone());
        }
    }

    /// A report of another hub may have changed the revision of a state that was published here: writes the state
    /// again.
    pub(crate) fn state_renumbered(&mut self, now: Millis, session: &SessionId) {
        let state = self.sessions.get(session).and_then(|held| held.published.state.as_ref());
        if state.is_some_and(State::is_current) {
            self.state_changed(now, session);
        }
    }

    /// A page of this hub has put a letter: writes it where it outlives the hub, if there are other hubs.
    pub(crate) fn mail_changed(&mut self, page: Conn, out: &mut Vec<Effect>) {
        if !self.elsewhere.wanted {
            return;
        }
        let held = self.pages.get(&page).and_then(|session| self.sessions.get_mut(session));
        let letter = held.filter(|held| !held.is_driven()).and_then(Session::letter_to_write);
        out.extend(letter.map(|letter| Effect::Lasting(Lasting::Letter(Box::new(letter)))));
    }

    /// No other hub can read the letters any more: delivers them.
    fn mail_given(&self, given: GivenMail, out: &mut Vec<Effect>) {
        let GivenMail { reply, result, .. } = given;
        if self.agents.contains_key(&reply.agent) {
            out.push(Effect::Result { reply, result: Ok(result) });
        }
    }

    /// Writes everything again: what was written before may be lost.
    fn all_states_changed(&mut self, now: Millis, out: &mut Vec<Effect>) {
        let there = self.sessions.values().filter(|held| held.presence() != Presence::Gone);
        for session in there.map(|held| held.id().clone()).collect::<Vec<_>>() {
            self.state_changed(now, &session);
            let held = self.sessions.get_mut(&session).filter(|held| !held.is_driven());
            if let Some(letters) = held.and_then(Session::letters_to_write) {
                out.push(Effect::Lasting(Lasting::Mail { session, letters }));
            }
        }
    }

    /// Writes the states that are due, and continues requests that have waited too long for a recall.
    pub(crate) fn tick_lasting(&mut self, now: Millis, out: &mut Vec<Effect>) {
        let (mut given, mut later) = (0, Vec::new());
        while let Some(session) = self.outliving.next_due(now) {
            let Some(held) = self.sessions.get(&session) else { continue };
            if given >= GIVEN_MAX || held.is_state_busy(now) {
                later.push(session);
            } else {
                given += 1;
                self.session_on(now, &session, Event::StateDue, out);
            }
        }
        for session in later {
            self.outliving.give_at(now + LATER_MS, session);
        }
        for (_, requests) in self.outliving.recalls.overdue(now) {
            for request in requests {
                self.go_on(now, request, out);
            }
        }
    }

    /// Notes that a page is listed at another hub, or no longer listed.
    pub(crate) fn note_gone(&mut self, now: Millis, change: &Listed) {
        match change {
            Listed::There(page) => {
                self.outliving.gone.remove(&page.id);
                if let Some(held) = self.sessions.get_mut(&page.id) {
                    held.recall_anew();
                }
            }
            Listed::Gone(session) => {
                let here = self.presence(session).is_some_and(|presence| presence != Presence::Gone);
                let page = self.elsewhere.pages.get(session).filter(|_| !here).cloned();
                if let Some(page) = page {
                    self.outliving.gone.note(now, page);
                }
            }
            Listed::LeftOut(_) | Listed::All(_) | Listed::Unwatched(_) => {}
        }
    }

    /// A page has come whose hub is gone: recalls what outlived that hub.
    pub(crate) fn come_back(&mut self, now: Millis, session: &SessionId, out: &mut Vec<Effect>) {
        let Some(gone) = self.outliving.gone.get(session) else { return };
        let name = gone.name.clone();
        let Some(held) = self.sessions.get_mut(session).filter(|held| *held.origin() == *gone.origin) else { return };
        held.expect_recall(now);
        self.outliving.gone.remove(session);
        out.push(Effect::Lasting(Lasting::CameBack(session.clone())));
        if let Some(name) = name {
            self.inherit_name(session, &name);
        }
    }

    /// Lets a request for a state wait for a recall, if the page's hub is gone. `Some`: the request need not wait.
    pub(crate) fn unless_recalled(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) -> Option<Input> {
        if !self.elsewhere.wanted {
            return Some(input);
        }
        let Input::GetState { reply, page, .. } = &input else { return Some(input) };
        let found = self.outlived(now, reply.agent, page.as_deref());
        let Some(session) = found.filter(|session| self.outliving.recalls.has_room(session, &input)) else {
            return Some(input);
        };
        if self.outliving.recalls.put(now, &session, input) {
            out.push(Effect::Lasting(Lasting::Recall(session)));
        }
        None
    }

    /// The session that an agent means, if its last state may have outlived its hub. Resolved by the same rules as
    /// pages that are there.
    fn outlived(&self, now: Millis, agent: Conn, page: Option<&str>) -> Option<SessionId> {
        let known = self.agents.get(&agent)?;
        let wanted = page.or(known.target.as_deref());
        let found = self.find(agent, page);
        if let Ok(id) = &found
            && !wanted.is_some_and(|wanted| self.gone_pages(now, agent).any(|gone| is_called(gone, wanted)))
        {
            let held = self.sessions.get(id).filter(|_| self.page_elsewhere(id).is_none())?;
            return held.wants_recall(now).then(|| id.clone());
        }
        if let Some(gone) = self.meant_gone(now, agent, page) {
            return Some(gone.id().clone());
        }
        // This hub may never have learned of the page, which is then known only by its id.
        let id = match wanted {
            Some(wanted) => SessionId::parse(wanted),
            None => self.last_used_by(known).map(|page| page.session.clone()),
        };
        id.filter(|id| found.is_err() && !self.sessions.contains_key(id) && self.elsewhere.get(id).is_none())
    }

    /// The page that an agent means, if it is a page of another hub that is no longer listed.
    fn meant_gone(&self, now: Millis, agent: Conn, page: Option<&str>) -> Option<&GonePage> {
        let known = self.agents.get(&agent)?;
        let gone = self.gone_pages(now, agent);
        let all = self.candidates(agent).chain(gone.clone().map(|gone| gone as &dyn Candidate));
        let (id, meant) = match page.or(known.target.as_deref()) {
            Some(wanted) => {
                let mut named = gone.clone().filter(|gone| gone.page.name.as_deref() == Some(wanted));
                let id = match (named.next(), named.next()) {
                    (Some(one), None) if self.named(agent, wanted).is_err() => one.id().clone(),
                    _ => select::named(wanted, all).ok()?,
                };
                (id, known.target_page.as_ref().filter(|_| page.is_none()))
            }
            None => (select::unnamed(self.last_used_by(known), all).ok()?, None),
        };
        let mut found = gone.filter(|gone| *gone.id() == id);
        found.find(|gone| meant.is_none_or(|meant| *meant.origin == *gone.origin()))
    }

    /// Pages of other hubs that are no longer listed, that the agent may see, and of which nothing is kept here.
    fn gone_pages(&self, now: Millis, agent: Conn) -> impl Iterator<Item = &GonePage> + Clone {
        let is_unknown = move |id: &SessionId| !self.sessions.contains_key(id) && self.elsewhere.get(id).is_none();
        self.outliving
            .gone
            .iter(now)
            .filter(move |gone| self.sees_origin(agent, gone.origin()) && is_unknown(gone.id()))
    }

    /// Handles the result of a recall.
    fn recalled(&mut self, now: Millis, recalled: Recalled, out: &mut Vec<Effect>) {
        let Recalled { session, found, mut letters } = recalled;
        let mut requests = self.outliving.recalls.take(&session);
        let found = match found {
            Found::State(found) => {
                let is_seen = |input: &Input| input.conn().is_some_and(|agent| self.sees_origin(agent, &found.origin));
                if requests.iter().any(is_seen) {
                    self.make_of(now, &found);
                }
                let held = self.sessions.get(&session).filter(|held| *held.origin() == *found.origin);
                held.is_some().then_some(found)
            }
            Found::Nothing if self.sessions.get(&session).is_some_and(Session::is_from_afar) => {
                // The session was forgotten at another hub, or is too old by now.
                self.forget_session(&session);
                None
            }
            Found::Nothing | Found::Unknown => None,
        };
        if found.is_some() {
            for request in &mut requests {
                if let Input::GetState { page, .. } = request {
                    *page = Some(session.as_str().into());
                }
            }
        }
        let origin = self.sessions.get(&session).map(Session::shared_origin);
        if let Some(letters) = &mut letters {
            letters.retain(|letter| origin == Some(&letter.origin));
        }
        self.session_on(now, &session, Event::Recalled { found, letters }, out);
        self.state_renumbered(now, &session);
        for request in requests {
            if let Some(request) = self.behind_work(request, out) {
                self.go_on(now, request, out);
            }
        }
    }

    /// Makes a session from the state of a session that no hub holds any more, unless it is known here.
    fn make_of(&mut self, now: Millis, found: &LastingState) {
        let session = &found.session;
        if self.sessions.contains_key(session) || self.elsewhere.get(session).is_some() {
            return;
        }
        self.make_room();
        let made = Session::outlived(found, now, self.first_calls.draw());
        self.renaming(session, |board| drop(board.sessions.insert(session.clone(), made)));
        if let Some(name) = &found.name {
            self.inherit_name(session, name);
        }
    }

    /// Removes what was written of a session that is forgotten.
    pub(crate) fn forget_state(&mut self, session: &SessionId, out: &mut Vec<Effect>) {
        if self.elsewhere.wanted {
            self.outliving.gone.remove(session);
            out.push(Effect::Lasting(Lasting::Forget(session.clone())));
        }
    }

    /// Forgets a page that another hub held, if an agent means one.
    pub(crate) fn forget_gone(
        &mut self,
        now: Millis,
        agent: Conn,
        page: &str,
        out: &mut Vec<Effect>,
    ) -> Option<Result<String, Error>> {
        self.gone_pages(now, agent).next()?;
        let session = self.meant_gone(now, agent, Some(page))?.id().clone();
        self.forget_state(&session, out);
        Some(Ok(forgotten(&session)))
    }
}

fn is_called(gone: &GonePage, wanted: &str) -> bool {
    gone.id().as_str() == wanted || gone.page.name.as_deref() == Some(wanted)
}
