//! Agents' calls: finds the page, admits or refuses the call, and gathers the calls of one batch.

use crate::agent::{Agent, UsedPage};
use crate::call_batch::CallBatch;
use crate::document::Unfit;
use crate::effect::Effect;
use crate::framing;
use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::opaque::opaque;
use crate::question::Question;
use crate::session::Session;
use crate::session_event::{Event, Outcome, SessionCall};
use crate::switchboard::Switchboard;
use crate::task::{Asker, Mode, Reply, ReplyForm, Task};
use crate::task_params::{frame_of, frame_of_ref, signed};
use crate::then::Then;
use crate::work::{Check, Done, Lane, Work};
use eye_protocol::compact::Form;
use eye_protocol::id::{LineId, is_call_id};
use eye_protocol::limits::{AGENT_NAMES_MAX, LIGHT_BYTES_MAX, LIGHT_STEPS_MAX};
use eye_protocol::rpc::json;
use eye_protocol::{Code, Ending, Error, SessionId};
use std::cmp::Reverse;
use std::sync::Arc;

impl Switchboard {
    /// Validates the arguments of tool calls, here or on a worker, and dispatches the calls.
    pub(crate) fn check_and_ask(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) {
        let (tasks, page): (Vec<&Task>, _) = match &input {
            Input::Ask { task: task @ Task::Tool { .. }, page, .. } => (vec![task], page),
            Input::AskBatch { tasks, page, .. } => (tasks.iter().map(|(task, _)| task).collect(), page),
            // Only tool calls have arguments to validate.
            _ => {
                let Input::Ask { agent, form, task, page, timeout_ms, mode } = input else { return };
                let question = Question { task, page, timeout_ms, mode, unfit: None };
                return self.ask(now, agent, form, question, out);
            }
        };
        let held = input.conn().and_then(|agent| self.find(agent, page.as_deref()).ok());
        let checks: Vec<Option<Check>> = match held.and_then(|session| self.sessions.get(&session)) {
            Some(held) => tasks.into_iter().map(|task| check_of(task, held)).collect(),
            None => Vec::new(),
        };
        let bytes: usize = checks.iter().flatten().map(|check| check.arguments.len()).sum();
        let light = || {
            let steps_max = LIGHT_STEPS_MAX / checks.len().max(1) as u64;
            checks.iter().map(|check| check.as_ref().map_or(Ok(Ok(())), |check| check.run(steps_max))).collect()
        };
        let checked = if bytes > LIGHT_BYTES_MAX { Err(Unfit::TooMuchWork) } else { light() };
        match (checked, input.conn()) {
            (Ok(checked), _) => self.ask_checked(now, input, Done::Checked(checked), out),
            (Err(_), Some(agent)) => {
                let none = || Check { tool: Box::default(), schema: None, arguments: "{}".into() };
                let work = Work::Check(checks.into_iter().map(|check| check.unwrap_or_else(none)).collect());
                self.begin_work(now, Lane::Agent(agent), work, Then::Ask(Box::new(input)), out);
            }
            (Err(_), None) => {}
        }
    }

    /// Dispatches calls whose arguments were validated.
    pub(crate) fn ask_checked(&mut self, now: Millis, input: Input, done: Done, out: &mut Vec<Effect>) {
        let given_up = || Error::new(Code::CONNECTION, "the call was given up before its arguments were checked");
        let (mut checked, failed) = match done {
            Done::Checked(checked) => (checked.into_iter(), None),
            _ => (Vec::new().into_iter(), Some(given_up().hint("ask again"))),
        };
        let mut unfit = || checked.next().and_then(Result::err).or_else(|| failed.clone()).map(Box::new);
        match input {
            Input::Ask { agent, form, task, page, timeout_ms, mode } => {
                let question = Question { task, page, timeout_ms, mode, unfit: unfit() };
                self.ask(now, agent, form, question, out);
            }
            Input::AskBatch { reply, tasks, page } => {
                let tasks = tasks.into_iter().map(|(task, timeout_ms)| (task, timeout_ms, unfit())).collect();
                self.ask_batch(now, reply, tasks, page.as_deref(), out);
            }
            _ => {}
        }
    }

    /// Finds the page of a call, and dispatches it.
    pub(crate) fn ask(
        &mut self,
        now: Millis,
        agent: Conn,
        form: Option<ReplyForm>,
        question: Question,
        out: &mut Vec<Effect>,
    ) {
        let form = match form {
            Some(ReplyForm::Compact(Form::Bare)) => {
                self.agents.get_mut(&agent).map(|known| ReplyForm::Place(known.order.reserve()))
            }
            other => other,
        };
        let reply = form.map(|form| Reply { agent, form });
        let session = match self.find_and_remember(agent, question.page.as_deref()) {
            Ok(session) => session,
            Err(error) => {
                if let Some(reply) = reply {
                    self.ended(reply, Err(error), None, out);
                }
                return;
            }
        };
        let mut both = (self.agents.get_mut(&agent), self.sessions.get_mut(&session));
        if let (Some(known), Some(held)) = &both
            && !known.used_last(&**held)
        {
            self.used(now, agent, &session);
            both = (self.agents.get_mut(&agent), self.sessions.get_mut(&session));
        }
        let (Some(known), held) = both else { return };
        if let Err(error) = known.admit(now, 1) {
            if let Some(reply) = reply {
                self.ended(reply, Err(error), None, out);
            }
            return;
        }
        let timeout_ms = question.timeout_ms.or(known.timeout_ms);
        let main_frame = known.frame.is_none() && matches!(question.task, Task::Eval { frame: None, .. });
        let reply = match (held, reply) {
            // Nearly always: code for the page itself, whose answer the agent waits for.
            (Some(held), Some(reply)) if main_frame && question.mode == Mode::Answer => {
                held.note_asked(now, &known.name);
                known.in_flight += 1;
                let Question { task, unfit, .. } = question;
                let mut outcomes = std::mem::take(&mut self.outcomes);
                let call = SessionCall { asker: Asker::Agent(reply), task, timeout_ms, unfit };
                let wake = held.ask(now, call, &mut outcomes).and_then(|deadline| held.arm_for(deadline));
                self.dispatched(now, &session, wake, outcomes, out);
                return;
            }
            (held, reply) => {
                if let Some(held) = held {
                    held.note_asked(now, &known.name);
                }
                reply
            }
        };
        let default_frame = known.frame.clone();
        let scope = known.scope.clone();
        let frame = frame_of(&question.task).or_else(|| frame_of_ref(&question.task)).or(default_frame);
        let (session, frame) = self.in_frame(agent, session, frame);
        let mut task = question.task;
        match &mut task {
            Task::Eval { frame: own, .. } => *own = frame,
            // The page keeps apart what it has shown to each agent, so it needs the agent's name.
            Task::Verb { method, params, .. } => {
                let name = opaque(self.names_key, self.agent_name(agent));
                let driven = self.sessions.get(&session).is_some_and(Session::is_driven);
                let pages = framing::shown(&scope, method).filter(|_| driven);
                *params = signed(params, &name, frame.as_deref(), pages);
            }
            Task::Tool { .. } | Task::State => {}
        }
        let (asker, receipt) = match (question.mode, reply) {
            (Mode::Answer, Some(reply)) => (self.asker_of(reply, &session, &task), None),
            (Mode::Answer, None) => (Asker::Fired { scope }, None),
            (Mode::Fire, reply) => (Asker::Fired { scope }, reply.map(|reply| (reply, "{}".to_owned()))),
            (Mode::Keep(id), reply) => match self.keep(now, agent, id) {
                Ok((name, id)) => {
                    let receipt = reply.map(|reply| (reply, format!(r#"{{"id":{}}}"#, json(&id))));
                    (Asker::Shelf { name, id, scope }, receipt)
                }
                Err(error) => {
                    out.extend(reply.map(|reply| Effect::Result { reply, result: Err(error) }));
                    return;
                }
            },
        };
        let fired = matches!(asker, Asker::Fired { .. });
        if asker.agent().is_some()
            && let Some(known) = self.agents.get_mut(&agent)
        {
            known.in_flight += 1;
        }
        let unfit = question.unfit;
        let refused = self.ask_session(now, &session, SessionCall { asker, task, timeout_ms, unfit }, out);
        if let Some((reply, receipt)) = receipt {
            let result = match refused {
                // A refused fire-and-forget call is reported to the agent that sent it.
                Some(error) if fired => Err(error),
                _ => Ok(receipt),
            };
            out.push(Effect::Result { reply, result });
        }
    }

    /// The session and frame that a call goes to when an agent names a frame. A frame of another origin that has joined
    /// is a session of its own, because the page around it cannot look into it; the call then names no frame any more.
    fn in_frame(&mut self, agent: Conn, session: SessionId, frame: Option<Box<str>>) -> (SessionId, Option<Box<str>>) {
        let Some(frame) = frame else { return (session, None) };
        let Some(own) = self.frame_session(agent, &session, &frame) else { return (session, Some(frame)) };
        if let Some(known) = self.agents.get_mut(&agent) {
            known.called.insert(own.clone());
        }
        (own, None)
    }

    /// The joined frame of another origin that this name fits. `None` if there is none, or more than one.
    fn frame_session(&self, agent: Conn, page: &SessionId, frame: &str) -> Option<SessionId> {
        let around = self.sessions.get(page)?;
        let is_it = |s: &Session| {
            let info = s.info();
            let inside = info.parent.as_deref().is_none_or(|parent| parent == page.as_str());
            // A frame of a driven tab has a number in it: `f2`.
            let numbered = s.id().as_str().strip_prefix(page.as_str()).and_then(|rest| rest.strip_prefix('.'));
            let named = s.id().as_str() == frame
                || numbered == Some(frame)
                || info.alias.as_deref() == Some(frame)
                || info.url.as_deref().is_some_and(|url| url.contains(frame));
            let apart = numbered.is_some() || s.origin() != around.origin();
            info.frame == Some(true) && s.page().is_some() && apart && inside && named
        };
        let those: Vec<&Session> = self.visible(agent).filter(|s| is_it(s)).collect();
        match those[..] {
            [one] => Some(one.id().clone()),
            _ => None,
        }
    }

    /// Dispatches a call. Returns the refusal of a fire-and-forget call, which has no other way back.
    pub(crate) fn ask_session(
        &mut self,
        now: Millis,
        session: &SessionId,
        call: SessionCall,
        out: &mut Vec<Effect>,
    ) -> Option<Error> {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        let wake = self.sessions.get_mut(session).and_then(|held| {
            let deadline = held.ask(now, call, &mut outcomes)?;
            held.arm_for(deadline)
        });
        let refused = match outcomes.first() {
            Some(Outcome::Ended { asker: Asker::Fired { .. }, ending: Err(error), .. }) => Some(error.clone()),
            _ => None,
        };
        self.dispatched(now, session, wake, outcomes, out);
        refused
    }

    /// What follows from a call that was dispatched. `wake`: when its session has to be woken now, if that is earlier
    /// than before.
    fn dispatched(
        &mut self,
        now: Millis,
        session: &SessionId,
        wake: Option<Millis>,
        mut outcomes: Vec<Outcome>,
        out: &mut Vec<Effect>,
    ) {
        if let Some(at) = wake {
            self.wakes.push(Reverse((at, session.clone())));
        }
        // Nearly always all that follows is that the task is sent.
        if let [Outcome::Effect(_)] = outcomes[..] {
            out.extend(outcomes.drain(..).filter_map(Outcome::into_effect));
            self.outcomes = outcomes;
        } else {
            self.follow(now, session, outcomes, out);
        }
    }

    pub(crate) fn ask_batch(
        &mut self,
        now: Millis,
        reply: Reply,
        tasks: Vec<(Task, Option<u64>, Option<Box<Error>>)>,
        page: Option<&str>,
        out: &mut Vec<Effect>,
    ) {
        let agent = reply.agent;
        let session = self.find(agent, page).and_then(|session| {
            let known = self.agents.get_mut(&agent).ok_or_else(|| Error::new(Code::INTERNAL, "no such agent"))?;
            known.admit(now, tasks.len()).map(|()| session)
        });
        let session = match session {
            Ok(session) if !tasks.is_empty() => session,
            Ok(_) => {
                out.push(Effect::Result { reply, result: Ok(r#"{"results":[]}"#.into()) });
                return;
            }
            Err(error) => {
                out.push(Effect::Result { reply, result: Err(error) });
                return;
            }
        };
        self.used(now, agent, &session);
        self.last_batch += 1;
        let batch = self.last_batch;
        let default_ms = self.agents.get_mut(&agent).and_then(|known| {
            known.in_flight += tasks.len();
            if let Some(held) = self.sessions.get_mut(&session) {
                held.note_asked(now, &known.name);
            }
            known.timeout_ms
        });
        self.batches.insert(batch, CallBatch::new(reply, tasks.len()));
        for (at, (task, timeout_ms, unfit)) in tasks.into_iter().enumerate() {
            let asker = Asker::Batch { agent, batch, at };
            let timeout_ms = timeout_ms.or(default_ms);
            self.ask_session(now, &session, SessionCall { asker, task, timeout_ms, unfit }, out);
        }
    }

    pub(crate) fn batch_ended(&mut self, key: u64, at: usize, ending: Ending, out: &mut Vec<Effect>) {
        let Some(batch) = self.batches.get_mut(&key) else { return };
        if batch.end(at, ending)
            && let Some(batch) = self.batches.remove(&key)
        {
            let (reply, results) = batch.into_results();
            out.push(Effect::Result { reply, result: Ok(results) });
        }
    }

    pub(crate) fn keep(
        &mut self,
        now: Millis,
        agent: Conn,
        id: Option<Box<str>>,
    ) -> Result<(Arc<str>, Box<str>), Error> {
        if let Some(id) = id.as_deref().filter(|id| !is_call_id(id)) {
            let message = format!("`{id}` is not an id; use 1 to 19 letters, digits or underscores");
            return Err(Error::new(Code::PARAMS, message));
        }
        let name = self.agents.get(&agent).map(Agent::shelf_name).unwrap_or_default();
        let Some(memory) = self.memory(now, &name) else {
            let message = format!("{AGENT_NAMES_MAX} other agents have calls under way whose results are kept");
            return Err(
                Error::new(Code::CONNECTION, message).hint("wait for some of them to end, or call without async")
            );
        };
        let id = memory.shelf.reserve(id)?;
        Ok((name, id))
    }

    pub(crate) fn cancel(&mut self, now: Millis, agent: Conn, id: &str, out: &mut Vec<Effect>) {
        let Some(known) = self.agents.get(&agent) else { return };
        let mut forms = vec![
            ReplyForm::Rpc(id.into()),
            ReplyForm::Tool(id.into()),
            ReplyForm::Compact(Form::Object(id.into())),
            ReplyForm::Compact(Form::Pair(id.into())),
        ];
        forms.extend(LineId::parse(id.trim_matches('"')).map(ReplyForm::Line));
        if known.passed {
            out.push(Effect::CancelElsewhere { agent, forms: forms.clone() });
        }
        let sessions: Vec<SessionId> = known.called.iter().cloned().collect();
        self.cancel_lookups(agent, &forms, out);
        for session in sessions {
            for form in &forms {
                let reply = Reply { agent, form: form.clone() };
                self.cancel_waiting(&session, &reply, out);
                self.session_on(now, &session, Event::Cancelled { reply }, out);
            }
        }
    }

    /// The page that a request of this agent means now, with its origin: the same page as for [`Input::Ask`].
    pub fn meant(&self, agent: Conn, page: Option<&str>) -> Option<(SessionId, Arc<str>)> {
        if page.is_none()
            && let Some(held) = self.agents.get(&agent).and_then(|known| self.at_hand(known))
        {
            return Some((held.id().clone(), held.shared_origin().clone()));
        }
        let id = self.find(agent, page).ok()?;
        let elsewhere = || self.elsewhere.get(&id).map(|page| &page.origin);
        let origin = self.sessions.get(&id).map(Session::shared_origin).or_else(elsewhere)?.clone();
        Some((id, origin))
    }

    /// An agent's name; empty when it gave none.
    pub fn agent_name(&self, agent: Conn) -> &str {
        self.agents.get(&agent).map_or("", |known| &known.name)
    }

    /// The agent's name as a shared string.
    pub fn shared_name(&self, agent: Conn) -> Option<Arc<str>> {
        self.agents.get(&agent).map(|known| known.name.clone())
    }

    pub(crate) fn last_used(&self, agent: Conn) -> Option<&UsedPage> {
        self.last_used_by(self.agents.get(&agent)?)
    }

    pub(crate) fn last_used_by<'a>(&'a self, known: &'a Agent) -> Option<&'a UsedPage> {
        let own = known.joined.as_ref().or(known.last_used.as_ref());
        own.or_else(|| self.memories.get(&*known.name)?.last_used.as_ref())
    }

    pub(crate) fn used(&mut self, now: Millis, agent: Conn, session: &SessionId) {
        let Some(known) = self.agents.get_mut(&agent) else { return };
        let Some(held) = self.sessions.get(session) else { return };
        if known.used_last(held) {
            return;
        }
        let page = UsedPage { session: session.clone(), origin: held.shared_origin().clone() };
        self.remember_used(now, agent, page);
    }

    pub(crate) fn remember_used(&mut self, now: Millis, agent: Conn, page: UsedPage) {
        let Some(known) = self.agents.get_mut(&agent) else { return };
        if known.last_used.as_ref() == Some(&page) {
            return;
        }
        if known.target.is_some() && known.target_page.is_none() {
            known.target_page = Some(page.clone());
            self.namings += 1;
        }
        known.last_used = Some(page.clone());
        known.called.insert(page.session.clone());
        if !known.name.is_empty() {
            let name = known.name.clone();
            if let Some(memory) = self.memory(now, &name) {
                memory.last_used = Some(page);
            }
        }
    }
}

/// The check that a task needs before it is dispatched, if any.
fn check_of(task: &Task, held: &Session) -> Option<Check> {
    match task {
        Task::Tool { name, arguments, .. } => {
            Some(Check { tool: name.clone(), schema: held.toolbox().schema(name), arguments: arguments.clone() })
        }
        Task::Eval { .. } | Task::Verb { .. } | Task::State => None,
    }
}
