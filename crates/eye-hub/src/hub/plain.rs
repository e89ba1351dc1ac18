//! The short way of the commonest frames: code in a line of an agent, and the value in a line of a page. Their text is
//! written from the frame that it came in to the peer that it is for. Everything else takes the usual way.

use super::clock;
use super::feeding::queued;
use super::peer::{Peer, Voice};
use super::state::{Hub, State};
use crate::audit::{Ended, Entry, RequestKey};
use crate::dialect::plain;
use eye_core::{CallId, Conn, Effect, PlainCall, PlainPass, PlainQuestion, Reply, ReplyForm, Task, Terms};
use eye_protocol::id::{LineId, split_call_id};
use eye_protocol::limits::FRAME_BYTES_MAX;
use eye_protocol::{SessionId, Value};
use std::borrow::Cow;
use std::sync::Arc;

impl Hub {
    /// Handles a line of code of an agent, if it is sent to the agent's page at once. `false`: nothing has happened.
    pub(super) fn ask_plainly(&self, state: &mut State, conn: Conn, text: &str) -> bool {
        let Some((name, _, code)) = split_call_id(text, b":") else { return false };
        if !state.todo.is_empty() || state.desk.pauses.any() || state.desk.is_watched() {
            return false;
        }
        let may = |peer: &Peer| !peer.rpc_only && peer.scope.check_request("eval", "{}").is_ok();
        let (true, Some(id)) = (state.peers.get(&conn).is_some_and(may), LineId::parse(name)) else { return false };
        let now_us = self.now_us_of(state);
        let Some(sent) = state.board.ask_plainly(now_us / 1000, conn, id) else {
            return self.pass_plainly(state, conn, id, code);
        };
        let PlainCall { page, call, agent, session, earlier } = sent;
        if self.audit().is_on() {
            let (agent, meant) = (agent.clone(), (session.id().clone(), session.shared_origin().clone()));
            self.note_plainly(state, conn, (id, code), agent, meant);
        }
        self.send_plainly(state, page, call, code, earlier);
        true
    }

    /// Passes a line of code on to the hub of the agent's page, if that can be done at once. `false`: nothing has
    /// happened.
    fn pass_plainly(&self, state: &mut State, conn: Conn, id: LineId, code: &str) -> bool {
        let now_us = self.now_us_of(state);
        let Some(PlainPass { passed, origin }) = state.board.pass_plainly(now_us / 1000, conn, id, code) else {
            return false;
        };
        if self.audit().is_on() {
            let (agent, meant) = (passed.caller.name.clone(), (passed.session.clone(), origin));
            self.note_plainly(state, conn, (id, code), agent, meant);
        }
        self.for_elsewhere(Effect::PassOn(passed));
        true
    }

    /// Handles code of an agent of another hub, if it is sent to the page at once. `false`: nothing has happened.
    pub(super) fn ask_plainly_for(&self, state: &mut State, conn: Conn, asked: &PlainQuestion<'_>) -> bool {
        if !state.todo.is_empty() || state.desk.pauses.any() || state.desk.is_watched() {
            return false;
        }
        let now = self.now_of(state);
        let Some(PlainCall { page, call, earlier, .. }) = state.board.ask_plainly_for(now, conn, asked) else {
            return false;
        };
        self.send_plainly(state, page, call, asked.code, earlier);
        true
    }

    /// Begins the row of the audit log.
    fn note_plainly(
        &self,
        state: &mut State,
        conn: Conn,
        (id, code): (LineId, &str),
        agent: Arc<str>,
        page: (SessionId, Arc<str>),
    ) {
        let now_us = self.now_us_of(state);
        if let Some(peer) = state.peers.get_mut(&conn) {
            let mut entry = Box::new(Entry::at(clock::wall_ms(), Cow::Borrowed("eval"), code));
            (entry.agent, entry.page) = (Some(agent), Some(page));
            (entry.scope, entry.face) = (peer.scope.clone(), peer.face);
            state.last_begun += 1;
            let key = RequestKey::from_slice(id.as_str().as_bytes());
            peer.calls.begin(key, entry, now_us, state.last_begun, true);
        }
    }

    /// Sends the code of a call that has begun to its page. `earlier`: the next deadline may be earlier now.
    fn send_plainly(&self, state: &mut State, page: Conn, call: CallId, code: &str, earlier: bool) {
        if let Some(peer) = state.peers.get_mut(&page).filter(|peer| is_plain(peer)) {
            tracing::trace!(conn = page.0, call, "a call is sent");
            state.text.clear();
            plain::code_to_page(call, code, &mut state.text);
            peer.outbox.line(&state.text);
            if !queued(peer, page, &mut state.direct) {
                self.give_up_full(state, page);
            }
        } else {
            let task = Task::Eval { code: code.to_owned(), frame: None, terms: Terms::default() };
            self.apply(state, Effect::Send { page, call: Some(call), task });
        }
        if earlier || !state.todo.is_empty() {
            self.feed_todo(state);
        }
    }

    /// Handles a value of a joined page, if it goes to an agent as it is. `false`: nothing has happened.
    pub(super) fn answer_plainly(&self, state: &mut State, page: Conn, typed: bool, line: &str) -> bool {
        let Some((call, mark, text)) = plain::value_of(line, typed) else { return false };
        if !state.todo.is_empty() || text.len() > FRAME_BYTES_MAX {
            return false;
        }
        let now_us = self.now_us_of(state);
        let Some((conn, id)) = state.board.answer_plainly(now_us / 1000, page, call) else { return false };
        let noted = self.audit().is_on() || state.desk.is_watched();
        let name = id.as_str();
        if let Some(peer) = state.peers.get_mut(&conn).filter(|peer| is_plain(peer)) {
            tracing::trace!(conn = conn.0, id = name, ok = true, "a call ended");
            let typed = peer.voice == Voice::Eye { typed: true };
            state.text.clear();
            plain::value_to_agent(name, if typed { mark } else { ':' }, text, &mut state.text);
            peer.outbox.line(&state.text);
            let entry = if noted { peer.calls.end(name.as_bytes(), now_us, 0) } else { None };
            if !queued(peer, conn, &mut state.direct) {
                self.give_up_full(state, conn);
            }
            if let Some((mut entry, _)) = entry {
                (entry.ended, entry.answered) = (Ended::Ok, text.len());
                self.finish(state, entry, now_us);
            }
        } else {
            let value = match mark {
                '=' => Value::Json(text.to_owned()),
                '~' => Value::Rendering(text.to_owned()),
                _ => Value::Text(text.to_owned()),
            };
            let reply = Reply { agent: conn, form: ReplyForm::Line(id) };
            let ended = Effect::Ended { reply, ending: Ok(value), delta: None };
            if state.peers.get(&conn).is_some_and(|peer| peer.foreign) {
                self.for_elsewhere(ended);
            } else {
                self.apply(state, ended);
            }
        }
        if !state.todo.is_empty() {
            self.feed_todo(state);
        }
        true
    }
}

/// Whether a peer of this hub speaks eye's own dialect.
fn is_plain(peer: &Peer) -> bool {
    matches!(peer.voice, Voice::Eye { .. }) && !peer.foreign
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::links::tests::{frames, hub, page};
    use crate::hub::outbox::Outbox;
    use crate::hub::peer::Side;

    #[test]
    fn code_and_values_are_passed_on_as_they_are() {
        let hub = hub();
        let page = page(&hub);
        let [typed, plain] =
            [true, false].map(|typed| Peer::new(Side::Agent, Voice::Eye { typed }, Outbox::stream(), None));
        let (typed, plain) = (hub.enter(typed).0, hub.enter(plain).0);
        let asks = |agent, line| hub.ask_plainly(&mut hub.hold(), agent, line);
        let answers = |line| hub.answer_plainly(&mut hub.hold(), page, true, line);
        for (agent, line) in [(typed, "a:1"), (plain, "a:2")] {
            assert!(!asks(agent, line), "it has used no page yet");
            hub.receive(agent, line).unwrap();
        }
        frames(&hub, page);
        for (agent, line) in [(typed, "b:3"), (plain, "b:4"), (typed, "c:5")] {
            assert!(asks(agent, line));
        }
        assert_eq!(frames(&hub, page), "3:34:45:5");
        for other in ["x + 1", ":x", r#"["d","x"]"#, r#"{"c":"x"}"#, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#] {
            assert!(!asks(typed, other), "{other}");
        }
        assert_eq!(frames(&hub, page), "");
        for line in ["1={}", "2={}", "3:two\nlines", "4~<a>"] {
            assert!(answers(line));
        }
        assert!(!answers("4:again"), "it has ended");
        assert!(!answers("5!-32004 no"), "an error says more than a value");
        hub.receive(page, "5!-32004 no").unwrap();
        assert_eq!(frames(&hub, typed), "a={}\n#11\nb:two\nlinesc!-32004 no\u{1f}\u{1f}\u{1f}page\n");
        assert_eq!(frames(&hub, plain), "a:{}\nb:<a>\n");
        assert_eq!((hub.counts().0.calls, hub.hold().board.pending()), (5, 0));
    }
}
