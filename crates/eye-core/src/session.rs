//! One session: where its page is, which calls are under way, and how each of them ends. Exactly once.

use crate::calls::{Call, Calls, Phase};
use crate::event::{Asker, Conn, Effect, Millis, Reply, Source};
use eye_protocol::close::Close;
use eye_protocol::limits::{
    GRACE_MS, NAVIGATION_MS, PAGE_TEXT_BYTES_MAX, PING_INTERVAL_MS, PING_TIMEOUT_MS, SESSION_CALLS_MAX,
    SESSION_WAITING_BYTES_MAX, TITLE_MS,
};
use eye_protocol::messages::{PageInfo, Presence};
use eye_protocol::{Code, Ending, Error, SessionId, Value};

/// What happens to one session.
#[derive(Debug)]
pub enum Event {
    /// A page claims the session.
    Joined {
        /// Its connection.
        page: Conn,
        /// Who it is.
        who: Newcomer,
    },
    /// The page is gone: its connection closed, or its document went away.
    Left {
        /// Its connection.
        page: Conn,
    },
    /// The page tells what changed about it.
    Changed {
        /// Its connection.
        page: Conn,
        /// Only what changed.
        info: PageInfo,
    },
    /// The page's code gave a sign of life.
    Alive {
        /// Its connection.
        page: Conn,
    },
    /// A call made the page navigate.
    Navigating {
        /// Its connection.
        page: Conn,
        /// The call.
        call: u32,
        /// Where it goes.
        url: String,
    },
    /// The page answered.
    Answered {
        /// Its connection.
        page: Conn,
        /// The call.
        call: u32,
        /// How it ended.
        ending: Ending,
    },
    /// A call that navigated away from this session's origin arrived under another session.
    ArrivedElsewhere {
        /// What the page there says of itself.
        info: PageInfo,
    },
    /// Somebody asks the page.
    Asked {
        /// Who waits for the answer.
        asker: Asker,
        /// What to evaluate.
        source: Source,
        /// How long it may take.
        timeout_ms: u64,
    },
    /// Whoever asked no longer wants the answer.
    Cancelled {
        /// Who.
        reply: Reply,
    },
    /// An agent's connection closed.
    AgentLeft {
        /// Its connection.
        agent: Conn,
    },
    /// Time has passed.
    Tick,
    /// The hub is about to end.
    Shutdown,
}

/// What follows from it. Endings go through the switchboard, which knows shelves and order.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Passes out as it is.
    Effect(Effect),
    /// A call ended.
    Ended {
        /// Who waits for it.
        asker: Asker,
        /// How it ended.
        ending: Ending,
    },
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    Connected { page: Conn, heard_at: Millis, pinged_at: Option<Millis> },
    Away { until: Millis },
    Gone { since: Millis },
}

/// A page that claims a session, as the gate let it in.
#[derive(Debug)]
pub struct Newcomer {
    /// Where its document comes from.
    pub origin: Box<str>,
    /// What it says of itself.
    pub info: PageInfo,
    /// Whether the policy for its origin allows `eval`.
    pub eval_allowed: bool,
}

/// One session. It outlives reloads and reconnects of its page.
#[derive(Debug)]
pub struct Session {
    id: SessionId,
    origin: Box<str>,
    info: PageInfo,
    eval_allowed: bool,
    place: Place,
    calls: Calls,
    used_at: Millis,
    /// The page has joined but told no title yet: it has just begun to load. Calls that navigated here wait for it.
    arriving: bool,
}

impl Session {
    /// A session without a page yet; its first event should be [`Event::Joined`].
    pub fn new(id: SessionId, origin: Box<str>, now: Millis) -> Self {
        Self {
            id,
            origin,
            info: PageInfo::default(),
            eval_allowed: true,
            place: Place::Gone { since: now },
            calls: Calls::default(),
            used_at: now,
            arriving: false,
        }
    }

    /// A session that a restarted hub knows from before: its page is expected back.
    pub fn recalled(id: SessionId, origin: Box<str>, info: PageInfo, now: Millis, until: Millis) -> Self {
        Self { info, place: Place::Away { until }, ..Self::new(id, origin, now) }
    }

    /// Its id.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// The origin that holds it.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// What its page says of itself.
    pub fn info(&self) -> &PageInfo {
        &self.info
    }

    /// The connection of its page.
    pub fn page(&self) -> Option<Conn> {
        match self.place {
            Place::Connected { page, .. } => Some(page),
            Place::Away { .. } | Place::Gone { .. } => None,
        }
    }

    /// Where its page is.
    pub fn presence(&self) -> Presence {
        match self.place {
            Place::Connected { .. } => Presence::Connected,
            Place::Away { .. } => Presence::Away,
            Place::Gone { .. } => Presence::Gone,
        }
    }

    /// Since when it is without a page.
    pub fn gone_since(&self) -> Option<Millis> {
        match self.place {
            Place::Gone { since } => Some(since),
            Place::Connected { .. } | Place::Away { .. } => None,
        }
    }

    /// When it was last asked or joined.
    pub fn used_at(&self) -> Millis {
        self.used_at
    }

    /// Calls that have not ended.
    pub fn pending(&self) -> usize {
        self.calls.len()
    }

    /// Whether its page evaluates code.
    pub fn evaluates(&self) -> bool {
        self.eval_allowed && self.info.eval != Some(false)
    }

    /// Whether a call that navigated goes to this URL and still waits for its page.
    pub fn navigates_to(&self, url: &str) -> bool {
        self.page().is_none()
            && !self
                .calls
                .keys_where(|call| matches!(&call.phase, Phase::Navigating { url: to } if to == url))
                .is_empty()
    }

    /// When it next wants an [`Event::Tick`].
    pub fn next_wake(&mut self) -> Option<Millis> {
        let own = match self.place {
            Place::Connected { heard_at, pinged_at: None, .. } => Some(heard_at + PING_INTERVAL_MS),
            Place::Connected { pinged_at: Some(at), .. } => Some(at + PING_TIMEOUT_MS),
            Place::Away { until } => Some(until),
            Place::Gone { .. } => None,
        };
        match (own, self.calls.next_deadline()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The heart: what happened, and what follows.
    pub fn on(&mut self, now: Millis, event: Event, out: &mut Vec<Outcome>) {
        match event {
            Event::Joined { page, who } => self.join(now, page, who, out),
            Event::Left { page } => {
                if self.page() == Some(page) {
                    self.lose_page(now, "the page left before it answered", out);
                }
            }
            Event::Changed { page, info } => {
                if self.hear(now, page) {
                    self.merge(info);
                    self.arrive(out);
                }
            }
            Event::Alive { page } => {
                if self.hear(now, page) {
                    self.place = Place::Connected { page, heard_at: now, pinged_at: None };
                }
            }
            Event::Navigating { page, call, url } => {
                if self.hear(now, page)
                    && let Some(known) = self.calls.get_mut(call)
                    && matches!(known.phase, Phase::Sent)
                {
                    known.phase = Phase::Navigating { url };
                    self.calls.postpone(call, now + NAVIGATION_MS);
                }
            }
            Event::Answered { page, call, ending } => {
                // A late answer has no waiter: its deadline already replied for it.
                if self.hear(now, page)
                    && let Some(known) = self.calls.remove(call)
                {
                    out.push(Outcome::Ended { asker: known.asker, ending });
                }
            }
            Event::ArrivedElsewhere { info } => {
                for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Navigating { .. })) {
                    self.end(key, Ok(arrival(&info)), out);
                }
            }
            Event::Asked { asker, source, timeout_ms } => self.ask(now, asker, source, timeout_ms, out),
            Event::Cancelled { reply } => {
                let keys = self.calls.keys_where(|call| call.asker == Asker::Agent(reply.clone()));
                // An id used twice means the latest.
                if let Some(key) = keys.last() {
                    self.abort(*key, out);
                    self.end(*key, Err(Error::new(Code::CANCELLED, "cancelled")), out);
                }
            }
            Event::AgentLeft { agent } => {
                for key in self.calls.keys_where(|call| matches!(&call.asker, Asker::Agent(r) if r.agent == agent)) {
                    self.abort(key, out);
                    self.calls.remove(key);
                }
            }
            Event::Tick => self.tick(now, out),
            Event::Shutdown => {
                for key in self.calls.keys_where(|_| true) {
                    let error = Error::new(Code::CONNECTION, "the hub shut down before the page answered");
                    self.abort(key, out);
                    self.end(key, Err(error.hint("ask again; a hub starts by itself")), out);
                }
            }
        }
    }

    fn join(&mut self, now: Millis, page: Conn, who: Newcomer, out: &mut Vec<Outcome>) {
        let Newcomer { origin, info, eval_allowed } = who;
        match self.place {
            Place::Connected { .. } | Place::Away { .. } if self.origin != origin => {
                out.push(Outcome::Effect(Effect::Close { conn: page, close: Close::foreign_session() }));
                return;
            }
            Place::Connected { page: old, .. } => {
                self.lose_page(now, "another page took over the session before this one answered", out);
                out.push(Outcome::Effect(Effect::Replaced { page: old }));
                out.push(Outcome::Effect(Effect::Close { conn: old, close: Close::taken_over() }));
            }
            Place::Away { .. } | Place::Gone { .. } => {}
        }
        self.origin = origin;
        self.info = PageInfo::default();
        self.merge(info);
        self.eval_allowed = eval_allowed;
        self.place = Place::Connected { page, heard_at: now, pinged_at: None };
        self.used_at = now;
        self.arriving = true;
        self.arrive(out);
        if self.arriving {
            for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Navigating { .. })) {
                self.calls.postpone(key, now + TITLE_MS);
            }
        }
        while let Some((key, source)) = self.calls.next_waiting() {
            let fired = self.calls.get_mut(key).is_some_and(|call| call.asker == Asker::Nobody);
            if fired {
                self.calls.remove(key);
            }
            out.push(Outcome::Effect(Effect::Eval { page, call: (!fired).then_some(key), source }));
        }
    }

    /// Ends what navigated here, once the page has a title to tell.
    fn arrive(&mut self, out: &mut Vec<Outcome>) {
        if !self.arriving || self.info.title.as_deref().unwrap_or("").is_empty() {
            return;
        }
        self.arriving = false;
        for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Navigating { .. })) {
            let there = arrival(&self.info);
            self.end(key, Ok(there), out);
        }
    }

    fn lose_page(&mut self, now: Millis, why: &str, out: &mut Vec<Outcome>) {
        self.place = Place::Away { until: now + GRACE_MS };
        self.arriving = false;
        for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Sent)) {
            let error = Error::new(Code::CONNECTION, why)
                .hint("the code may have run; look before you repeat it. The session waits for the page to come back");
            self.end(key, Err(error), out);
        }
    }

    fn ask(&mut self, now: Millis, asker: Asker, source: Source, timeout_ms: u64, out: &mut Vec<Outcome>) {
        self.used_at = now;
        let refusal = self.refusal(now, &source);
        if let Some(error) = refusal {
            out.push(Outcome::Ended { asker, ending: Err(error) });
            return;
        }
        let deadline = now.saturating_add(timeout_ms);
        match self.place {
            Place::Connected { page, .. } if asker == Asker::Nobody => {
                out.push(Outcome::Effect(Effect::Eval { page, call: None, source }));
            }
            Place::Connected { page, .. } => {
                let call = self.calls.add(Call { asker, deadline, phase: Phase::Sent });
                out.push(Outcome::Effect(Effect::Eval { page, call: Some(call), source }));
            }
            Place::Away { .. } | Place::Gone { .. } => {
                self.calls.add(Call { asker, deadline, phase: Phase::Waiting(source) });
            }
        }
    }

    fn refusal(&self, now: Millis, source: &Source) -> Option<Error> {
        let name = self.name();
        if let Place::Gone { since } = self.place {
            let ago_s = now.saturating_sub(since) / 1000;
            return Some(
                Error::new(Code::SESSION, format!("the page {name} left {ago_s} s ago"))
                    .hint("open it again, or choose another one: `eye pages`"),
            );
        }
        if !self.eval_allowed {
            return Some(
                Error::new(Code::DENIED, format!("code may not be evaluated in pages of {}", self.origin))
                    .hint(format!("allow it with `eye allow {}`", self.origin)),
            );
        }
        if self.info.eval == Some(false) {
            let why = self.info.eval_blocked.as_deref().unwrap_or("the page refuses");
            return Some(
                Error::new(Code::DENIED, format!("the page {name} does not evaluate code ({why})"))
                    .hint("let its Content-Security-Policy or its author allow it"),
            );
        }
        if self.calls.len() >= SESSION_CALLS_MAX {
            return Some(
                Error::new(Code::CONNECTION, format!("{SESSION_CALLS_MAX} calls are already under way in {name}"))
                    .hint("wait for some of them to end"),
            );
        }
        if self.calls.waiting_bytes() + source.code.len() > SESSION_WAITING_BYTES_MAX {
            return Some(Error::new(Code::CONNECTION, format!("too much code already waits for {name} to come back")));
        }
        None
    }

    fn tick(&mut self, now: Millis, out: &mut Vec<Outcome>) {
        while let Some(key) = self.calls.due(now) {
            let Some(call) = self.calls.get_mut(key) else { continue };
            let ending = match &call.phase {
                Phase::Navigating { .. } if self.arriving => Ok(arrival(&self.info)),
                Phase::Navigating { url } => Ok(Value::Rendering(format!(
                    "navigated to {url}, which does not load eye.js (or is still loading)"
                ))),
                Phase::Sent => Err(Error::new(Code::TIMEOUT, "no answer within the timeout").hint(
                    "the page may be busy, frozen or waiting for something; raise --timeout, or look at the page",
                )),
                Phase::Waiting(_) => Err(self.absence()),
            };
            self.abort(key, out);
            self.end(key, ending, out);
        }
        match self.place {
            Place::Connected { page, heard_at, pinged_at: None } if now >= heard_at + PING_INTERVAL_MS => {
                self.place = Place::Connected { page, heard_at, pinged_at: Some(now) };
                out.push(Outcome::Effect(Effect::Ping { page }));
            }
            Place::Connected { page, heard_at, pinged_at: Some(at) }
                if now >= at + PING_TIMEOUT_MS && heard_at > at =>
            {
                // It answered calls, if not the ping: its code runs.
                self.place = Place::Connected { page, heard_at, pinged_at: None };
            }
            Place::Connected { page, pinged_at: Some(at), .. } if now >= at + PING_TIMEOUT_MS => {
                self.lose_page(now, "the page answered no ping", out);
                out.push(Outcome::Effect(Effect::Close { conn: page, close: Close::lifeless() }));
            }
            Place::Away { until } if now >= until => {
                self.place = Place::Gone { since: now };
                for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Waiting(_))) {
                    let error = self.absence();
                    self.end(key, Err(error), out);
                }
            }
            Place::Connected { .. } | Place::Away { .. } | Place::Gone { .. } => {}
        }
    }

    fn absence(&self) -> Error {
        Error::new(Code::SESSION, format!("the page {} has not come back", self.name()))
            .hint("open it again, or choose another one: `eye pages`")
    }

    fn abort(&mut self, key: u32, out: &mut Vec<Outcome>) {
        if let (Some(page), Some(call)) = (self.page(), self.calls.get_mut(key))
            && matches!(call.phase, Phase::Sent)
        {
            out.push(Outcome::Effect(Effect::Abort { page, call: key }));
        }
    }

    fn end(&mut self, key: u32, ending: Ending, out: &mut Vec<Outcome>) {
        if let Some(call) = self.calls.remove(key) {
            out.push(Outcome::Ended { asker: call.asker, ending });
        }
    }

    /// Notes that the page's own code did something. `false`: it is not this session's page any more.
    fn hear(&mut self, now: Millis, from: Conn) -> bool {
        match &mut self.place {
            Place::Connected { page, heard_at, .. } if *page == from => {
                *heard_at = now;
                true
            }
            Place::Connected { .. } | Place::Away { .. } | Place::Gone { .. } => false,
        }
    }

    fn merge(&mut self, news: PageInfo) {
        let PageInfo { title, url, alias, visible, frame, eval, eval_blocked } = news;
        let cut = |text: String| cut_to(text, PAGE_TEXT_BYTES_MAX);
        let info = &mut self.info;
        info.title = title.map(cut).or(info.title.take());
        info.url = url.map(cut).or(info.url.take());
        info.alias = alias.map(cut).filter(|alias| !alias.is_empty()).or(info.alias.take());
        info.visible = visible.or(info.visible);
        info.frame = frame.or(info.frame);
        info.eval = eval.or(info.eval);
        info.eval_blocked = eval_blocked.map(cut).or(info.eval_blocked.take());
    }

    /// What a person would call it.
    pub fn name(&self) -> String {
        match &self.info.alias {
            Some(alias) => alias.clone(),
            None => self.id.to_string(),
        }
    }
}

fn arrival(info: &PageInfo) -> Value {
    let title = info.title.as_deref().unwrap_or("");
    let url = info.url.as_deref().unwrap_or("");
    Value::Rendering(format!("{title} {url}").trim().to_owned())
}

fn cut_to(mut text: String, bytes_max: usize) -> String {
    if text.len() > bytes_max {
        let end = (0..=bytes_max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}
