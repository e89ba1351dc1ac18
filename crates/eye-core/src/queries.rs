//! Queries of the switchboard, which do not change it.

use crate::ids::{Conn, Millis, earlier};
use crate::row::{disambiguate, row};
use crate::session::Session;
use crate::state::State;
use crate::switchboard::Switchboard;
use crate::tally::Tally;
use eye_protocol::SessionId;
use eye_protocol::messages::{Presence, SessionRow};
use std::cmp::Reverse;

impl Switchboard {
    /// When [`Input::Tick`](crate::Input::Tick) is due next.
    pub fn next_wake(&self) -> Option<Millis> {
        let sessions = self.wakes.peek().map(|Reverse((at, _))| *at);
        let sweep = (!self.sessions.is_empty()).then_some(self.sweep_at);
        let (topics, outliving) = (self.topics.next_wake(), self.outliving.next_wake());
        let sessions = earlier(sessions, self.elsewhere.lookups.next_wake());
        let own = [self.shelves_wake, topics, self.tools_news.next_wake(), self.remember_at, sweep, outliving];
        own.into_iter().fold(sessions, earlier)
    }

    /// Connected pages.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Connected agents.
    pub fn agents(&self) -> usize {
        self.agents.len()
    }

    /// Sessions, connected or not.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Calls under way.
    pub fn pending(&self) -> usize {
        let lookups = self.outliving.recalls.len() + self.elsewhere.lookups.len();
        lookups + self.sessions.values().map(Session::pending).sum::<usize>()
    }

    /// Whether no call is under way, here or elsewhere.
    pub fn is_idle(&self) -> bool {
        self.pending() == 0 && self.lanes.are_free() && self.agents.values().all(|agent| agent.in_flight == 0)
    }

    /// Connected pages with no call under way.
    pub fn idle_pages(&self) -> impl Iterator<Item = Conn> {
        let is_idle = |session| self.sessions.get(session).is_none_or(|held| held.pending() == 0);
        self.pages.iter().filter(move |(_, session)| is_idle(session)).map(|(page, _)| *page)
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Tools that pages offer.
    pub fn tools(&self) -> usize {
        self.sessions.values().map(|session| session.toolbox().len()).sum()
    }

    /// Whether a session is known.
    pub fn has_session(&self, session: &SessionId) -> bool {
        self.sessions.contains_key(session)
    }

    /// The highest ref that the pages of a session have given to agents.
    pub fn last_ref(&self, session: &SessionId) -> Option<u32> {
        let elsewhere = || self.elsewhere.get(session)?.last_ref;
        self.sessions.get(session).and_then(|held| held.info().last_ref).or_else(elsewhere)
    }

    /// Whether a session's page is a document of a tab that the hub drives, and the revision of its state.
    pub fn hands_and_revision(&self, session: &str) -> (bool, Option<u64>) {
        let known = SessionId::parse(session).and_then(|id| self.sessions.get(&id));
        known.map_or((false, None), |known| (known.is_driven(), known.published.state.as_ref().map(State::revision)))
    }

    /// The session of a connected page.
    pub fn session_of(&self, page: Conn) -> Option<&SessionId> {
        self.pages.get(&page)
    }

    /// Whether a session's page is connected.
    pub fn has_page(&self, session: &SessionId) -> bool {
        self.sessions.get(session).and_then(Session::page).is_some()
    }

    /// The session that an agent joined.
    pub fn joined(&self, agent: Conn) -> Option<&SessionId> {
        self.agents.get(&agent)?.joined.as_ref().map(|page| &page.session)
    }

    /// Whether an agent may see a session: its token may name the origins of its pages.
    pub(crate) fn sees(&self, agent: Conn, session: &Session) -> bool {
        self.sees_origin(agent, session.origin())
    }

    /// Whether an agent may see pages of an origin. An agent that has left sees none: its token is no longer known.
    pub(crate) fn sees_origin(&self, agent: Conn, origin: &str) -> bool {
        self.agents.get(&agent).is_some_and(|known| known.scope.sees(origin))
    }

    /// The sessions that an agent may see.
    pub(crate) fn visible(&self, agent: Conn) -> impl Iterator<Item = &Session> + Clone {
        self.sessions.values().filter(move |session| self.sees(agent, session))
    }

    /// The session of this id, if the agent may see it.
    pub fn visible_session(&self, agent: Conn, id: &str) -> Option<SessionId> {
        let id = SessionId::parse(id)?;
        let here = self.sessions.get(&id).is_some_and(|session| self.sees(agent, session));
        (here || self.page_elsewhere(&id).is_some_and(|page| self.sees_origin(agent, &page.origin))).then_some(id)
    }

    /// The ids of the agent's sessions whose page is there or expected, in order.
    pub fn session_ids(&self, agent: Conn) -> Vec<String> {
        let there = self.candidates(agent).filter(|s| s.presence() != Presence::Gone);
        let mut ids: Vec<String> = there.map(|s| s.id().to_string()).collect();
        ids.sort_unstable();
        ids
    }

    /// All sessions, as lists show them: connected first, then by last use.
    pub fn rows(&self, now: Millis, agent: Option<Conn>) -> Vec<SessionRow> {
        let current = agent.and_then(|agent| self.last_used(agent)).cloned();
        // A frame of a driven tab does not come back once it is gone.
        let gone = |s: &Session| s.is_driven() && s.info().frame == Some(true) && s.presence() != Presence::Connected;
        let seen = |s: &&Session| {
            agent.is_none_or(|agent| self.sees(agent, s)) && self.page_elsewhere(s.id()).is_none() && !gone(s)
        };
        let mut sessions: Vec<&Session> = self.sessions.values().filter(seen).collect();
        sessions.sort_by_key(|s| (s.presence() != Presence::Connected, Reverse(s.used_at()), s.id().clone()));
        let here = sessions.into_iter().map(|session| row(now, session, current.as_ref()));
        let mut rows: Vec<SessionRow> = here.chain(self.rows_elsewhere(now, agent)).collect();
        disambiguate(&mut rows);
        rows
    }

    /// How long a session has been there, in ms, and how many agents joined it.
    pub fn age_and_agents(&self, now: Millis, session: &str) -> Option<(u64, usize)> {
        let session = SessionId::parse(session)?;
        let made = self.sessions.get(&session)?.made_at();
        Some((now.saturating_sub(made), self.members.get(&session).map_or(0, Vec::len)))
    }

    pub fn presence(&self, session: &SessionId) -> Option<Presence> {
        self.sessions.get(session).map(Session::presence)
    }
}
