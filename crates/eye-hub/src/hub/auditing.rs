//! Records every request of an agent in the audit log, from its frame to its ending.

use super::clock;
use super::links::AgentLink;
use super::peer::Peer;
use super::state::{Hub, State};
use crate::audit::{self, Audit, Ended, Entry, Noted, RequestKey};
use crate::console::Counted;
use crate::dialect::{AuditedRequest, FromAgent};
use eye_core::{Conn, Effect, Input, ReplyForm};
use eye_protocol::audit::{Read, Rows};
use eye_protocol::compact::Form;
use eye_protocol::limits::AUDIT_ANSWER_ROWS_MAX;
use eye_protocol::local::{Auditor, ServerCall};
use eye_protocol::rpc::{self, RpcId, json};
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Ending, Error, Value};
use std::borrow::Cow;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::spawn_blocking;

/// The method name of a frame that has none.
const NO_METHOD: &str = "invalid";
/// Requests that a console sends to draw itself; not recorded.
const UNNOTED: [&str; 4] = ["console/watch", "console/series", "console/tokens", "console/origins"];

impl Hub {
    pub(crate) fn audit(&self) -> &Arc<Audit> {
        &self.facts.audit
    }

    /// Begins an entry for a request; `None` if it is not recorded.
    /// `watched`: a console is open, which counts calls even without a log.
    pub(crate) fn note(&self, request: AuditedRequest<'_>, watched: bool) -> Option<Noted> {
        let on = self.audit().is_on() || watched;
        if !on || matches!(request.method, "hello" | "ping" | "call/cancel") || UNNOTED.contains(&request.method) {
            return None;
        }
        let op = match request.method {
            "eval" => Cow::Borrowed("eval"),
            "" => Cow::Borrowed(NO_METHOD),
            method => Cow::Owned(method.to_owned()),
        };
        Some(Noted {
            id: request.id.map(|id| RequestKey::from_slice(id.as_bytes())),
            entry: Box::new(Entry::at(clock::wall_ms(), op, request.params)),
        })
    }

    /// Begins a call that is dispatched now; [`Self::dispatched`] must follow.
    pub(crate) fn begin_now(&self, state: &mut State, conn: Conn, noted: Noted, one: &FromAgent) {
        let number = state.last_begun + 1;
        self.begin_as(state, conn, noted, one, true);
        state.dispatching = number;
    }

    /// A dispatched call that has not ended yet may have been sent.
    #[expect(clippy::unused_self, reason = "one of the hub's steps, beside its siblings")]
    pub(crate) fn dispatched(&self, state: &mut State) {
        state.dispatching = 0;
    }

    /// Begins a call that may be held back; [`Self::begun`] must follow when it is dispatched. Returns the id under
    /// which it will end, or `None` if its ending is known at once.
    pub(crate) fn begin(&self, state: &mut State, conn: Conn, noted: Noted, one: &FromAgent) -> Option<RequestKey> {
        let id = noted.id.clone();
        self.begin_as(state, conn, noted, one, false).then_some(id).flatten()
    }

    /// `false`: its ending is known at once.
    fn begin_as(&self, state: &mut State, conn: Conn, noted: Noted, one: &FromAgent, sent: bool) -> bool {
        let Noted { id, mut entry } = noted;
        let now_us = self.now_us_of(state);
        entry.agent = state.board.shared_name(conn);
        if let FromAgent::Input(input) = one {
            entry.page = match about(input) {
                About::Page(page) => state.board.meant(conn, page),
                About::Nothing => None,
            };
        }
        state.last_begun += 1;
        let Some(peer) = state.peers.get_mut(&conn) else { return false };
        (entry.scope, entry.face) = (peer.scope.clone(), peer.face);
        entry.ended = match (one, id) {
            (FromAgent::Provide | FromAgent::Hello { .. }, _) => return false,
            (FromAgent::Reply(answer), _) => ended_of(answer),
            (FromAgent::Refused { error, .. } | FromAgent::Dropped(error), _) => Ended::Error(error.code),
            (FromAgent::Status(_) | FromAgent::Stop { .. }, _) => Ended::Ok,
            (
                FromAgent::Input(_)
                | FromAgent::Serve { .. }
                | FromAgent::Gateway { .. }
                | FromAgent::Audit { .. }
                | FromAgent::Console { .. },
                Some(id),
            ) => {
                peer.calls.begin(id, entry, now_us, state.last_begun, sent);
                return true;
            }
            (_, None) => Ended::Fired,
        };
        self.finish(state, entry, now_us);
        false
    }

    /// Counts an ended call and logs its row.
    pub(super) fn finish(&self, state: &mut State, entry: Box<Entry>, now_us: u64) {
        let counted = Counted {
            agent: entry.agent.as_deref().unwrap_or_default(),
            page: entry.page.as_ref().map(|(session, _)| session.as_str()),
            face: entry.face,
            us: entry.us,
            failed: entry.ended.is_error(),
            asked_bytes: entry.bytes as u64,
            answered_bytes: entry.answered as u64,
        };
        state.desk.book.ended(now_us / 1000, &counted);
        self.audit().put(entry);
    }

    /// Marks a dispatched request that was held back: if it has not ended yet, a page or a server may have it.
    #[expect(clippy::unused_self, reason = "one of the hub's steps, beside its siblings")]
    pub(crate) fn begun(&self, state: &mut State, conn: Conn, id: Option<RequestKey>) {
        if let (Some(id), Some(peer)) = (id, state.peers.get_mut(&conn)) {
            peer.calls.sent(&id);
        }
    }

    /// Ends an agent's request. `bytes` gives the size of its answer.
    pub(crate) fn ended<T>(
        &self,
        state: &mut State,
        conn: Conn,
        id: &str,
        outcome: &Result<T, Error>,
        bytes: impl Fn(&T) -> usize,
    ) {
        let now_us = self.now_us_of(state);
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if let Some((mut entry, sent)) = peer.calls.end(id.as_bytes(), now_us, state.dispatching) {
            entry.ended = Ended::of(outcome, sent);
            entry.answered = match outcome {
                Ok(answer) => bytes(answer),
                Err(error) => error.message.len(),
            };
            self.finish(state, entry, now_us);
        }
    }

    /// Ends a request if the effect is its answer.
    pub(crate) fn note_ending(&self, state: &mut State, effect: &Effect) {
        trace(effect);
        if !self.audit().is_on() && !state.desk.is_watched() {
            return;
        }
        match effect {
            Effect::Ended { reply, ending, .. } => self.answered(state, reply.agent, id_of(&reply.form), ending),
            Effect::Result { reply, result } => {
                self.ended(state, reply.agent, id_of(&reply.form), result, String::len);
            }
            _ => {}
        }
    }

    fn answered(&self, state: &mut State, conn: Conn, id: &str, ending: &Ending) {
        self.ended(state, conn, id, ending, |value| match value {
            Value::Bytes(bytes) => bytes.bytes.len(),
            value => value.as_text().len(),
        });
    }

    /// An agent has left, so its calls end.
    pub(crate) fn left(&self, state: &mut State, conn: Conn, peer: &mut Peer) {
        tracing::debug!(conn = conn.0, "left");
        let now_us = self.now_us();
        for mut entry in peer.calls.end_all(now_us) {
            entry.ended = Ended::Error(Code::CANCELLED);
            self.finish(state, entry, now_us);
        }
    }

    /// Answers `audit/read` and `audit/watch`. Files are read on another thread.
    pub(crate) fn audit_request(&self, state: &mut State, conn: Conn, id: RpcId, method: &str, params: &str) {
        let mode = self.audit().mode().word();
        if method == "audit/watch" {
            self.watch_audit(conn);
            self.ended(state, conn, &id, &Ok(()), |()| 0);
            return self.reply(state, conn, &rpc::response(&id, Ok(&format!(r#"{{"mode":"{mode}"}}"#))));
        }
        let Read { since, limit } = match rpc::params(params) {
            Ok(read) => read,
            Err(error) => {
                self.ended::<()>(state, conn, &id, &Err(error.clone()), |()| 0);
                return self.reply(state, conn, &rpc::response(&id, Err(&error)));
            }
        };
        let (log, hub) = (self.audit().clone(), self.this.clone());
        let limit = limit.unwrap_or(AUDIT_ANSWER_ROWS_MAX).min(AUDIT_ANSWER_ROWS_MAX);
        tokio::spawn(async move {
            let reading = spawn_blocking(move || {
                log.settle();
                audit::read(log.folder(), since.unwrap_or(0), limit)
            });
            let (rows, cut) = reading.await.unwrap_or_default();
            let Some(hub) = hub.upgrade() else { return };
            let mut state = hub.hold();
            hub.ended(&mut state, conn, &id, &Ok(()), |()| 0);
            let rows = Rows { mode: mode.into(), rows, cut };
            hub.reply(&mut state, conn, &rpc::response(&id, Ok(&json(&rows))));
        });
    }

    /// Sends an agent every new row.
    fn watch_audit(&self, conn: Conn) {
        let (mut rows, hub) = (self.audit().watch(), self.this.clone());
        tokio::spawn(async move {
            loop {
                let params = match rows.recv().await {
                    Ok(row) => row,
                    Err(RecvError::Lagged(count)) => audit::dropped(count, "the watcher did not keep up").into(),
                    Err(RecvError::Closed) => return,
                };
                let Some(hub) = hub.upgrade() else { return };
                let mut state = hub.hold();
                if !state.peers.contains_key(&conn) {
                    return;
                }
                hub.message_to(
                    &mut state,
                    conn,
                    &format!(r#"{{"jsonrpc":"2.0","method":"audit/row","params":{params}}}"#),
                );
            }
        });
    }
}

/// Records an agent's calls of MCP servers, which its link does not see.
#[derive(Debug)]
pub(super) struct AgentAuditor {
    audit: Arc<Audit>,
    agent: Option<Arc<str>>,
    scope: Scope,
    face: &'static str,
}

impl Auditor for AgentAuditor {
    fn note(&self, call: &ServerCall<'_>) {
        let ServerCall { server, method, params, ended, took } = *call;
        let op = if method == "tools/call" { Cow::Borrowed("gateway/call") } else { Cow::Owned(method.to_owned()) };
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let mut entry = Entry::new(op, params);
        entry.at_ms = entry.at_ms.saturating_sub(ms);
        (entry.agent, entry.scope, entry.face) = (self.agent.clone(), self.scope.clone(), self.face);
        (entry.server, entry.ended) = (Some(server.into()), ended.map_or_else(Ended::Error, |()| Ended::Ok));
        entry.us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.audit.put(Box::new(entry));
    }
}

impl AgentLink {
    /// Records this agent's calls of MCP servers; `None` without an audit log.
    pub(super) fn auditor(&self) -> Option<AgentAuditor> {
        let (hub, conn) = self.place();
        if !hub.audit().is_on() {
            return None;
        }
        let state = hub.hold();
        let peer = state.peers.get(&conn)?;
        let agent = state.board.shared_name(conn);
        Some(AgentAuditor { audit: hub.audit().clone(), agent, scope: peer.scope.clone(), face: peer.face })
    }
}

/// Logs a sent call and its ending.
fn trace(effect: &Effect) {
    match effect {
        Effect::Send { page, call, .. } => tracing::trace!(conn = page.0, call, "a call is sent"),
        Effect::Ended { reply, ending, .. } => {
            tracing::trace!(conn = reply.agent.0, id = id_of(&reply.form), ok = ending.is_ok(), "a call ended");
        }
        _ => {}
    }
}

/// The target of a request.
pub(super) enum About<'a> {
    /// A page; `None`: the agent's current page.
    Page(Option<&'a str>),
    /// No page.
    Nothing,
}

pub(super) fn about(input: &Input) -> About<'_> {
    match input {
        Input::Ask { page, .. }
        | Input::AskBatch { page, .. }
        | Input::GetState { page, .. }
        | Input::Snapshot { page, .. }
        | Input::Watch { page, .. }
        | Input::ReadMail { page, .. }
        | Input::Tools { page, .. } => About::Page(page.as_deref()),
        Input::Info { session, .. } => About::Page(session.as_deref()),
        Input::Join { session, .. } => About::Page(Some(session)),
        Input::Use { page, .. } => About::Page(Some(page)),
        _ => About::Nothing,
    }
}

pub(super) fn id_of(form: &ReplyForm) -> &str {
    match form {
        ReplyForm::Line(id) => id.as_str(),
        ReplyForm::Rpc(id) | ReplyForm::Tool(id) => id,
        ReplyForm::Compact(Form::Object(id) | Form::Pair(id)) => id,
        ReplyForm::Compact(Form::Bare) | ReplyForm::Place(_) => "",
    }
}

/// The ending of a request that the hub answers itself.
fn ended_of(answer: &str) -> Ended {
    #[derive(serde::Deserialize)]
    struct Answer {
        error: Option<Failed>,
    }
    #[derive(serde::Deserialize)]
    struct Failed {
        code: Code,
    }
    match serde_json::from_str(answer) {
        Ok(Answer { error: Some(Failed { code }) }) => Ended::Error(code),
        Ok(Answer { error: None }) | Err(_) => Ended::Ok,
    }
}
