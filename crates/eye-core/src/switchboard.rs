//! All sessions and agents of one hub: finds the session that is meant, keeps shelves and the order of answers, and
//! wakes sessions at their deadlines.

use crate::agent::{Agent, Memory};
use crate::boxed::BoxedMap;
use crate::budget::Budget;
use crate::call_batch::CallBatch;
use crate::calls::FirstCalls;
use crate::effect::Effect;
use crate::framed::Framed;
use crate::ids::{CallId, Conn, Millis};
use crate::input::Input;
use crate::kept::Delivery;
use crate::lanes::Lanes;
use crate::names::Names;
use crate::newcomer::Newcomer;
use crate::other_pages::Elsewhere;
use crate::outliving::Outliving;
use crate::page_event::PageEvent;
use crate::question::Question;
use crate::session::{Session, shut_down};
use crate::session_event::{Event, Outcome};
use crate::tally::Tally;
use crate::task::{Reply, Task};
use crate::tools_news::ToolsNews;
use crate::topics::Topics;
use eye_protocol::limits::{AGENT_NAMES_MAX, SESSION_KEPT_MS, SESSIONS_MAX};
use eye_protocol::messages::{Presence, Sessions};
use eye_protocol::rpc::json;
use eye_protocol::{Ending, SessionId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// How often the hub looks for sessions and names that are no longer needed.
const SWEEP_MS: Millis = 60_000;

/// Everything one hub knows.
#[derive(Debug, Default)]
pub struct Switchboard {
    pub(crate) sessions: BoxedMap<SessionId, Session>,
    pub(crate) pages: FxHashMap<Conn, SessionId>,
    pub(crate) agents: FxHashMap<Conn, Agent>,
    pub(crate) memories: FxHashMap<Arc<str>, Memory>,
    /// Agents that joined a session and receive its news.
    pub(crate) members: FxHashMap<SessionId, Vec<Conn>>,
    /// Agents that receive every change of a session's state.
    pub(crate) watchers: FxHashMap<SessionId, Vec<Conn>>,
    pub(crate) topics: Topics,
    pub(crate) batches: FxHashMap<u64, CallBatch>,
    pub(crate) last_batch: u64,
    /// Outlines that wait for the lines of frames, numbered with the batches.
    pub(crate) framed: FxHashMap<u64, Framed>,
    pub(crate) tally: Tally,
    pub(crate) wakes: BinaryHeap<Reverse<(Millis, SessionId)>>,
    pub(crate) shelves_wake: Option<Millis>,
    pub(crate) sweep_at: Millis,
    pub(crate) known_changed: bool,
    /// When changes of pages' infos are remembered.
    pub(crate) remember_at: Option<Millis>,
    pub(crate) tools_news: ToolsNews,
    /// The key that hides agents' names from pages.
    pub(crate) names_key: u64,
    pub(crate) names: Names,
    /// Counts the inputs after which a word may mean another page.
    pub(crate) namings: u64,
    pub(crate) first_calls: FirstCalls,
    pub(crate) lanes: Lanes,
    /// Agents with requests that wait for what a page is expected to offer.
    pub(crate) waiting: FxHashSet<Conn>,
    pub(crate) elsewhere: Elsewhere,
    pub(crate) outliving: Outliving,
    pub(crate) budget: Budget,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) deliveries: Vec<Delivery>,
}

impl Switchboard {
    /// Sets the key that hides agents' names from pages. It should be secret, and new with each run of the hub.
    pub fn set_names_key(&mut self, key: u64) {
        self.names_key = key;
    }

    /// Lets the call ids of each session begin at a random number. Before this, they begin at 1.
    pub fn set_first_calls(&mut self, first_calls: FirstCalls) {
        self.first_calls = first_calls;
    }

    /// Handles an input, and appends what follows. An input whose lane is busy waits behind the work.
    pub fn on(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) {
        match input {
            // Nearly always. An input is large, and is copied each time it is passed on.
            Input::Ask { agent, form, task: task @ Task::Eval { .. }, page, timeout_ms, mode }
                if self.lanes.are_free()
                    && !self.waiting.contains(&agent)
                    && (self.is_all_here() || self.asked_here(agent, page.as_deref()).is_some()) =>
            {
                self.ask(now, agent, form, Question { task, page, timeout_ms, mode, unfit: None }, out);
            }
            Input::Back(back) if self.lanes.are_free() => self.back(now, *back, out),
            input if self.lanes.are_free() => self.handle(now, input, out),
            input => {
                if let Some(input) = self.behind_work(input, out) {
                    self.handle(now, input, out);
                }
            }
        }
        self.free_evicted(out);
    }

    /// The same for a page's answer to a call, which no lookup and no other hub holds up.
    pub fn on_answer(&mut self, now: Millis, page: Conn, call: CallId, ending: Ending, out: &mut Vec<Effect>) {
        if !self.lanes.are_free() {
            return self.on(now, Input::page(page, PageEvent::Answered { call, ending }), out);
        }
        self.page_answered(now, page, call, ending, out);
        self.free_evicted(out);
    }

    fn free_evicted(&mut self, out: &mut Vec<Effect>) {
        if self.budget.has_freed() {
            out.extend(self.budget.freed());
        }
    }

    /// Whether no other hub is known to have a page.
    pub(crate) fn is_all_here(&self) -> bool {
        self.elsewhere.pages.is_empty() && !self.elsewhere.partial
    }

    pub(crate) fn handle(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) {
        if input.may_rename() {
            self.namings += 1;
        }
        // Taken nearly always: an input is large, and is copied each time it is passed on and back.
        if self.is_all_here() && self.may_wait(&input).is_none() {
            return self.take(now, input, out);
        }
        let Some(input) = self.unless_unlisted(now, input, out) else { return };
        let Some(input) = self.unless_recalled(now, input, out) else { return };
        self.go_on(now, input, out);
    }

    /// Continues a request that need not wait for a lookup or a recall.
    pub(crate) fn go_on(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) {
        let Some(input) = self.unless_elsewhere(now, input, out) else { return };
        let Some(input) = self.unless_expected(now, input) else { return };
        self.take(now, input, out);
    }

    /// Handles an input that is for this hub and need not wait.
    fn take(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) {
        match input {
            Input::PageJoined { page, session, who } => self.page_joined(now, &session, page, *who, out),
            Input::Page { conn, event: PageEvent::Answered { call, ending } } => {
                self.page_answered(now, conn, call, ending, out);
            }
            Input::Page { conn, event } => self.on_page(now, conn, event, out),
            Input::GetState { reply, page, fresh, query } => {
                self.want(now, reply, page.as_deref(), |reply| Event::StateWanted { reply, fresh, query }, out);
            }
            Input::Snapshot { reply, page, wanted } => self.snapshot(now, reply, page, wanted, out),
            Input::Watch { reply, page, wanted, renewed } => {
                let result = self.watch(now, reply.agent, page.as_deref(), (wanted, renewed), out);
                out.push(Effect::Result { reply, result });
            }
            Input::ReadMail { reply, page, timeout_ms } => {
                self.want(now, reply, page.as_deref(), |reply| Event::MailWanted { reply, timeout_ms }, out);
            }
            Input::Publish { conn, id, message, wall_ms } => {
                let result = self.publish(now, conn, &message, wall_ms, out);
                self.tell(conn, id, result, out);
            }
            Input::Subscribe { conn, id, topic, wanted } => self.subscribe(conn, id, &topic, wanted, out),
            Input::AgentJoined { agent } => {
                self.agents.insert(agent, Agent::default());
            }
            Input::AgentScoped { agent, scope } => self.agent_scoped(agent, scope, out),
            Input::AgentPaced { agent, rate } => self.change_agent(agent, |known| known.rate = Some(rate)),
            Input::AgentHello { agent, hello } => self.agent_hello(now, agent, *hello, out),
            Input::AgentLeft { agent } => self.agent_left(now, agent, None, out),
            Input::AgentRevoked { agent, error } => self.agent_left(now, agent, Some(&error), out),
            Input::Ask { .. } | Input::AskBatch { .. } => self.check_and_ask(now, input, out),
            Input::Worked { lane, done } => self.worked(now, &lane, done, out),
            Input::Tools { reply, page, query } => {
                let result = self.about_tools(reply.agent, page.as_deref(), &query);
                out.push(Effect::Result { reply, result });
            }
            Input::Join { agent, form, session, renewed } => self.join(now, agent, form, (&session, renewed), out),
            Input::Leave { reply } => self.leave_session(reply, out),
            Input::Info { reply, session } => {
                let result = self.about_session(now, reply.agent, session.as_deref());
                out.push(Effect::Result { reply, result });
            }
            Input::Cancel { agent, id } => self.cancel(now, agent, &id, out),
            Input::Collect { reply, ids, timeout_ms } => self.collect(now, reply, &ids, timeout_ms, out),
            Input::List { reply } => {
                let (sessions, partial) = (self.rows(now, Some(reply.agent)), self.elsewhere.partial);
                out.push(Effect::Result { reply, result: Ok(json(&Sessions { sessions, partial })) });
            }
            Input::Use { reply, page, name } => self.use_page(now, reply, &page, name.as_deref(), out),
            Input::Forget { reply, page } => self.forget_page(now, reply, &page, out),
            Input::Released { session, heir } => self.release(now, session, heir, out),
            Input::HandedOver(handover) => self.take_over(now, handover, out),
            Input::Recalled(_) | Input::StatesWanted | Input::MailGiven(_) => self.on_lasting(now, input, out),
            Input::Listed(_) | Input::Back(_) | Input::Topics(_) => self.on_elsewhere(now, input, out),
            Input::LookedUp { word, known } => self.looked_up(now, &word, known, out),
            Input::CameOver(session) => self.come_over(now, &session, out),
            Input::Tick => self.tick(now, out),
            Input::Shutdown => {
                self.stop_work(now, out);
                self.stop_lookups(None, Some(&shut_down()), out);
                for session in self.sessions.keys().cloned().collect::<Vec<_>>() {
                    self.session_on(now, &session, Event::Shutdown, out);
                }
            }
        }
    }

    /// Collects the kept results of an agent.
    fn collect(&mut self, now: Millis, reply: Reply, ids: &[Box<str>], timeout_ms: Option<u64>, out: &mut Vec<Effect>) {
        let name = self.agents.get(&reply.agent).map(Agent::shelf_name).unwrap_or_default();
        self.memory(now, &name);
        // An agent whose name has no room keeps nothing.
        let mut none = Memory::default();
        let memory = self.memories.get_mut(&name).unwrap_or(&mut none);
        let before = memory.shelf.bytes();
        memory.shelf.collect(now, reply, ids, timeout_ms, &mut self.deliveries);
        let (after, wake) = (memory.shelf.bytes(), memory.shelf.next_wake());
        self.shelf_changed(wake, out);
        self.account_shelf(before, after);
    }

    /// Handles a request to a session that is not a call.
    pub(crate) fn want(
        &mut self,
        now: Millis,
        reply: Reply,
        page: Option<&str>,
        event: impl FnOnce(Reply) -> Event,
        out: &mut Vec<Effect>,
    ) {
        match self.find(reply.agent, page) {
            Ok(session) => {
                self.used(now, reply.agent, &session);
                self.session_on(now, &session, event(reply), out);
            }
            Err(error) => out.push(Effect::Result { reply, result: Err(error) }),
        }
    }

    fn page_joined(&mut self, now: Millis, session: &SessionId, page: Conn, who: Newcomer, out: &mut Vec<Effect>) {
        if !self.sessions.contains_key(session) {
            self.make_room();
            let new = Session::new(session.clone(), who.origin.clone(), now, self.first_calls.draw());
            self.sessions.insert(session.clone(), new);
        }
        let replaced = self.sessions.get(session).and_then(Session::page);
        let url = who.info.url.clone();
        let seen_by = if who.driven { self.show_origin(session, &who.origin) } else { Vec::new() };
        let joined = Event::Joined { page, who, seen_by };
        self.renaming(session, |board| board.session_on(now, session, joined, out));
        if self.sessions.get(session).and_then(Session::page) == Some(page) {
            if let Some(old) = replaced {
                self.pages.remove(&old);
                self.topics.forget(old);
            }
            self.pages.insert(page, session.clone());
            self.known_changed = true;
            if replaced.is_none() {
                self.come_over(now, session, out);
            }
            if let Some(url) = url {
                self.arrive_elsewhere(now, session, &url, out);
            }
        }
    }

    /// A driven tab shows a document. If that is of another origin, agents whose tokens do not cover the origin stop
    /// following the tab. Returns the agents whose tokens do.
    fn show_origin(&mut self, session: &SessionId, origin: &str) -> Vec<Conn> {
        if self.sessions.get(session).is_none_or(|held| held.origin() == origin) {
            return Vec::new();
        }
        let sees = |agents: &FxHashMap<Conn, Agent>, agent: &Conn| {
            agents.get(agent).is_some_and(|known| known.scope.sees(origin))
        };
        for followers in [self.watchers.get_mut(session), self.members.get_mut(session)].into_iter().flatten() {
            followers.retain(|agent| sees(&self.agents, agent));
        }
        for known in self.agents.values_mut() {
            if known.joined.as_ref().is_some_and(|page| page.session == *session) && !known.scope.sees(origin) {
                known.joined = None;
            }
        }
        self.agents.keys().copied().filter(|agent| sees(&self.agents, agent)).collect()
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

    /// What is kept under a name. `None`: too many other names have results under way, so nothing is kept under this
    /// one.
    pub(crate) fn memory(&mut self, now: Millis, name: &str) -> Option<&mut Memory> {
        if self.memories.len() >= AGENT_NAMES_MAX && !self.memories.contains_key(name) {
            // Names that keep no results go first, then those that were idle longest.
            let idle = self.memories.iter().filter(|(_, memory)| !memory.shelf.is_awaited());
            let idlest = idle.min_by_key(|(_, memory)| (!memory.shelf.is_empty(), memory.seen_at));
            let idlest = idlest.map(|(name, _)| name.clone())?;
            let left = self.memories.remove(&idlest)?;
            self.budget.shelf_takes(left.shelf.bytes(), 0);
        }
        let memory = self.memories.entry(name.into()).or_default();
        memory.seen_at = now;
        Some(memory)
    }

    /// Notes when a session is to be woken, if that is earlier than noted.
    pub(crate) fn arm(&mut self, session: &SessionId) {
        let wake = self.sessions.get_mut(session).and_then(Session::arm);
        self.wakes.extend(wake.map(|at| Reverse((at, session.clone()))));
    }

    fn tick(&mut self, now: Millis, out: &mut Vec<Effect>) {
        while let Some(Reverse((at, _))) = self.wakes.peek()
            && *at <= now
        {
            let Some(Reverse((at, session))) = self.wakes.pop() else { break };
            if self.sessions.get_mut(&session).is_some_and(|held| held.disarm(at)) {
                let before = self.presence(&session);
                self.session_on(now, &session, Event::Tick, out);
                self.known_changed |= before != self.presence(&session);
                if before == Some(Presence::Connected) && self.presence(&session) != before {
                    self.pages.retain(|_, held| *held != session);
                }
            }
        }
        if self.shelves_wake.is_some_and(|at| at <= now) {
            let (mut before, mut after) = (0, 0);
            for memory in self.memories.values_mut() {
                before += memory.shelf.bytes();
                memory.shelf.tick(now, &mut self.deliveries);
                after += memory.shelf.bytes();
            }
            self.shelves_wake = None;
            let wake = self.memories.values().filter_map(|memory| memory.shelf.next_wake()).min();
            self.shelf_changed(wake, out);
            self.account_shelf(before, after);
        }
        for session in self.tools_news.due(now) {
            self.tell_tools(&session, out);
        }
        if self.remember_at.is_some_and(|at| at <= now) {
            self.remember_at = None;
            self.known_changed = true;
        }
        self.topics.tick(now);
        self.tick_lasting(now, out);
        self.tick_lookups(now, out);
        if now >= self.sweep_at {
            self.sweep_at = now + SWEEP_MS;
            self.sweep(now);
        }
    }

    pub(crate) fn change_agent(&mut self, agent: Conn, change: impl FnOnce(&mut Agent)) {
        if let Some(known) = self.agents.get_mut(&agent) {
            change(known);
        }
    }

    fn sweep(&mut self, now: Millis) {
        let over =
            |held: &&Session| !held.is_awaited() && held.gone_since().is_some_and(|at| now >= at + SESSION_KEPT_MS);
        let old: Vec<SessionId> = self.sessions.values().filter(over).map(|held| held.id().clone()).collect();
        for session in old {
            self.forget_session(&session);
        }
    }

    /// At the limit, forgets the session that has been without a page for longest.
    pub(crate) fn make_room(&mut self) {
        if self.sessions.len() < SESSIONS_MAX {
            return;
        }
        let idle = self.sessions.values().filter(|s| !s.is_awaited());
        let oldest = idle.filter_map(|s| Some((s.gone_since()?, s.id().clone()))).min();
        if let Some((_, id)) = oldest {
            self.forget_session(&id);
        }
    }
}
