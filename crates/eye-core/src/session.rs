//! One session: where its page is, which calls are under way, and how each of them ends. Exactly once.

mod about;
mod arriving;
mod expected;
mod expecting;
mod giving_up;
mod lasting;
mod lasts;
mod leaving;
mod moving;
mod offering;
mod page;
mod replies;
mod ticking;

use crate::calls::{Call, Calls, Phase};
use crate::effect::Effect;
use crate::heavy::Heavy;
use crate::ids::{CallId, Conn, Millis, earlier};
use crate::known::Known;
use crate::mailbox::Mailbox;
use crate::pace::Pace;
use crate::policy::Policy;
use crate::rate::Rate;
use crate::session_event::{Event, Outcome, SessionCall};
use crate::state::{Published, State};
use crate::task::{Asker, Task};
use crate::toolbox::Toolbox;
pub(crate) use expected::Wanted;
use expected::{Expecting, at_arrival};
use eye_protocol::limits::{
    CALL_TIMEOUT_DEFAULT_MS, CALL_TIMEOUT_MAX_MS, PAGE_CALLS_PER_S_MAX, PING_INTERVAL_MS, PING_TIMEOUT_MS,
    SESSION_CALLS_MAX, VERB_MARGIN_MS,
};
use eye_protocol::messages::{PageInfo, Presence};
use eye_protocol::scan::Pause;
use eye_protocol::{Ending, Error, SessionId, Value, tools};
use lasts::Lasts;
pub(crate) use replies::answer_page;
use replies::arrival;
pub(crate) use replies::shut_down;
use std::sync::Arc;

/// The rate limit of every page.
const PAGE_RATE_MAX: Rate = Rate { per_s: PAGE_CALLS_PER_S_MAX, burst: SESSION_CALLS_MAX };

/// The page of a session as the hub knows it, with the times that its presence depends on.
#[derive(Debug, PartialEq, Eq)]
enum PageStatus {
    Connected {
        page: Conn,
        alive_at: Millis,
        pinged_at: Option<Millis>,
    },
    /// `recalled`: known only from the hub's earlier run.
    Away {
        until: Millis,
        recalled: bool,
    },
    Gone {
        since: Millis,
    },
}

/// One session. It outlives reloads and reconnects of its page.
#[derive(Debug)]
pub struct Session {
    id: SessionId,
    origin: Arc<str>,
    info: PageInfo,
    policy: Policy,
    /// The name that a person gave the page.
    given_name: Option<Box<str>>,
    /// `None`: the page sent none, and is taken to have everything that its tools need.
    capabilities: Option<Vec<String>>,
    toolbox: Toolbox,
    pub(crate) published: Published,
    mailbox: Mailbox,
    status: PageStatus,
    calls: Calls,
    pace: Pace,
    made_at: Millis,
    used_at: Millis,
    /// When an agent last called, and the agent's name; unset until then.
    asked_at: Option<Millis>,
    asked_by: Box<str>,
    /// The wake that the switchboard has noted.
    armed_at: Option<Millis>,
    /// The page has joined but has sent no title yet: it has just begun to load. Calls that navigated here wait for the
    /// title.
    arriving: bool,
    /// Its page is a document of a tab that the hub drives: the session is the tab's, and its origin changes with the
    /// document.
    driven: bool,
    working: bool,
    /// What is expected of its page, and the requests that wait for it.
    expecting: Expecting,
    lasts: Lasts,
    /// The bytes that the budget has counted for the session: all of it, and its tools.
    pub(crate) accounted: (usize, usize),
}

impl Heavy for Session {
    fn free(mut self: Box<Self>, pause: Pause) {
        if let Some(document) = self.published.state.as_mut().and_then(State::drop_document) {
            Box::new(document).free(pause);
        }
    }
}

impl Session {
    /// A session without a page yet; its first event should be [`Event::Joined`]. Its calls are numbered from after
    /// `before_first_call`.
    pub fn new(id: SessionId, origin: Arc<str>, now: Millis, before_first_call: CallId) -> Self {
        Self {
            id,
            origin,
            info: PageInfo::default(),
            policy: Policy::default(),
            given_name: None,
            capabilities: None,
            toolbox: Toolbox::default(),
            published: Published::default(),
            mailbox: Mailbox::default(),
            status: PageStatus::Gone { since: now },
            calls: Calls::after(before_first_call),
            pace: Pace::default(),
            made_at: now,
            used_at: now,
            asked_at: None,
            asked_by: Box::default(),
            armed_at: None,
            arriving: false,
            driven: false,
            working: false,
            expecting: Expecting::default(),
            lasts: Lasts::default(),
            accounted: (0, 0),
        }
    }

    /// A session that a restarted hub knows from before: its page is expected back.
    pub fn recalled(known: Known, now: Millis, until: Millis, before_first_call: CallId) -> Self {
        let Known { id, origin, info, tools, state, name: _ } = known;
        let info = PageInfo { leaving: None, dialog: None, loading: None, ..info };
        let expecting = Expecting::recalled(tools, state);
        let new = Self::new(id, origin, now, before_first_call);
        Self { info, expecting, status: PageStatus::Away { until, recalled: true }, ..new }
    }

    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// The origin that holds the session.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The origin as a shared string.
    pub fn shared_origin(&self) -> &Arc<str> {
        &self.origin
    }

    /// Whether its page is a document of a tab that the hub drives.
    pub fn is_driven(&self) -> bool {
        self.driven
    }

    pub fn info(&self) -> &PageInfo {
        &self.info
    }

    /// The connection of its page.
    pub fn page(&self) -> Option<Conn> {
        match self.status {
            PageStatus::Connected { page, .. } => Some(page),
            PageStatus::Away { .. } | PageStatus::Gone { .. } => None,
        }
    }

    pub fn presence(&self) -> Presence {
        match self.status {
            PageStatus::Connected { .. } => Presence::Connected,
            PageStatus::Away { .. } => Presence::Away,
            PageStatus::Gone { .. } => Presence::Gone,
        }
    }

    /// Whether it is known only from the hub's earlier run, and its page has not come back.
    pub fn is_recalled(&self) -> bool {
        matches!(self.status, PageStatus::Away { recalled: true, .. })
    }

    /// Since when it is without a page.
    pub fn gone_since(&self) -> Option<Millis> {
        match self.status {
            PageStatus::Gone { since } => Some(since),
            PageStatus::Connected { .. } | PageStatus::Away { .. } => None,
        }
    }

    /// When it was last called or joined.
    pub fn used_at(&self) -> Millis {
        self.used_at
    }

    /// When an agent last called, and the agent's name.
    pub fn last_asked(&self) -> Option<(Millis, &str)> {
        self.asked_at.map(|at| (at, &*self.asked_by))
    }

    /// Notes a call by the agent of this name.
    pub fn note_asked(&mut self, now: Millis, by: &str) {
        self.asked_at = Some(now);
        // Nearly always the same agent.
        if &*self.asked_by != by {
            self.asked_by = by.into();
        }
    }

    /// Calls that have not ended.
    pub fn pending(&self) -> usize {
        self.calls.len() + self.expecting.waiting()
    }

    /// Whether anything waits for it: a call, an agent that reads its mail, or inputs behind its work.
    pub(crate) fn is_awaited(&self) -> bool {
        self.pending() > 0 || self.working || self.mailbox.next_wake().is_some()
    }

    pub fn made_at(&self) -> Millis {
        self.made_at
    }

    pub fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// The capabilities of its page, if the page sent them.
    pub(crate) fn capabilities(&self) -> Option<&[String]> {
        self.capabilities.as_deref()
    }

    /// Whether it shares a topic with pages of other origins.
    pub(crate) fn shares(&self, topic: &str) -> bool {
        self.policy.shares(topic)
    }

    /// The topics that it shares with pages of other origins.
    pub(crate) fn shared(&self) -> impl Iterator<Item = &str> {
        self.policy.topics.iter().map(|pattern| &**pattern)
    }

    /// Whether the policy for its origin asks for confirmation.
    pub(crate) fn confirm(&self) -> bool {
        self.policy.confirm
    }

    /// Whether its site is denied to agents.
    pub(crate) fn is_denied(&self) -> bool {
        self.policy.denied
    }

    pub(crate) fn eval_allowed(&self) -> bool {
        self.policy.eval_allowed
    }

    pub(crate) fn calls(&mut self) -> &mut Calls {
        &mut self.calls
    }

    /// Bytes of the tasks that wait for its page to come back.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.calls.waiting_bytes()
    }

    /// Whether its page evaluates code.
    pub fn evaluates(&self) -> bool {
        self.policy.eval_allowed && self.info.eval != Some(false)
    }

    /// Whether a call navigated to this URL and still waits for its page.
    pub fn navigates_to(&self, url: &str) -> bool {
        self.page().is_none()
            && !self
                .calls
                .keys_where(|call| matches!(&call.phase, Phase::Navigating { url: to, .. } if to == url))
                .is_empty()
    }

    /// When [`Event::Tick`] is due next.
    pub fn next_wake(&mut self) -> Option<Millis> {
        let own = match self.status {
            PageStatus::Connected { alive_at, pinged_at: None, .. } => Some(alive_at + PING_INTERVAL_MS),
            PageStatus::Connected { pinged_at: Some(at), .. } => Some(at + PING_TIMEOUT_MS),
            PageStatus::Away { until, .. } => Some(until),
            PageStatus::Gone { .. } => None,
        };
        let own = if self.info.dialog.is_some() { None } else { own };
        let expected = self.expecting_wake();
        [expected, self.calls.next_deadline(), self.mailbox.next_wake()].into_iter().fold(own, earlier)
    }

    /// Notes the next wake, and returns it if it is earlier than the one noted.
    pub(crate) fn arm(&mut self) -> Option<Millis> {
        let at = self.next_wake()?;
        if self.armed_at.is_some_and(|armed| armed <= at) {
            return None;
        }
        self.armed_at = Some(at);
        self.armed_at
    }

    /// The same where nothing but the deadline of a new call is new.
    pub(crate) fn arm_for(&mut self, deadline: Millis) -> Option<Millis> {
        if self.armed_at.is_some_and(|armed| armed <= deadline) { None } else { self.arm() }
    }

    /// The noted wake has come. `false`: another one is noted.
    pub(crate) fn disarm(&mut self, at: Millis) -> bool {
        self.armed_at.take_if(|armed| *armed == at).is_some()
    }

    /// Handles an event, and appends what follows.
    pub(crate) fn on(&mut self, now: Millis, event: Event, out: &mut Vec<Outcome>) {
        match event {
            Event::Joined { page, who, seen_by } => self.join(now, page, who, &seen_by, out),
            Event::Page { page, event, given } => self.on_page(now, page, event, given, out),
            Event::ArrivedElsewhere { info } => {
                self.arrived_elsewhere(now);
                for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Navigating { .. })) {
                    self.end(key, Ok(arrival(&info)), out);
                }
            }
            Event::Worked { done, then, room_bytes } => {
                self.working = false;
                self.worked(now, done, then, room_bytes, out);
            }
            Event::GivenAway { claim } => self.give_away(now, claim, out),
            Event::TakenOver(handover) => self.take_over(now, *handover, out),
            Event::StateDue => self.give_state(now, out),
            Event::Recalled { found, letters } => {
                self.take_recalled(now, found.map(|found| *found), letters, out);
            }
            Event::SnapshotsWanted { reply } => self.list_snapshots(reply, out),
            Event::StateWanted { reply, fresh, query } => self.want_state(now, reply, fresh, query, out),
            Event::MailWanted { reply, timeout_ms } => self.mailbox.read(now, reply, timeout_ms, out),
            Event::Cancelled { reply } => self.cancel(&reply, out),
            Event::AgentLeft { agent, error } => self.agent_left(agent, error.as_ref(), out),
            Event::Tick => self.tick(now, out),
            Event::Shutdown => {
                let error = shut_down();
                for key in self.calls.keys_where(|_| true) {
                    self.abort(key, out);
                    self.end(key, Err(error.clone()), out);
                }
                self.mailbox.shut_down(out);
                self.stop_expecting(&error, out);
                self.give_last_state(now, out);
            }
        }
    }

    /// Handles the answer of a page to a call.
    pub(crate) fn answered(&mut self, now: Millis, page: Conn, call: CallId, ending: Ending, out: &mut Vec<Outcome>) {
        if !self.note_alive(now, page) {
            return;
        }
        // A late answer has no waiter: its deadline already replied for it.
        let Some(known) = self.calls.get_mut(call) else { return };
        let ending = ending.map_err(Error::of_page);
        if matches!(known.asker, Asker::State { .. }) {
            self.page_answered_state(now, call, ending, out);
            return;
        }
        let rendered = match ending {
            // Bytes stay bytes: how an agent receives them is up to its dialect.
            Ok(Value::Bytes(mut bytes)) => {
                bytes.origin = self.origin.to_string();
                Ok(Value::Bytes(bytes))
            }
            Ok(value) if known.tool => Ok(Value::Json(tools::result(&value, &self.origin))),
            other => other,
        };
        self.end(call, rendered, out);
    }

    /// Bytes kept for the session, by estimate.
    pub(crate) fn kept_bytes(&self) -> usize {
        let state = self.published.state.as_ref().map_or(0, State::parsed_bytes);
        state + self.published.snapshots.bytes() + self.mailbox.bytes() + self.toolbox.parsed_bytes()
    }

    pub(crate) fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    pub(crate) fn mailbox_mut(&mut self) -> &mut Mailbox {
        &mut self.mailbox
    }

    /// Handles an agent's call. Returns its deadline, if it waits for one. It is no event, because events are large and
    /// are copied.
    pub(crate) fn ask(&mut self, now: Millis, call: SessionCall, out: &mut Vec<Outcome>) -> Option<Millis> {
        let SessionCall { asker, mut task, timeout_ms, unfit } = call;
        self.used_at = now;
        let in_pace = self.pace.take(now, 1, PAGE_RATE_MAX).is_ok();
        let if_revision = task.terms().if_revision;
        let over = self.is_over().then(shut_down);
        let refused =
            over.or_else(|| self.refusal(now, &task, unfit, in_pace)).or_else(|| self.at_revision(&mut task).err());
        if let Some(error) = refused {
            out.push(Outcome::Ended { asker, ending: Err(error), asked_at: now, delta: None });
            return None;
        }
        let (own_ms, margin_ms) = match &task {
            Task::Eval { .. } | Task::State => (None, 0),
            Task::Tool { name, .. } => (self.toolbox.get(name).ok().and_then(|tool| tool.timeout_ms), 0),
            Task::Verb { .. } if asker.is_frame() => (None, 0),
            // The page enforces the timeout itself, and answers with what it has by then.
            Task::Verb { .. } => (None, VERB_MARGIN_MS),
        };
        let timeout_ms = timeout_ms.or(own_ms).unwrap_or(CALL_TIMEOUT_DEFAULT_MS).min(CALL_TIMEOUT_MAX_MS);
        let deadline = now.saturating_add(timeout_ms + margin_ms);
        let tool = matches!(task, Task::Tool { .. });
        let delta_since = task.terms().delta.then(|| self.published.state.as_ref().map_or(0, State::revision));
        let again = task.may_run_again().then(|| Box::new(task.clone()));
        let fired = matches!(asker, Asker::Fired { .. });
        let arrival = at_arrival(&task).map(Box::new);
        let call =
            |phase| Call { asker, asked_at: now, deadline, tool, delta_since, if_revision, again, arrival, phase };
        match self.status {
            PageStatus::Connected { page, .. } if fired => {
                out.push(Outcome::Effect(Effect::Send { page, call: None, task }));
                return None;
            }
            PageStatus::Connected { .. } if self.is_leaving(now) => {
                self.calls.add(call(Phase::Waiting(task)));
            }
            PageStatus::Connected { page, .. } => {
                let call = self.calls.add(call(Phase::Sent));
                out.push(Outcome::Effect(Effect::Send { page, call: Some(call), task }));
            }
            PageStatus::Away { .. } | PageStatus::Gone { .. } => {
                self.calls.add(call(Phase::Waiting(task)));
            }
        }
        Some(deadline)
    }

    /// Whether its page may be sent one more call now.
    pub(crate) fn has_pace(&self, now: Millis) -> bool {
        self.pace.has_room(now, 1, PAGE_RATE_MAX)
    }

    /// Adds a call of code that is sent to the page now.
    pub(crate) fn add_code(&mut self, now: Millis, asker: Asker, deadline: Millis) -> CallId {
        self.used_at = now;
        // There is room: the caller has looked.
        let _ = self.pace.take(now, 1, PAGE_RATE_MAX);
        self.calls.add(Call::sent(asker, now, deadline))
    }

    pub(crate) fn end(&mut self, key: CallId, ending: Ending, out: &mut Vec<Outcome>) {
        if let Some(call) = self.calls.remove(key) {
            if let Asker::State { reply, query } = call.asker {
                // Whatever kept the page from answering, what is known is sent instead.
                self.tell_known_state(call.asked_at, reply, query, out);
                return;
            }
            let ending = self.conflicting(call.if_revision, ending);
            let state = self.published.state.as_ref().filter(|_| ending.is_ok());
            let delta = call.delta_since.zip(state).and_then(|(since, state)| state.delta(since));
            out.push(Outcome::Ended { asker: call.asker, ending, asked_at: call.asked_at, delta });
        }
    }

    /// Notes that the page's own code did something. `false`: the connection is no longer this session's page.
    pub(crate) fn note_alive(&mut self, now: Millis, from: Conn) -> bool {
        match &mut self.status {
            PageStatus::Connected { page, alive_at, .. } if *page == from => {
                *alive_at = now;
                true
            }
            PageStatus::Connected { .. } | PageStatus::Away { .. } | PageStatus::Gone { .. } => false,
        }
    }
}
