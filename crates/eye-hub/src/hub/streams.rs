//! Peers that receive on an event stream and send by POST: finds the stream of a POST, keeps the line of streams behind
//! a newer one of their session, and greets streams.

use super::joining::plain_page;
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

/// What a POST says about its sender.
#[derive(Debug)]
pub struct Sender<'a> {
    pub posts: Posts,
    /// The client id of its stream.
    pub client: Option<&'a str>,
    pub session: Option<&'a str>,
    /// The `Origin` header.
    pub origin: Option<&'a str>,
    /// The scope of its token: must equal the stream's.
    pub scope: Scope,
}

/// The stream that a POST belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    One(Conn),
    /// No open stream.
    None,
    /// Several streams could have sent it.
    Several,
}

impl Hub {
    /// Whether the stream with this id was closed for good.
    pub fn was_superseded(&self, client: &str) -> bool {
        self.hold().streams.was_superseded(client)
    }

    /// Whether the streams of a session use all connections that its browser can spare.
    pub fn is_crowded(&self, session: &SessionId, origin: &str) -> bool {
        let state = self.hold();
        state.streams.is_full(session) && !state.board.is_kept_for_another(session, origin)
    }

    /// The sessions that a scope may see.
    pub fn listed(&self, scope: &Scope) -> Vec<Listed> {
        let rows = self.rows(scope);
        let (now, state) = (self.now(), self.hold());
        let listed = rows.into_iter().map(|row| {
            let (age_ms, agents) = state.board.age_and_agents(now, &row.id).unwrap_or_default();
            Listed { row, age_ms, agents }
        });
        listed.collect()
    }

    /// Greets a stream as both existing kinds of servers do, and joins its page. A stream that returns (`back`) to a
    /// session which another page has meanwhile waits for its turn: it may be the older half of the same page. The same
    /// holds for a new stream of a client that was superseded a moment ago: otherwise two tabs would take the session
    /// from each other again and again.
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

    /// Joins an agent to a session that has a page. `false`: it may see no such session.
    fn join_there(&self, state: &mut State, agent: Conn, session: &SessionId) -> bool {
        let there = state.board.presence(session) == Some(Presence::Connected)
            && state.board.visible_session(agent, session.as_str()).is_some();
        if there {
            self.feed(state, Input::Join { agent, form: None, session: session.as_str().into(), renewed: false });
        }
        there
    }

    /// After a session got a page: joins the agents that named it before.
    pub(crate) fn page_came(&self, state: &mut State, session: &SessionId) {
        for agent in state.streams.awaited.remove(session).unwrap_or_default() {
            if state.board.joined(agent).is_none() {
                self.join_there(state, agent, session);
            }
        }
    }

    /// Finds the stream that a POST belongs to. `side` is `None` if either side may send its message.
    ///
    /// A page is found only by a POST of the same origin: ids that a person chose can be guessed.
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
            // A page without a session sends none in its POSTs.
            (None, None) => peer.side == Side::Page && peer.session.is_none(),
        };
        let fits = |conn: Conn, peer: &Peer| {
            let right_side = sender.client.is_some() || side.is_none_or(|side| side == peer.side);
            matches!(peer.voice, Voice::Events(_)) && !peer.deaf && right_side && may_speak(peer) && means(conn, peer)
        };
        let mut found: Vec<(Side, Conn)> = state
            .peers
            .entries()
            .filter(|(conn, peer)| fits(**conn, peer))
            .map(|(conn, peer)| (peer.side, *conn))
            .collect();
        if side.is_none() && found.iter().any(|(side, _)| *side == Side::Page) {
            // If both sides fit, the message counts as the page's, because the page holds the session.
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

    /// The page and the call of a call id, if a page of the same origin sent it.
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

    /// Handles a page's answer to a call.
    pub fn receive_answer(&self, page: Conn, call: CallId, outcome: Result<Cow<'_, str>, Error>) {
        let answer = eye::page_response(page, &call.to_string(), outcome, || {});
        self.receive_from_page(&mut self.hold(), page, answer.map(FromPage::Input));
    }

    /// Joins an agent without a session to the one in its POST. `false`: that session has no page.
    pub fn bind(&self, conn: Conn, session: Option<&str>) -> bool {
        let mut state = self.hold();
        if state.board.joined(conn).is_some() || !state.peers.get(&conn).is_some_and(|peer| peer.side == Side::Agent) {
            return true;
        }
        session.and_then(SessionId::parse).is_some_and(|id| self.join_there(&mut state, conn, &id))
    }

    /// Counts one call of `/rpc`, or returns why it is refused.
    pub fn admit_alone(&self) -> Result<(), Error> {
        let (now, rate) = (self.now(), self.rate());
        self.hold().streams.alone.take(now, 1, rate).map_err(|retry_after_ms| too_often(rate, retry_after_ms))
    }

    /// Whether the effect is for a page that lost its session and neither learns this nor is closed.
    pub(crate) fn keeps_its_stream(&self, state: &mut State, effect: &Effect) -> bool {
        if let Effect::Replaced { page } = effect {
            return self.replaced(state, *page);
        }
        if let Effect::Close { conn, close } = effect {
            return *close == Close::taken_over() && Self::is_in_line(state, *conn);
        }
        false
    }

    /// Handles a page that lost its session to another. `true`: it stays connected and waits for its turn.
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

    /// After a stream ended: the next one in its line gets the session, unless another page has it.
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

/// The id of a message; `None` for a notification.
pub fn id_of<'m>(message: &'m Message<'_>) -> Option<&'m str> {
    match message {
        Message::Request { id, .. } | Message::Response { id, .. } | Message::Invalid { id, .. } => Some(id),
        Message::Notification { .. } => None,
    }
}
