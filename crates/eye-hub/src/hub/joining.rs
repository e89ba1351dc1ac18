//! A client becomes a page: it says hello, speaks plain BTCP, or is a program that provides tools.

use super::peer::{Joining, Side, Voice};
use super::receiving::welcome;
use super::session_id;
use super::state::{Hub, State};
use crate::dialect::{FromPage, eye};
use eye_core::{Conn, Input, Newcomer, PageEvent, Policy};
use eye_protocol::close::Close;
use eye_protocol::messages::{Hello, PageInfo};
use eye_protocol::rpc::{self, Message, json};
use eye_protocol::tools::NameSession;
use eye_protocol::{Code, Error, SessionId};

/// The id of BTCP's greeting, as JSON text.
const WELCOME: &str = "\"welcome\"";

impl Hub {
    /// Greets a BTCP client: a page joins at once, an agent joins the session it named.
    pub fn greet(&self, conn: Conn, session: Option<&str>) {
        let mut state = self.hold();
        let ids = state.board.session_ids(conn);
        let Some(peer) = state.peers.get(&conn) else { return };
        if let Some(joining) = &peer.joining {
            let id = json(joining.session.as_str());
            let result = format!(r#"{{"sessionId":{id},"message":"Connected to BTCP server"}}"#);
            Self::greeting(&mut state, conn, &rpc::response(WELCOME, Ok(&result)));
            self.page_joins(&mut state, conn, plain_page());
            return;
        }
        let known = session.and_then(|id| state.board.visible_session(conn, id));
        match (session, known) {
            (Some(session), None) => {
                let error = Error::new(Code::SESSION, format!("Session not found: {session}"));
                let error = error.hint(if state.board.lists_all() {
                    format!("there are: {}", ids.join(", "))
                } else {
                    "this hub does not list all pages: connect without a session, and join it then".into()
                });
                Self::greeting(&mut state, conn, &rpc::response(WELCOME, Err(&error)));
                if let Some(peer) = state.peers.get_mut(&conn) {
                    peer.close_after(Close::unknown_session());
                }
            }
            (_, known) => {
                let own = known.as_ref().map_or(String::new(), |id| format!(r#""sessionId":{},"#, json(id.as_str())));
                let message = "Connected to BTCP server (agent)";
                let result = format!(r#"{{{own}"message":"{message}","availableSessions":{}}}"#, json(&ids));
                Self::greeting(&mut state, conn, &rpc::response(WELCOME, Ok(&result)));
                if let Some(id) = known {
                    self.feed(
                        &mut state,
                        Input::Join { agent: conn, form: None, session: id.as_str().into(), renewed: false },
                    );
                }
            }
        }
    }

    /// Turns an agent into a page. Only on a transport that proves its user: the Unix socket.
    pub(super) fn provide(&self, state: &mut State, conn: Conn, text: &str) {
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if !peer.may_provide {
            let error = Error::new(Code::REQUEST, "only a page provides").hint("connect with clientType=browser");
            let id = match rpc::parse_one(text) {
                Some(Message::Request { id, .. }) => id,
                _ => "null".into(),
            };
            return self.reply(state, conn, &rpc::response(&id, Err(&error)));
        }
        peer.side = Side::Page;
        let session = wanted_session(text).unwrap_or_else(session_id::fresh);
        let (origin, policy) = ("program".into(), Policy::default());
        let mut joining = Joining { session, origin, policy, by_token: false };
        state.own_session(&mut joining);
        if let Some(peer) = state.peers.get_mut(&conn) {
            peer.joining = Some(joining);
        }
        self.feed(state, Input::AgentLeft { agent: conn });
        let message = eye::page_rpc(conn, text, || {});
        if !matches!(message, Some(FromPage::Hello { .. })) {
            self.page_joins(state, conn, plain_page());
        }
        self.receive_from_page(state, conn, message);
    }

    /// A page that does not begin with hello speaks plain BTCP.
    pub(super) fn plain_page_joins(&self, state: &mut State, conn: Conn) {
        if state.peers.get(&conn).is_some_and(|peer| peer.joining.is_some()) {
            self.page_joins(state, conn, plain_page());
        }
    }

    pub(super) fn page_hello(&self, state: &mut State, conn: Conn, id: Option<&str>, hello: Hello) {
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        let joining = peer.joining.as_ref().map(|joining| joining.session.clone());
        let session = joining.or_else(|| state.board.session_of(conn).cloned());
        let last_ref = session.as_ref().and_then(|id| state.board.last_ref(id));
        let session = session.map(|id| id.to_string());
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if let Voice::Eye { typed } = &mut peer.voice {
            *typed = hello.typed;
        }
        if hello.batch {
            peer.batched = true;
            peer.outbox.begin_batches();
        }
        if let Some(id) = id {
            self.reply(state, conn, &rpc::response(id, Ok(&welcome(session, last_ref))));
        }
        let mut info = hello.page.unwrap_or_default();
        if !hello.typed {
            // A client that does not request typed answers is greeted as BTCP does, and evaluates nothing.
            info = PageInfo { title: info.title.or(plain_page().title), ..plain_page() };
        } else if info.eval.is_none() {
            info.eval = Some(true);
        }
        if !self.page_joins(state, conn, info.clone()) {
            self.feed(state, Input::page(conn, PageEvent::Changed(Box::new(info))));
        }
        if let Some(capabilities) = hello.capabilities {
            self.feed(state, Input::page(conn, PageEvent::Capable(capabilities)));
        }
    }

    /// Joins a page that has not joined yet. `false`: it has.
    pub(crate) fn page_joins(&self, state: &mut State, conn: Conn, mut info: PageInfo) -> bool {
        let Some(peer) = state.peers.get_mut(&conn) else { return false };
        let Some(joining) = peer.joining.take() else { return false };
        let driven = peer.driven;
        if matches!(peer.voice, Voice::Events(_)) {
            peer.joined_as = Some(Box::new((joining.clone(), info.clone())));
        }
        let Joining { session, origin, policy, .. } = joining;
        tracing::debug!(conn = conn.0, session = session.as_str(), %origin, "a page joins");
        if info.url.is_none() && origin.contains("://") {
            // A plain BTCP page sends no URL, but its origin is known.
            info.url = Some(origin.to_string());
        }
        let who = Newcomer { origin, info, policy, ask_first: false, driven };
        self.feed(state, Input::PageJoined { page: conn, session: session.clone(), who: Box::new(who) });
        self.page_came(state, &session);
        true
    }
}

/// The info of a page that does not evaluate code, because it did not declare that it can.
pub(crate) fn plain_page() -> PageInfo {
    PageInfo {
        title: Some("BTCP page".into()),
        eval: Some(false),
        eval_blocked: Some("it speaks plain BTCP".into()),
        ..PageInfo::default()
    }
}

fn wanted_session(text: &str) -> Option<SessionId> {
    let Message::Request { params, .. } = rpc::parse_one(text)? else { return None };
    let NameSession { session_id } = serde_json::from_str(&params).ok()?;
    SessionId::parse(&session_id?)
}
