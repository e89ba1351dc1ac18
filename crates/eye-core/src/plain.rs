//! The short way of the commonest call: code in a line of an agent, for the page that it uses anyway, and the value
//! that the page answers with. Everything else takes the usual way, which does the same for these calls
//! (`tests/plain.rs`).

use crate::agent::Agent;
use crate::calls::{Call, Phase};
use crate::ids::{CallId, Conn, Millis};
use crate::session::Session;
use crate::switchboard::Switchboard;
use crate::task::{Asker, Reply, ReplyForm, Task, Terms};
use eye_protocol::id::LineId;
use eye_protocol::limits::{CALL_TIMEOUT_DEFAULT_MS, CALL_TIMEOUT_MAX_MS};
use std::cmp::Reverse;
use std::sync::Arc;

/// A call to be sent to a page.
#[derive(Debug)]
pub struct PlainCall<'a> {
    pub page: Conn,
    pub call: CallId,
    /// The agent's name.
    pub agent: &'a Arc<str>,
    /// The page's session.
    pub session: &'a Session,
    /// Whether the next deadline may have become earlier.
    pub earlier: bool,
}

impl Switchboard {
    /// Takes code that an agent sent under an id, without naming a page. `None`: nothing has happened, and the call
    /// must take the usual way.
    pub fn ask_plainly(&mut self, now: Millis, agent: Conn, id: LineId) -> Option<PlainCall<'_>> {
        if !self.lanes.are_free() || !self.is_all_here() || self.waiting.contains(&agent) {
            return None;
        }
        debug_assert!(self.resolves_rightly(agent));
        let known = self.agents.get_mut(&agent).filter(|known| known.frame.is_none())?;
        let page = match &known.target {
            Some(_) => known.resolved(self.namings)?,
            None => &known.joined.as_ref().or(known.last_used.as_ref())?.session,
        };
        let held = self.sessions.get_mut(page).filter(|held| known.uses_plainly(held))?;
        let (page, deadline) = held.takes_code(now, known.timeout_ms)?;
        known.admit(now, 1).ok()?;
        known.in_flight += 1;
        held.note_asked(now, &known.name);
        let call = held.add_code(now, Asker::Agent(Reply { agent, form: ReplyForm::Line(id) }), deadline);
        let wake = held.arm_for(deadline);
        if let Some(at) = wake {
            self.wakes.push(Reverse((at, held.id().clone())));
        }
        Some(PlainCall { page, call, agent: &known.name, session: held, earlier: wake.is_some() })
    }

    /// Takes the value that a page answers a call with, if it goes to an agent as it is. Returns where it goes. `None`:
    /// nothing has happened, and the answer must take the usual way.
    pub fn answer_plainly(&mut self, now: Millis, page: Conn, call: CallId) -> Option<(Conn, LineId)> {
        if !self.lanes.are_free() {
            return None;
        }
        let held = self.sessions.get_mut(self.pages.get(&page)?)?;
        let (agent, id, asked_at) = held.take_plain(now, page, call)?;
        self.tally.ended(None, now.saturating_sub(asked_at));
        if let Some(known) = self.agents.get_mut(&agent) {
            known.in_flight = known.in_flight.saturating_sub(1);
        }
        Some((agent, id))
    }
}

impl Agent {
    /// Whether this session, which its calls go to, is the page that it used last.
    fn uses_plainly(&self, held: &Session) -> bool {
        let joined = self.target.is_some() || self.joined.as_ref().is_none_or(|joined| joined.is_of(held));
        joined && self.used_last(held) && self.scope.sees(held.origin())
    }
}

impl Session {
    /// The page that code can be sent to now, and when the call would end by itself. `None`: the call may have to wait,
    /// or be refused.
    fn takes_code(&self, now: Millis, timeout_ms: Option<u64>) -> Option<(Conn, Millis)> {
        let page = self.page()?;
        // While nothing waits for the page, its size does not matter.
        let code = Task::Eval { code: String::new(), frame: None, terms: Terms::default() };
        let may_wait = self.is_over() || self.is_leaving(now) || self.waiting_bytes() > 0;
        let taken = !may_wait && self.has_pace(now) && self.refusal(now, &code, None, true).is_none();
        let timeout_ms = timeout_ms.unwrap_or(CALL_TIMEOUT_DEFAULT_MS).min(CALL_TIMEOUT_MAX_MS);
        taken.then(|| (page, now.saturating_add(timeout_ms)))
    }

    /// Ends a call whose value an agent receives as it is, under the id of a line. Returns the agent, the id, and when
    /// it was asked.
    fn take_plain(&mut self, now: Millis, page: Conn, call: CallId) -> Option<(Conn, LineId, Millis)> {
        if !self.note_alive(now, page) {
            return None;
        }
        let is_plain = |call: &Call| {
            let to_line = matches!(&call.asker, Asker::Agent(Reply { form: ReplyForm::Line(_), .. }));
            to_line && !call.tool && call.delta_since.is_none() && matches!(call.phase, Phase::Sent)
        };
        let ended = self.calls().remove_if(call, is_plain)?;
        match ended.asker {
            Asker::Agent(Reply { agent, form: ReplyForm::Line(id) }) => Some((agent, id, ended.asked_at)),
            _ => None,
        }
    }
}
