//! The short way of the commonest call: code in a line of an agent, for the page that it uses anyway, here or at
//! another hub, and the value that the page answers with. Everything else takes the usual way, which does the same for
//! these calls (`tests/plain.rs`).

use crate::agent::Agent;
use crate::calls::{Call, Phase};
use crate::elsewhere::Caller;
use crate::ids::{CallId, Conn, Millis};
use crate::input::Input;
use crate::other_pages::Elsewhere;
use crate::passed::Passed;
use crate::session::Session;
use crate::switchboard::Switchboard;
use crate::task::{Asker, Mode, Reply, ReplyForm, Task, Terms};
use eye_protocol::SessionId;
use eye_protocol::id::LineId;
use eye_protocol::limits::{AWAY_CALL_MARGIN_MS, CALL_TIMEOUT_DEFAULT_MS, CALL_TIMEOUT_MAX_MS};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
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

/// Code that the agent of another hub has for a page here.
#[derive(Clone, Copy, Debug)]
pub struct PlainQuestion<'a> {
    pub id: LineId,
    pub session: &'a SessionId,
    pub code: &'a str,
    pub timeout_ms: Option<u64>,
}

/// Code that was passed on to another hub.
#[derive(Debug)]
pub struct PlainPass {
    pub passed: Box<Passed>,
    /// The origin of the page.
    pub origin: Arc<str>,
}

type Wakes = BinaryHeap<Reverse<(Millis, SessionId)>>;

impl Switchboard {
    /// Takes code that an agent sent under an id, without naming a page. `None`: nothing has happened, and the call
    /// must take the usual way.
    pub fn ask_plainly(&mut self, now: Millis, agent: Conn, id: LineId) -> Option<PlainCall<'_>> {
        if !self.lanes.are_free() || !self.is_all_here() || self.waiting.contains(&agent) {
            return None;
        }
        debug_assert!(self.resolves_rightly(agent));
        let known = self.agents.get_mut(&agent).filter(|known| known.frame.is_none())?;
        let held = self.sessions.get_mut(known.plain_target(self.namings)?).filter(|held| known.uses_plainly(held))?;
        let timeout_ms = known.timeout_ms;
        begin(now, (agent, id, timeout_ms), known, held, &mut self.wakes)
    }

    /// The same for code that another hub has passed on for one of its agents. `None`: nothing has happened.
    pub fn ask_plainly_for(&mut self, now: Millis, agent: Conn, asked: &PlainQuestion<'_>) -> Option<PlainCall<'_>> {
        if !self.lanes.are_free() || self.waiting.contains(&agent) {
            return None;
        }
        let known = self.agents.get_mut(&agent).filter(|known| known.guest && known.frame.is_none())?;
        let is_used = |held: &&mut Session| known.used_last(&**held) && known.scope.sees(held.origin());
        let held = self.sessions.get_mut(asked.session).filter(is_used)?;
        let timeout_ms = asked.timeout_ms.or(known.timeout_ms);
        begin(now, (agent, asked.id, timeout_ms), known, held, &mut self.wakes)
    }

    /// The same where the page is at another hub, to which the code is passed on. `None`: nothing has happened.
    pub fn pass_plainly(&mut self, now: Millis, agent: Conn, id: LineId, code: &str) -> Option<PlainPass> {
        let Elsewhere { pages, partial, .. } = &self.elsewhere;
        if pages.is_empty() || *partial || !self.lanes.are_free() || self.waiting.contains(&agent) {
            return None;
        }
        debug_assert!(self.resolves_rightly(agent));
        let known = self.agents.get(&agent).filter(|known| known.frame.is_none())?;
        let page = self.page_elsewhere(known.plain_target(self.namings)?)?;
        let is_joined = known.target.is_some() || known.joined.as_ref().is_none_or(|joined| joined.is(page));
        if !is_joined || !known.used_last(page) || !known.scope.sees(&page.origin) {
            return None;
        }
        let (session, origin) = (page.id.clone(), page.origin.clone());
        let known = self.agents.get_mut(&agent)?;
        known.admit(now, 1).ok()?;
        known.in_flight += 1;
        known.passed = true;
        let timeout_ms = known.timeout_ms;
        let caller = Caller { agent, name: known.name.clone(), scope: known.scope.clone(), frame: None };
        let wait_ms = timeout_ms.unwrap_or(CALL_TIMEOUT_DEFAULT_MS).min(CALL_TIMEOUT_MAX_MS);
        let asker = Asker::Agent(Reply { agent, form: ReplyForm::Line(id) });
        let task = Task::Eval { code: code.to_owned(), frame: None, terms: Terms::default() };
        let page = Some(session.as_str().into());
        let input = Input::Ask { agent, form: None, task, page, timeout_ms, mode: Mode::Answer };
        let lifetime_ms = wait_ms + AWAY_CALL_MARGIN_MS;
        let passed = Box::new(Passed { session, caller, asker, is_call: true, lifetime_ms, input });
        Some(PlainPass { passed, origin })
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

/// Begins the call of an agent, unless the page cannot be sent code now or the agent may not ask now.
fn begin<'a>(
    now: Millis,
    (agent, id, timeout_ms): (Conn, LineId, Option<u64>),
    known: &'a mut Agent,
    held: &'a mut Session,
    wakes: &mut Wakes,
) -> Option<PlainCall<'a>> {
    let (page, deadline) = held.takes_code(now, timeout_ms)?;
    known.admit(now, 1).ok()?;
    known.in_flight += 1;
    held.note_asked(now, &known.name);
    let call = held.add_code(now, Asker::Agent(Reply { agent, form: ReplyForm::Line(id) }), deadline);
    let wake = held.arm_for(deadline);
    if let Some(at) = wake {
        wakes.push(Reverse((at, held.id().clone())));
    }
    Some(PlainCall { page, call, agent: &known.name, session: held, earlier: wake.is_some() })
}

impl Agent {
    /// The session that its calls go to, if it need not be looked for.
    fn plain_target(&self, namings: u64) -> Option<&SessionId> {
        match &self.target {
            Some(_) => self.resolved(namings),
            None => Some(&self.joined.as_ref().or(self.last_used.as_ref())?.session),
        }
    }

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
