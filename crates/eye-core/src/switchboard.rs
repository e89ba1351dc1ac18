//! All sessions and agents of one hub: finds who is meant, keeps shelves and order, and wakes who has a deadline.

use crate::agent::{Agent, Memory};
use crate::event::{Asker, Conn, Effect, Input, Millis, Mode, News, Reply, ReplyForm, Task, ToolQuery};
use crate::kept::Delivery;
use crate::select;
use crate::session::Session;
use crate::session_event::{Event, Newcomer, Outcome};
use crate::tally::Tally;
use eye_protocol::compact::Form;
use eye_protocol::error::ErrorObject;
use eye_protocol::id::{LineId, is_call_id};
use eye_protocol::limits::{AGENT_NAMES_MAX, GRACE_AFTER_RESTART_MS, NAME_BYTES_MAX, SESSION_KEPT_MS, SESSIONS_MAX};
use eye_protocol::messages::{Hello, PageInfo, Presence, SessionRow, Sessions};
use eye_protocol::rpc::json;
use eye_protocol::{Code, Ending, Error, SessionId, Value, tools};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How often sessions and names that nobody needs any more are looked for.
const SWEEP_MS: Millis = 60_000;

/// A session as a hub remembers it across a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its id.
    pub id: SessionId,
    /// The origin that holds it.
    pub origin: Box<str>,
    /// What its page said of itself.
    pub info: PageInfo,
}

/// Everything one hub knows.
#[derive(Debug, Default)]
pub struct Switchboard {
    sessions: FxHashMap<SessionId, Session>,
    pages: FxHashMap<Conn, SessionId>,
    agents: FxHashMap<Conn, Agent>,
    memories: FxHashMap<Box<str>, Memory>,
    /// Agents that joined a session and hear of it.
    members: FxHashMap<SessionId, Vec<Conn>>,
    batches: FxHashMap<u64, CallBatch>,
    last_batch: u64,
    tally: Tally,
    wakes: BinaryHeap<Reverse<(Millis, SessionId)>>,
    armed: FxHashMap<SessionId, Millis>,
    shelves_wake: Option<Millis>,
    sweep_at: Millis,
    known_changed: bool,
    outcomes: Vec<Outcome>,
    deliveries: Vec<Delivery>,
}

impl Switchboard {
    /// What happened, and what follows.
    pub fn on(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) {
        match input {
            Input::PageJoined { page, session, who } => self.page_joined(now, &session, page, who, out),
            Input::PageLeft { page } | Input::PageLeaving { page } => {
                if let Some(session) = self.pages.remove(&page) {
                    self.session_on(now, &session, Event::Left { page }, out);
                }
            }
            Input::PageChanged { page, info } => {
                self.known_changed = true;
                self.page_on(now, page, Event::Changed { page, info }, out);
            }
            Input::PageNavigating { page, call, url } => {
                self.page_on(now, page, Event::Navigating { page, call, url }, out);
            }
            Input::PageOffers { page, id, tools } => self.page_on(now, page, Event::Offers { page, id, tools }, out),
            Input::PageWithdraws { page, id, names } => {
                self.page_on(now, page, Event::Withdraws { page, id, names }, out);
            }
            Input::PageCapable { page, capabilities } => {
                self.page_on(now, page, Event::Capable { page, capabilities }, out);
            }
            Input::PageProgress { page, call, progress } => {
                self.page_on(now, page, Event::Progressed { page, call, progress }, out);
            }
            Input::PageAlive { page } => self.page_on(now, page, Event::Alive { page }, out),
            Input::PageAnswered { page, call, ending } => {
                self.page_answered(now, page, Event::Answered { page, call, ending }, out);
            }
            Input::AgentJoined { agent } => {
                self.agents.insert(agent, Agent::default());
            }
            Input::AgentHello { agent, hello } => self.agent_hello(now, agent, *hello),
            Input::AgentLeft { agent } => self.agent_left(now, agent, out),
            Input::Ask { agent, form, task, page, timeout_ms, mode } => {
                self.ask(now, agent, form, Question { task, page, timeout_ms, mode }, out);
            }
            Input::AskBatch { reply, tasks, page } => self.ask_batch(now, reply, tasks, page.as_deref(), out),
            Input::Tools { reply, page, query } => {
                let result = self.about_tools(reply.agent, page.as_deref(), &query);
                out.push(Effect::Result { reply, result });
            }
            Input::Join { agent, form, session } => self.join(now, agent, form, &session, out),
            Input::Leave { reply } => {
                self.leave(reply.agent);
                out.push(Effect::Result { reply, result: Ok(r#"{"success":true}"#.into()) });
            }
            Input::Info { reply, session } => {
                let result = self.about_session(now, reply.agent, session.as_deref());
                out.push(Effect::Result { reply, result });
            }
            Input::Cancel { agent, id } => self.cancel(now, agent, &id, out),
            Input::Collect { reply, ids, timeout_ms } => {
                let name = self.agents.get(&reply.agent).map(|agent| agent.name.clone()).unwrap_or_default();
                let memory = self.memories.entry(name).or_default();
                memory.shelf.collect(now, reply, ids, timeout_ms, &mut self.deliveries);
                self.shelves_changed(out);
            }
            Input::List { reply } => {
                let sessions = self.rows(now, Some(reply.agent));
                out.push(Effect::Result { reply, result: Ok(json(&Sessions { sessions })) });
            }
            Input::Use { reply, page } => self.use_page(now, reply, &page, out),
            Input::Tick => self.tick(now, out),
            Input::Shutdown => {
                for session in self.sessions.keys().cloned().collect::<Vec<_>>() {
                    self.session_on(now, &session, Event::Shutdown, out);
                }
            }
        }
    }

    /// When it next wants [`Input::Tick`].
    pub fn next_wake(&self) -> Option<Millis> {
        let sessions = self.wakes.peek().map(|Reverse((at, _))| *at);
        [sessions, self.shelves_wake, (!self.sessions.is_empty()).then_some(self.sweep_at)].into_iter().flatten().min()
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
        self.sessions.values().map(Session::pending).sum()
    }

    /// What was counted.
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

    /// The session of a connected page.
    pub fn session_of(&self, page: Conn) -> Option<&SessionId> {
        self.pages.get(&page)
    }

    /// The session that an agent joined.
    pub fn joined(&self, agent: Conn) -> Option<&SessionId> {
        self.agents.get(&agent)?.joined.as_ref()
    }

    /// The ids of sessions whose page is there or expected, in order.
    pub fn session_ids(&self) -> Vec<String> {
        let there = self.sessions.values().filter(|s| s.presence() != Presence::Gone);
        let mut ids: Vec<String> = there.map(|s| s.id().to_string()).collect();
        ids.sort_unstable();
        ids
    }

    /// All sessions for whoever lists them: connected first, then by last use.
    pub fn rows(&self, now: Millis, agent: Option<Conn>) -> Vec<SessionRow> {
        let current = agent.and_then(|agent| self.last_used(agent)).cloned();
        let mut sessions: Vec<&Session> = self.sessions.values().collect();
        sessions.sort_by_key(|s| (s.presence() != Presence::Connected, Reverse(s.used_at()), s.id().clone()));
        sessions.into_iter().map(|session| row(now, session, current.as_ref())).collect()
    }

    /// Whether [`Switchboard::take_known`] has news.
    pub fn known_changed(&self) -> bool {
        self.known_changed
    }

    /// Sessions to remember across a restart, if they changed since last asked.
    pub fn take_known(&mut self) -> Option<Vec<Known>> {
        if !std::mem::take(&mut self.known_changed) {
            return None;
        }
        let there = self.sessions.values().filter(|s| s.presence() != Presence::Gone);
        let mut known: Vec<Known> =
            there.map(|s| Known { id: s.id().clone(), origin: s.origin().into(), info: s.info().clone() }).collect();
        known.sort_by(|a, b| a.id.cmp(&b.id));
        Some(known)
    }

    /// Expects the pages of a hub that ran before to come back.
    pub fn recall(&mut self, now: Millis, known: Vec<Known>) {
        for Known { id, origin, info } in known.into_iter().take(SESSIONS_MAX) {
            let session = Session::recalled(id.clone(), origin, info, now, now + GRACE_AFTER_RESTART_MS);
            self.sessions.insert(id.clone(), session);
            self.arm(&id);
        }
    }

    fn page_joined(&mut self, now: Millis, session: &SessionId, page: Conn, who: Newcomer, out: &mut Vec<Effect>) {
        if !self.sessions.contains_key(session) {
            self.make_room();
            self.sessions.insert(session.clone(), Session::new(session.clone(), who.origin.clone(), now));
        }
        let replaced = self.sessions.get(session).and_then(Session::page);
        let url = who.info.url.clone();
        self.session_on(now, session, Event::Joined { page, who }, out);
        if self.sessions.get(session).and_then(Session::page) == Some(page) {
            if let Some(old) = replaced {
                self.pages.remove(&old);
            }
            self.pages.insert(page, session.clone());
            self.known_changed = true;
            if let Some(url) = url {
                self.arrive_elsewhere(now, session, &url, out);
            }
        }
    }

    /// A navigation to another origin arrives under another session: its call ends with the page it went to.
    fn arrive_elsewhere(&mut self, now: Millis, arrived: &SessionId, url: &str, out: &mut Vec<Effect>) {
        let from: Vec<SessionId> = self
            .sessions
            .values()
            .filter(|s| s.id() != arrived && s.pending() > 0 && s.navigates_to(url))
            .map(|s| s.id().clone())
            .collect();
        let Some(info) = self.sessions.get(arrived).map(|s| s.info().clone()) else { return };
        for id in from {
            self.session_on(now, &id, Event::ArrivedElsewhere { info: info.clone() }, out);
        }
    }

    fn agent_hello(&mut self, now: Millis, agent: Conn, hello: Hello) {
        let Some(known) = self.agents.get_mut(&agent) else { return };
        known.target = hello.target.filter(|target| !target.is_empty()).map(Into::into);
        known.frame = hello.frame.filter(|frame| !frame.is_empty()).map(Into::into);
        known.timeout_ms = hello.timeout;
        if let Some(name) = hello.agent.filter(|name| name.len() <= NAME_BYTES_MAX) {
            known.name = name.into();
            let name = known.name.clone();
            self.memory(now, &name);
        }
    }

    fn agent_left(&mut self, now: Millis, agent: Conn, out: &mut Vec<Effect>) {
        self.leave(agent);
        let Some(left) = self.agents.remove(&agent) else { return };
        self.batches.retain(|_, batch| batch.reply.agent != agent);
        for session in left.asked {
            self.session_on(now, &session, Event::AgentLeft { agent }, out);
        }
        if let Some(memory) = self.memories.get_mut(&left.name) {
            memory.shelf.agent_left(agent);
        }
    }

    fn ask(&mut self, now: Millis, agent: Conn, form: Option<ReplyForm>, question: Question, out: &mut Vec<Effect>) {
        let form = match form {
            Some(ReplyForm::Compact(Form::Bare)) => {
                self.agents.get_mut(&agent).map(|known| ReplyForm::Place(known.order.reserve()))
            }
            other => other,
        };
        let reply = form.map(|form| Reply { agent, form });
        let session = match self.find(agent, question.page.as_deref()) {
            Ok(session) => session,
            Err(error) => {
                if let Some(reply) = reply {
                    self.ended(reply, Err(error), out);
                }
                return;
            }
        };
        self.used(now, agent, &session);
        let Some(known) = self.agents.get_mut(&agent) else { return };
        if let Err(error) = known.admit(now, 1) {
            if let Some(reply) = reply {
                self.ended(reply, Err(error), out);
            }
            return;
        }
        let timeout_ms = question.timeout_ms.or(known.timeout_ms);
        let mut task = question.task;
        if let Task::Eval { frame: frame @ None, .. } = &mut task {
            frame.clone_from(&known.frame);
        }
        let (asker, receipt) = match (question.mode, reply) {
            (Mode::Answer, Some(reply)) => (Asker::Agent(reply), None),
            (Mode::Answer, None) => (Asker::Nobody, None),
            (Mode::Fire, reply) => (Asker::Nobody, reply.map(|reply| (reply, "{}".to_owned()))),
            (Mode::Keep(id), reply) => match self.keep(now, agent, id) {
                Ok((name, id)) => {
                    let receipt = reply.map(|reply| (reply, format!(r#"{{"id":{}}}"#, json(&id))));
                    (Asker::Shelf { name, id }, receipt)
                }
                Err(error) => {
                    out.extend(reply.map(|reply| Effect::Result { reply, result: Err(error) }));
                    return;
                }
            },
        };
        let fired = asker == Asker::Nobody;
        if asker.agent().is_some()
            && let Some(known) = self.agents.get_mut(&agent)
        {
            known.in_flight += 1;
        }
        let refused = self.asked(now, &session, Event::Asked { asker, task, timeout_ms }, out);
        if let Some((reply, receipt)) = receipt {
            let result = match refused {
                // A fire that nobody takes is told to whoever can hear it.
                Some(error) if fired => Err(error),
                _ => Ok(receipt),
            };
            out.push(Effect::Result { reply, result });
        }
    }

    /// Hands an ask to its session; gives back why nobody's call was refused.
    fn asked(&mut self, now: Millis, session: &SessionId, event: Event, out: &mut Vec<Effect>) -> Option<Error> {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        if let Some(held) = self.sessions.get_mut(session) {
            held.on(now, event, &mut outcomes);
        }
        self.arm(session);
        let refused = match outcomes.first() {
            Some(Outcome::Ended { asker: Asker::Nobody, ending: Err(error), .. }) => Some(error.clone()),
            _ => None,
        };
        self.follow(now, session, outcomes, out);
        refused
    }

    fn ask_batch(
        &mut self,
        now: Millis,
        reply: Reply,
        tasks: Vec<(Task, Option<u64>)>,
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
            known.timeout_ms
        });
        self.batches.insert(batch, CallBatch { reply, slots: vec![None; tasks.len()], left: tasks.len() });
        for (at, (task, timeout_ms)) in tasks.into_iter().enumerate() {
            let asker = Asker::Batch { agent, batch, at };
            self.asked(now, &session, Event::Asked { asker, task, timeout_ms: timeout_ms.or(default_ms) }, out);
        }
    }

    fn batch_ended(&mut self, key: u64, at: usize, ending: Ending, out: &mut Vec<Effect>) {
        let Some(batch) = self.batches.get_mut(&key) else { return };
        if let Some(slot @ None) = batch.slots.get_mut(at) {
            *slot = Some(ending);
            batch.left -= 1;
        }
        if batch.left == 0
            && let Some(batch) = self.batches.remove(&key)
        {
            out.push(Effect::Result { reply: batch.reply, result: Ok(results(&batch.slots)) });
        }
    }

    fn about_tools(&self, agent: Conn, page: Option<&str>, query: &ToolQuery) -> Result<String, Error> {
        let session = self.find(agent, page)?;
        let Some(held) = self.sessions.get(&session) else { return Err(no_session(&session, self)) };
        match query {
            ToolQuery::List(filter) => Ok(format!(r#"{{"tools":{}}}"#, held.toolbox().list(filter.as_deref()))),
            ToolQuery::Get(name) => held.toolbox().get(name).map(|tool| tool.definition.get().to_owned()),
        }
    }

    fn join(&mut self, now: Millis, agent: Conn, form: Option<ReplyForm>, session: &str, out: &mut Vec<Effect>) {
        let known = SessionId::parse(session).filter(|id| self.sessions.contains_key(id));
        let result = if let Ok(id) = known.map_or_else(|| select::named(session, self.sessions.values()), Ok) {
            self.leave(agent);
            self.used(now, agent, &id);
            self.members.entry(id.clone()).or_default().push(agent);
            if let Some(known) = self.agents.get_mut(&agent) {
                known.joined = Some(id.clone());
            }
            let tools = self.sessions.get(&id).map_or_else(|| "[]".into(), |held| held.toolbox().list(None));
            Ok(format!(r#"{{"success":true,"sessionId":{},"tools":{tools}}}"#, json(id.as_str())))
        } else {
            let there = self.session_ids().join(", ");
            let hint = if there.is_empty() { "no page is connected".into() } else { format!("there are: {there}") };
            Err(Error::new(Code::SESSION, format!("Session not found: {session}")).hint(hint))
        };
        out.extend(form.map(|form| Effect::Result { reply: Reply { agent, form }, result }));
    }

    fn leave(&mut self, agent: Conn) {
        let Some(session) = self.agents.get_mut(&agent).and_then(|known| known.joined.take()) else { return };
        if let Some(known) = self.agents.get_mut(&agent) {
            known.last_used = None;
        }
        if let Some(members) = self.members.get_mut(&session) {
            members.retain(|member| *member != agent);
            if members.is_empty() {
                self.members.remove(&session);
            }
        }
    }

    fn about_session(&self, now: Millis, agent: Conn, session: Option<&str>) -> Result<String, Error> {
        let session = self.find(agent, session)?;
        let Some(held) = self.sessions.get(&session) else { return Err(no_session(&session, self)) };
        let row = json(&row(now, held, self.last_used(agent)));
        let made = now.saturating_sub(held.made_at());
        let members = self.members.get(&session).map_or(0, Vec::len);
        Ok(format!(r#"{},"createdMs":{made},"agents":{members}}}"#, row.trim_end_matches('}')))
    }

    /// Tells those who joined a session what happened to it.
    fn tell_members(&self, session: &SessionId, news: &News, out: &mut Vec<Effect>) {
        let members = self.members.get(session).into_iter().flatten();
        out.extend(members.map(|agent| Effect::News { agent: *agent, session: session.clone(), news: news.clone() }));
    }

    fn keep(&mut self, now: Millis, agent: Conn, id: Option<Box<str>>) -> Result<(Box<str>, Box<str>), Error> {
        if let Some(id) = id.as_deref().filter(|id| !is_call_id(id)) {
            let message = format!("`{id}` is not an id; use 1 to 19 letters, digits or underscores");
            return Err(Error::new(Code::PARAMS, message));
        }
        let name = self.agents.get(&agent).map(|known| known.name.clone()).unwrap_or_default();
        let id = self.memory(now, &name).shelf.reserve(id)?;
        Ok((name, id))
    }

    fn cancel(&mut self, now: Millis, agent: Conn, id: &str, out: &mut Vec<Effect>) {
        let Some(known) = self.agents.get(&agent) else { return };
        let mut forms = vec![
            ReplyForm::Rpc(id.into()),
            ReplyForm::Tool(id.into()),
            ReplyForm::Compact(Form::Object(id.into())),
            ReplyForm::Compact(Form::Pair(id.into())),
        ];
        forms.extend(LineId::parse(id.trim_matches('"')).map(ReplyForm::Line));
        let sessions: Vec<SessionId> = known.asked.iter().cloned().collect();
        for session in sessions {
            for form in &forms {
                let reply = Reply { agent, form: form.clone() };
                self.session_on(now, &session, Event::Cancelled { reply }, out);
            }
        }
    }

    fn use_page(&mut self, now: Millis, reply: Reply, page: &str, out: &mut Vec<Effect>) {
        let result = select::named(page, self.sessions.values()).map(|session| {
            self.used(now, reply.agent, &session);
            self.sessions.get(&session).map_or_else(|| "null".into(), |held| json(&row(now, held, Some(&session))))
        });
        out.push(Effect::Result { reply, result });
    }

    fn find(&self, agent: Conn, page: Option<&str>) -> Result<SessionId, Error> {
        let known = self.agents.get(&agent);
        match page.or_else(|| known.and_then(|agent| agent.target.as_deref())) {
            Some(wanted) => match SessionId::parse(wanted).filter(|id| self.sessions.contains_key(id)) {
                Some(id) => Ok(id),
                None => select::named(wanted, self.sessions.values()),
            },
            None => select::unnamed(self.last_used(agent), self.sessions.values()),
        }
    }

    fn last_used(&self, agent: Conn) -> Option<&SessionId> {
        let known = self.agents.get(&agent)?;
        let own = known.joined.as_ref().or(known.last_used.as_ref());
        own.or_else(|| self.memories.get(&known.name)?.last_used.as_ref())
    }

    fn used(&mut self, now: Millis, agent: Conn, session: &SessionId) {
        let Some(known) = self.agents.get_mut(&agent) else { return };
        if known.last_used.as_ref() == Some(session) {
            return;
        }
        known.last_used = Some(session.clone());
        known.asked.insert(session.clone());
        if !known.name.is_empty() {
            let name = known.name.clone();
            self.memory(now, &name).last_used = Some(session.clone());
        }
    }

    fn memory(&mut self, now: Millis, name: &str) -> &mut Memory {
        if self.memories.len() >= AGENT_NAMES_MAX && !self.memories.contains_key(name) {
            let idle = self.memories.iter().filter(|(_, m)| m.shelf.is_empty()).min_by_key(|(_, m)| m.seen_at);
            if let Some(oldest) = idle.map(|(name, _)| name.clone()) {
                self.memories.remove(&oldest);
            }
        }
        let memory = self.memories.entry(name.into()).or_default();
        memory.seen_at = now;
        memory
    }

    /// The hot path. An answer makes no deadline earlier, so nobody needs to be armed anew.
    fn page_answered(&mut self, now: Millis, page: Conn, event: Event, out: &mut Vec<Effect>) {
        // A page that was replaced is heard no more.
        let Some(session) = self.pages.get(&page) else { return };
        let mut outcomes = std::mem::take(&mut self.outcomes);
        if let Some(held) = self.sessions.get_mut(session) {
            held.on(now, event, &mut outcomes);
        }
        for outcome in outcomes.drain(..) {
            self.follow_one(now, outcome, out);
        }
        self.outcomes = outcomes;
    }

    fn page_on(&mut self, now: Millis, page: Conn, event: Event, out: &mut Vec<Effect>) {
        if let Some(session) = self.pages.get(&page).cloned() {
            self.session_on(now, &session, event, out);
        }
    }

    fn session_on(&mut self, now: Millis, session: &SessionId, event: Event, out: &mut Vec<Effect>) {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        let Some(held) = self.sessions.get_mut(session) else { return };
        let before = held.presence();
        held.on(now, event, &mut outcomes);
        let after = held.presence();
        self.arm(session);
        self.follow(now, session, outcomes, out);
        match (before, after) {
            (Presence::Connected, Presence::Away | Presence::Gone) => self.tell_members(session, &News::PageGone, out),
            (Presence::Away | Presence::Gone, Presence::Connected) => self.tell_members(session, &News::PageBack, out),
            _ => {}
        }
    }

    fn follow(&mut self, now: Millis, session: &SessionId, mut outcomes: Vec<Outcome>, out: &mut Vec<Effect>) {
        for outcome in outcomes.drain(..) {
            if outcome == Outcome::Tools {
                if self.members.contains_key(session) {
                    let tools = self.sessions.get(session).map_or_else(String::new, |held| held.toolbox().list(None));
                    self.tell_members(session, &News::Tools(tools), out);
                }
            } else {
                self.follow_one(now, outcome, out);
            }
        }
        self.outcomes = outcomes;
    }

    fn follow_one(&mut self, now: Millis, outcome: Outcome, out: &mut Vec<Effect>) {
        match outcome {
            Outcome::Effect(effect) => out.push(effect),
            Outcome::Tools => {}
            Outcome::Ended { asker, ending, asked_at } => {
                self.tally.ended(&ending, now.saturating_sub(asked_at));
                if let Some(known) = asker.agent().and_then(|agent| self.agents.get_mut(&agent)) {
                    known.in_flight = known.in_flight.saturating_sub(1);
                }
                match asker {
                    Asker::Agent(reply) => self.ended(reply, ending, out),
                    Asker::Batch { batch, at, .. } => self.batch_ended(batch, at, ending, out),
                    Asker::Shelf { name, id } => {
                        if let Some(memory) = self.memories.get_mut(&name) {
                            memory.shelf.put(now, &id, ending, &mut self.deliveries);
                            self.shelves_changed(out);
                        }
                    }
                    Asker::Nobody => {}
                }
            }
        }
    }

    fn ended(&mut self, reply: Reply, ending: Ending, out: &mut Vec<Effect>) {
        let ReplyForm::Place(place) = reply.form else {
            out.push(Effect::Ended { reply, ending });
            return;
        };
        let Some(known) = self.agents.get_mut(&reply.agent) else { return };
        for ending in known.order.fill(place, ending) {
            let reply = Reply { agent: reply.agent, form: ReplyForm::Compact(Form::Bare) };
            out.push(Effect::Ended { reply, ending });
        }
    }

    fn shelves_changed(&mut self, out: &mut Vec<Effect>) {
        self.shelves_wake = self.memories.values().filter_map(|memory| memory.shelf.next_wake()).min();
        out.extend(self.deliveries.drain(..).map(|(reply, result)| Effect::Result { reply, result }));
    }

    /// Notes when a session wants to be woken, if that is earlier than noted.
    fn arm(&mut self, session: &SessionId) {
        let Some(at) = self.sessions.get_mut(session).and_then(Session::next_wake) else { return };
        match self.armed.get(session) {
            Some(armed) if *armed <= at => {}
            _ => {
                self.armed.insert(session.clone(), at);
                self.wakes.push(Reverse((at, session.clone())));
            }
        }
    }

    fn tick(&mut self, now: Millis, out: &mut Vec<Effect>) {
        while let Some(Reverse((at, _))) = self.wakes.peek()
            && *at <= now
        {
            let Some(Reverse((at, session))) = self.wakes.pop() else { break };
            if self.armed.get(&session) == Some(&at) {
                self.armed.remove(&session);
                let before = self.presence(&session);
                self.session_on(now, &session, Event::Tick, out);
                self.known_changed |= before != self.presence(&session);
                if before == Some(Presence::Connected) && self.presence(&session) != before {
                    self.pages.retain(|_, held| *held != session);
                }
            }
        }
        if self.shelves_wake.is_some_and(|at| at <= now) {
            for memory in self.memories.values_mut() {
                memory.shelf.tick(now, &mut self.deliveries);
            }
            self.shelves_changed(out);
        }
        if now >= self.sweep_at {
            self.sweep_at = now + SWEEP_MS;
            self.sweep(now);
        }
    }

    fn presence(&self, session: &SessionId) -> Option<Presence> {
        self.sessions.get(session).map(Session::presence)
    }

    fn sweep(&mut self, now: Millis) {
        let armed = &mut self.armed;
        self.sessions.retain(|id, session| {
            let keep = session.pending() > 0 || session.gone_since().is_none_or(|at| now < at + SESSION_KEPT_MS);
            if !keep {
                armed.remove(id);
            }
            keep
        });
    }

    /// At the limit, the session that has been without a page for longest makes room.
    fn make_room(&mut self) {
        if self.sessions.len() < SESSIONS_MAX {
            return;
        }
        let oldest = self.sessions.values().filter_map(|s| Some((s.gone_since()?, s.id().clone()))).min();
        if let Some((_, id)) = oldest {
            self.sessions.remove(&id);
            self.armed.remove(&id);
        }
    }
}

/// Several calls of one request; it is answered when the last of them has ended.
#[derive(Debug)]
struct CallBatch {
    reply: Reply,
    slots: Vec<Option<Ending>>,
    left: usize,
}

fn results(slots: &[Option<Ending>]) -> String {
    let one = |slot: &Option<Ending>| match slot {
        Some(Ok(value @ Value::Bytes(_))) => format!(r#"{{"result":{}}}"#, tools::result(value, "")),
        Some(Ok(value)) => format!(r#"{{"result":{}}}"#, value.to_json()),
        Some(Err(error)) => format!(r#"{{"error":{}}}"#, json(&ErrorObject::from(error))),
        None => "null".to_owned(),
    };
    let texts: Vec<String> = slots.iter().map(one).collect();
    format!(r#"{{"results":[{}]}}"#, texts.join(","))
}

fn no_session(session: &SessionId, board: &Switchboard) -> Error {
    let there = board.session_ids().join(", ");
    Error::new(Code::SESSION, format!("Session not found: {session}")).hint(format!("there are: {there}"))
}

struct Question {
    task: Task,
    page: Option<Box<str>>,
    timeout_ms: Option<u64>,
    mode: Mode,
}

fn row(now: Millis, session: &Session, current: Option<&SessionId>) -> SessionRow {
    let info = session.info();
    SessionRow {
        id: session.id().to_string(),
        alias: info.alias.clone(),
        title: info.title.clone().unwrap_or_default(),
        url: info.url.clone().unwrap_or_default(),
        origin: session.origin().to_owned(),
        state: session.presence(),
        visible: info.visible.unwrap_or(true),
        frame: info.frame.unwrap_or(false),
        eval: session.evaluates(),
        tools: session.toolbox().len(),
        pending: session.pending(),
        idle_ms: now.saturating_sub(session.used_at()),
        current: current == Some(session.id()),
    }
}
