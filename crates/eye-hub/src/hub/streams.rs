//! Peers that hear by a stream of events and speak by POST: whom a POST is from, who waits for its turn behind a newer
//! stream of its session, and how streams are greeted.

use super::hearing::plain_page;
use super::outbox::Kind;
use super::peer::{Peer, Side, Voice};
use super::state::{Hub, State};
use crate::dialect::call_id::read_call_id;
use crate::dialect::events::{self, Listed, Posts};
use crate::dialect::{FromPage, eye};
use eye_core::agent::too_often;
use eye_core::{CallId, Conn, Effect, Input};
use eye_protocol::close::Close;
use eye_protocol::messages::Presence;
use eye_protocol::rpc::Message;
use eye_protocol::scope::Scope;
use eye_protocol::{Error, SessionId};
use std::borrow::Cow;

/// What a POST says of who sends it.
#[derive(Debug)]
pub struct Sender<'a> {
    /// How it posts.
    pub posts: Posts,
    /// The id of its stream.
    pub client: Option<&'a str>,
    /// The session it means.
    pub session: Option<&'a str>,
    /// The `Origin` header.
    pub origin: Option<&'a str>,
    /// What its token allows: a stream is spoken for only by the same.
    pub scope: Scope,
}

/// Whose stream a POST belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// This one's.
    One(Conn),
    /// None that is open.
    None,
    /// More than one could have sent it.
    Several,
}

impl Hub {
    /// Whether a stream with this id was closed for good.
    pub fn was_superseded(&self, client: &str) -> bool {
        self.hold().streams.was_superseded(client)
    }

    /// Whether as many streams of a session are open as its browser has connections to spare.
    pub fn is_crowded(&self, session: &SessionId, origin: &str) -> bool {
        let state = self.hold();
        state.streams.is_full(session) && !state.board.is_kept_for_another(session, origin)
    }

    /// The sessions that a scope sees, as their list shows them.
    pub fn listed(&self, scope: &Scope) -> Vec<Listed> {
        let rows = self.rows(scope);
        let (now, state) = (self.now(), self.hold());
        let listed = rows.into_iter().map(|row| {
            let (age_ms, agents) = state.board.age_and_agents(now, &row.id).unwrap_or_default();
            Listed { row, age_ms, agents }
        });
        listed.collect()
    }

    /// Greets a stream as both kinds of servers do, and lets its page join. One that comes `back` to a session which
    /// another page has meanwhile waits for its turn: it may be the older half of the same page. So does the new stream
    /// of a client whose stream was superseded a moment ago: two tabs would take the session from each other for ever.
    pub fn greet_stream(&self, conn: Conn, client: &str, session: &str, back: bool, listed: &[Listed]) {
        let mut state = self.hold();
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        let page = peer.side == Side::Page;
        peer.outbox.event_id(&format!("{client}.{session}"));
        let mut greet = |json: &str| peer.rpc(Kind::Message, json);
        if !page {
            greet(&events::sessions(listed));
        }
        greet(&events::connected(client, session, if page { "browser" } else { "agent" }));
        greet(&if page { events::welcome_page(session) } else { events::welcome_agent(listed) });
        self.written(&mut state, conn);
        let Some(id) = SessionId::parse(session) else { return };
        if page {
            let held = state.board.presence(&id) == Some(Presence::Connected);
            if held && (back || state.streams.returns(&id, self.now())) {
                Self::stand_in_line(&mut state, conn, id);
            } else {
                self.page_joins(&mut state, conn, plain_page());
            }
        } else if !self.join_there(&mut state, conn, &id) {
            state.streams.awaited.entry(id).or_default().push(conn);
        }
    }

    /// Lets an agent join a session that has a page. `false`: there is none that it may see.
    fn join_there(&self, state: &mut State, agent: Conn, session: &SessionId) -> bool {
        let there = state.board.presence(session) == Some(Presence::Connected)
            && state.board.visible_session(agent, session.as_str()).is_some();
        if there {
            self.feed(state, Input::Join { agent, form: None, session: session.as_str().into() });
        }
        there
    }

    /// A session has a page: agents that named it before join it.
    pub(crate) fn page_came(&self, state: &mut State, session: &SessionId) {
        for agent in state.streams.awaited.remove(session).unwrap_or_default() {
            if state.board.joined(agent).is_none() {
                self.join_there(state, agent, session);
            }
        }
    }

    /// Whose stream a POST belongs to. `side` is `None` where both sides say such a thing.
    ///
    /// A page is only found by what comes from the same origin: ids that a person chose can be guessed.
    pub fn find_stream(&self, side: Option<Side>, sender: &Sender<'_>) -> Found {
        let mut state = self.hold();
        let may_speak = |peer: &Peer| match peer.side {
            Side::Page => peer.origin.as_deref() == sender.origin,
            Side::Agent => peer.scope == sender.scope,
        };
        let means = |conn: Conn, peer: &Peer| match (sender.client, sender.session) {
            (Some(client), _) => peer.client.as_deref() == Some(client),
            (None, Some(session)) if peer.side == Side::Page => {
                state.board.session_of(conn).is_some_and(|held| held.as_str() == session)
            }
            (None, Some(session)) => {
                peer.session.as_deref() == Some(session)
                    || state.board.joined(conn).is_some_and(|held| held.as_str() == session)
            }
            // A page that named no session posts none.
            (None, None) => peer.side == Side::Page && peer.session.is_none(),
        };
        let fits = |conn: Conn, peer: &Peer| {
            let right_side = sender.client.is_some() || side.is_none_or(|side| side == peer.side);
            matches!(peer.voice, Voice::Events(_)) && !peer.deaf && right_side && may_speak(peer) && means(conn, peer)
        };
        let mut found: Vec<(Side, Conn)> = state
            .peers
            .iter()
            .filter(|(conn, peer)| fits(**conn, peer))
            .map(|(conn, peer)| (peer.side, *conn))
            .collect();
        if side.is_none() && found.iter().any(|(side, _)| *side == Side::Page) {
            // What both sides say is the page's own, where the session is its.
            found.retain(|(side, _)| *side == Side::Page);
        }
        match found.as_slice() {
            [] => Found::None,
            [(_, conn)] => {
                let conn = *conn;
                if let Some(peer) = state.peers.get_mut(&conn) {
                    peer.voice = Voice::Events(sender.posts);
                }
                Found::One(conn)
            }
            _ => Found::Several,
        }
    }

    /// The page that a call went to, and the call, where a page of the same origin speaks of it.
    pub fn stream_of_call(&self, sender: &Sender<'_>, id: &str) -> Option<(Conn, CallId)> {
        let (page, call) = read_call_id(id)?;
        let mut state = self.hold();
        let peer = state.peers.get_mut(&page)?;
        let client = sender.client.is_none_or(|client| peer.client.as_deref() == Some(client));
        let ours = peer.side == Side::Page && peer.origin.as_deref() == sender.origin && client && !peer.deaf;
        if !ours || !matches!(peer.voice, Voice::Events(_)) {
            return None;
        }
        peer.voice = Voice::Events(sender.posts);
        Some((page, call))
    }

    /// Takes the answer to a call.
    pub fn hear_answer(&self, page: Conn, call: CallId, outcome: Result<Cow<'_, str>, Error>) {
        let said = eye::page_response(page, &call.to_string(), outcome, || {});
        self.page_said(&mut self.hold(), page, said.map(FromPage::Input));
    }

    /// Binds an agent that has not joined a session to the one that its POST names. `false`: that one has no page.
    pub fn bind(&self, conn: Conn, session: Option<&str>) -> bool {
        let mut state = self.hold();
        if state.board.joined(conn).is_some() || !state.peers.get(&conn).is_some_and(|peer| peer.side == Side::Agent) {
            return true;
        }
        session.and_then(SessionId::parse).is_some_and(|id| self.join_there(&mut state, conn, &id))
    }

    /// Takes one call of those that come alone, or tells why not.
    pub fn admit_alone(&self) -> Result<(), Error> {
        let (now, rate) = (self.now(), self.rate());
        self.hold().streams.alone.take(now, 1, rate).map_err(|retry_after_ms| too_often(rate, retry_after_ms))
    }

    /// Whether a page that lost its session is neither told nor closed.
    pub(crate) fn keeps_its_stream(&self, state: &mut State, effect: &Effect) -> bool {
        if let Effect::Replaced { page } = effect {
            return self.replaced(state, *page);
        }
        if let Effect::Close { conn, close } = effect {
            return *close == Close::taken_over() && Self::is_in_line(state, *conn);
        }
        false
    }

    /// A page lost its session to another. `true`: it stays connected and waits for its turn.
    fn replaced(&self, state: &mut State, page: Conn) -> bool {
        let Some(peer) = state.peers.get(&page) else { return false };
        let session = peer.joined_as.as_ref().map(|seat| seat.0.session.clone());
        if peer.voice.waits_for_its_turn() {
            if let Some(session) = session {
                Self::stand_in_line(state, page, session);
                return true;
            }
        } else if let (Voice::Events(_), Some(client)) = (peer.voice, peer.client.clone()) {
            state.streams.supersede(client, session, self.now());
        }
        false
    }

    /// Whether a page waits behind a newer one of its session.
    fn is_in_line(state: &State, page: Conn) -> bool {
        state.streams.in_line.values().any(|line| line.contains(&page))
    }

    fn stand_in_line(state: &mut State, page: Conn, session: SessionId) {
        if let Some(peer) = state.peers.get_mut(&page)
            && let Some(joining) = peer.joining.take()
        {
            peer.joined_as = Some(Box::new((joining, plain_page())));
        }
        state.streams.in_line.entry(session).or_default().push(page);
    }

    /// A stream is gone: the next one in its line gets the session, unless another page holds it.
    pub(crate) fn stream_left(&self, state: &mut State, gone: Conn, peer: &Peer) {
        if peer.side == Side::Agent {
            if let Some(session) = peer.session.as_deref().and_then(SessionId::parse)
                && let Some(agents) = state.streams.awaited.get_mut(&session)
            {
                agents.retain(|agent| *agent != gone);
                if agents.is_empty() {
                    state.streams.awaited.remove(&session);
                }
            }
            return;
        }
        let Some(session) = peer.joined_as.as_ref().map(|seat| seat.0.session.clone()) else { return };
        let Some(line) = state.streams.in_line.get_mut(&session) else { return };
        line.retain(|page| *page != gone);
        let next = line.last().copied();
        if line.is_empty() {
            state.streams.in_line.remove(&session);
        }
        let Some(next) = next.filter(|_| state.board.presence(&session) != Some(Presence::Connected)) else { return };
        if let Some(line) = state.streams.in_line.get_mut(&session) {
            line.pop();
            if line.is_empty() {
                state.streams.in_line.remove(&session);
            }
        }
        let seat = state.peers.get_mut(&next).and_then(|peer| peer.joined_as.take());
        if let Some(seat) = seat {
            let (joining, info) = *seat;
            if let Some(peer) = state.peers.get_mut(&next) {
                peer.joining = Some(joining);
            }
            self.page_joins(state, next, info);
        }
    }
}

/// The id of a message that wants to be answered.
pub fn id_of<'m>(message: &'m Message<'_>) -> Option<&'m str> {
    match message {
        Message::Request { id, .. } | Message::Response { id, .. } | Message::Invalid { id, .. } => Some(id),
        Message::Notification { .. } => None,
    }
}
