//! Publish and subscribe: messages of pages and agents under topics, and which connections and hubs receive them.

use crate::effect::Effect;
use crate::elsewhere::{Audience, HeardBy, HubInterests, TopicMessage};
use crate::ids::{Conn, Millis};
use crate::opaque::opaque;
use crate::session::Session;
use crate::switchboard::Switchboard;
use crate::task::{Reply, ReplyForm};
use crate::topics::{Publication, Waiting};
use eye_protocol::limits::{
    MAILBOX_TOPIC, NAME_BYTES_MAX, OWN_TOPIC_PREFIX, TOPIC_BYTES_MAX, TOPIC_WAIT_DEFAULT_MS, TOPIC_WAIT_MAX_MS,
};
use eye_protocol::rpc::{RpcId, json};
use eye_protocol::scope::Scope;
use eye_protocol::topics::{Message, Publish};
use eye_protocol::{Code, Error, SessionId};
use serde_json::value::RawValue;
use std::sync::Arc;

/// Stands for a publisher at another hub, which has no connection here.
const ELSEWHERE: Conn = Conn(u64::MAX);

fn check(topic: &str) -> Result<(), Error> {
    if topic.is_empty() || topic.len() > TOPIC_BYTES_MAX || topic.chars().any(char::is_control) {
        let message = format!("a topic is 1 to {TOPIC_BYTES_MAX} bytes without control characters");
        return Err(Error::new(Code::PARAMS, message));
    }
    Ok(())
}

impl Switchboard {
    /// Publishes a message to all subscribers, or queues it for the first one.
    pub(crate) fn publish(
        &mut self,
        now: Millis,
        conn: Conn,
        message: &Publish,
        wall_ms: u64,
        out: &mut Vec<Effect>,
    ) -> Result<String, Error> {
        check(&message.topic)?;
        let page = self.page(conn);
        let from = match page {
            Some(page) => self.sender_name(page),
            None => self.agents.get(&conn).map(|agent| opaque(self.names_key, &agent.name)).unwrap_or_default(),
        };
        let origin = page.map(Session::origin);
        let own_word = message.own_word.as_deref();
        if own_word.is_some_and(|word| word.len() > NAME_BYTES_MAX) {
            return Err(Error::new(Code::PARAMS, format!("`as` is longer than {NAME_BYTES_MAX} bytes")));
        }
        let (topic, body) = (message.topic.as_str(), &*message.message);
        let params: Arc<str> =
            json(&Message { topic, message: body, from: &from, own_word, origin, time: wall_ms }).into();
        let audience = self.audience(conn, message);
        let scope = self.agents.get(&conn).map(|agent| agent.scope.clone()).unwrap_or_default();
        let mut listeners = self.topics.listeners(topic, conn);
        listeners.retain(|to| audience.holds(topic, self.page(*to)) && self.reaches(&scope, origin, *to));
        // Messages under our own prefix stay at this hub: each hub keeps the mail of its own pages.
        let is_own = topic.starts_with(OWN_TOPIC_PREFIX);
        let publication = Publication { topic, audience: &audience, origin, scope: &scope };
        let hubs = if is_own { Vec::new() } else { self.topics.hubs(publication) };
        if !listeners.is_empty() || !hubs.is_empty() {
            let count = listeners.len() + hubs.len();
            out.extend(listeners.into_iter().map(|conn| Effect::Message { conn, params: params.clone() }));
            if !hubs.is_empty() {
                let (topic, origin) = (topic.into(), origin.map(Into::into));
                let message = TopicMessage { topic, params, origin, scope, audience, wait_ms: 0 };
                out.push(Effect::PublishElsewhere { hubs, message: Box::new(message) });
            }
            return Ok(format!(r#"{{"status":"delivered","count":{count}}}"#));
        }
        let dropped = |reason| format!(r#"{{"status":"dropped","reason":"{reason}"}}"#);
        if message.queue == Some(false) {
            return Ok(dropped("no subscribers"));
        }
        let until = now.saturating_add(message.timeout.unwrap_or(TOPIC_WAIT_DEFAULT_MS).min(TOPIC_WAIT_MAX_MS));
        let origin = origin.map(Into::into);
        let topic = topic.into();
        let waiting = Waiting { topic, params, publisher: conn, origin, scope, audience };
        Ok(match self.topics.queue(until, waiting) {
            Ok(()) => r#"{"status":"queued","reason":"no subscribers"}"#.into(),
            Err(reason) => dropped(reason),
        })
    }

    /// Delivers a message that was published at another hub, which knew of a listener here.
    pub(crate) fn published_elsewhere(&mut self, now: Millis, message: TopicMessage, out: &mut Vec<Effect>) {
        let TopicMessage { topic, params, origin, scope, audience, wait_ms } = message;
        if check(&topic).is_err() || topic.starts_with(OWN_TOPIC_PREFIX) {
            return;
        }
        let mut listeners = self.topics.listeners(&topic, ELSEWHERE);
        let receives =
            |to: &Conn| audience.holds(&topic, self.page(*to)) && self.reaches(&scope, origin.as_deref(), *to);
        listeners.retain(receives);
        if listeners.is_empty() && wait_ms > 0 {
            let waiting = Waiting { topic, params, publisher: ELSEWHERE, origin, scope, audience };
            let _ = self.topics.queue(now.saturating_add(wait_ms.min(TOPIC_WAIT_MAX_MS)), waiting);
            return;
        }
        out.extend(listeners.into_iter().map(|conn| Effect::Message { conn, params: params.clone() }));
    }

    /// The interests of another hub changed. Queued messages that it now listens to go there.
    pub(crate) fn receive_interests(
        &mut self,
        now: Millis,
        hub: &Arc<str>,
        interests: HubInterests,
        out: &mut Vec<Effect>,
    ) {
        for (until, waiting) in self.topics.receive_elsewhere(hub, interests) {
            let Waiting { topic, params, origin, scope, audience, .. } = waiting;
            let wait_ms = until.saturating_sub(now);
            let message = TopicMessage { topic, params, origin, scope, audience, wait_ms };
            out.push(Effect::PublishElsewhere { hubs: vec![hub.clone()], message: Box::new(message) });
        }
    }

    /// Updates as which listener a connection counts: what its page shares, or its token, may have changed.
    pub(crate) fn listens_as(&mut self, conn: Conn) {
        let as_whom = match (self.page(conn), self.agents.get(&conn).and_then(|agent| agent.scope.limits())) {
            (Some(page), _) => {
                let origin: Box<str> = page.origin().into();
                let sharing = page.shared().map(|pattern| (HeardBy::Sharing(origin.clone()), Some(pattern.into())));
                [(HeardBy::Page(origin.clone()), None)].into_iter().chain(sharing).collect()
            }
            (None, Some(limits)) if !limits.pages.is_empty() => {
                limits.pages.iter().map(|origin| (HeardBy::AgentOf(origin.clone()), None)).collect()
            }
            (None, _) => vec![(HeardBy::Agent, None)],
        };
        self.topics.listens_as(conn, as_whom);
    }

    /// Announces page mail on [`MAILBOX_TOPIC`]. Not queued there: the mailbox already keeps it.
    pub(crate) fn tell_of_mail(&mut self, now: Millis, page: Conn, message: &str, wall_ms: u64, out: &mut Vec<Effect>) {
        let Ok(message) = RawValue::from_string(message.to_owned()) else { return };
        let topic = MAILBOX_TOPIC.to_owned();
        let message = Publish { topic, message, own_word: None, queue: Some(false), timeout: None, all: false };
        let _ = self.publish(now, page, &message, wall_ms, out);
    }

    /// The session of a connected page; `None` for an agent.
    pub(crate) fn page(&self, conn: Conn) -> Option<&Session> {
        self.pages.get(&conn).and_then(|session| self.sessions.get(session))
    }

    /// Which pages receive a message. From a page: those of its own origin. From an agent: those of the page it uses.
    fn audience(&self, conn: Conn, message: &Publish) -> Audience {
        // Topics of our own, such as page mail, are for agents.
        if message.topic.starts_with(OWN_TOPIC_PREFIX) {
            return Audience::Agents;
        }
        if let Some(page) = self.page(conn) {
            let shared = page.shares(&message.topic);
            return if shared { Audience::Everyone } else { Audience::Origin(page.origin().into()) };
        }
        if message.all {
            return Audience::Everyone;
        }
        let origin = if self.agents.get(&conn).is_some_and(|agent| agent.target.is_some()) {
            self.find(conn, None).ok().and_then(|session| self.origin_of(&session))
        } else {
            let used = self.last_used(conn).map(|page| &*page.origin);
            let here = self.pages.keys().filter_map(|page| self.page(*page)).map(Session::origin);
            let mut origins = here.chain(self.elsewhere.pages.values().map(|page| &*page.origin));
            used.or_else(|| origins.next().filter(|first| origins.all(|origin| origin == *first)))
        };
        origin.map_or(Audience::Agents, |origin| Audience::Origin(origin.into()))
    }

    /// The origin of a session, here or at another hub.
    fn origin_of(&self, session: &SessionId) -> Option<&str> {
        let elsewhere = || self.elsewhere.get(session).map(|page| &*page.origin);
        self.sessions.get(session).map(Session::origin).or_else(elsewhere)
    }

    /// Whether a message may go to a connection. An agent whose token names origins receives messages only from pages
    /// of those origins, and sends messages only to them.
    fn reaches(&self, from: &Scope, origin: Option<&str>, to: Conn) -> bool {
        let listener = self.agents.get(&to).map(|agent| &agent.scope).filter(|scope| !scope.sees_all());
        let may_receive = listener.is_none_or(|scope| origin.is_some_and(|origin| scope.sees(origin)));
        may_receive && (from.sees_all() || self.page(to).is_some_and(|page| from.sees(page.origin())))
    }

    /// Subscribes a connection to a topic and delivers the messages queued for it, or unsubscribes it.
    pub(crate) fn subscribe(
        &mut self,
        conn: Conn,
        id: Option<RpcId>,
        topic: &str,
        wanted: bool,
        out: &mut Vec<Effect>,
    ) {
        let delivered = match check(topic) {
            Ok(()) if wanted => {
                self.topics.begins(conn);
                self.listens_as(conn);
                let page = self.pages.get(&conn).and_then(|session| self.sessions.get(session));
                self.topics.subscribe(conn, page, topic).map(|waited| {
                    // Messages that may not go to this connection are queued again.
                    let passes = |one: &Waiting| self.reaches(&one.scope, one.origin.as_deref(), conn);
                    let (delivered, kept): (Vec<_>, Vec<_>) = waited.into_iter().partition(|(_, one)| passes(one));
                    for (until, waiting) in kept {
                        let _ = self.topics.queue(until, waiting);
                    }
                    delivered
                })
            }
            Ok(()) => {
                self.topics.unsubscribe(conn, topic);
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        };
        match delivered {
            Ok(delivered) => {
                self.tell(conn, id, Ok("{}".into()), out);
                out.extend(delivered.into_iter().map(|(_, waiting)| Effect::Message { conn, params: waiting.params }));
            }
            Err(error) => self.tell(conn, id, Err(error), out),
        }
    }

    /// Sends the result of a request to the page or agent that made it.
    pub(crate) fn tell(&self, conn: Conn, id: Option<RpcId>, result: Result<String, Error>, out: &mut Vec<Effect>) {
        let Some(id) = id else { return };
        out.push(if self.pages.contains_key(&conn) {
            Effect::PageResult { page: conn, id, result }
        } else {
            Effect::Result { reply: Reply { agent: conn, form: ReplyForm::Rpc(id) }, result }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;
    use crate::newcomer::Newcomer;
    use crate::page_event::PageEvent;
    use crate::policy::Policy;
    use crate::task::{Mode, Task, Terms};
    use eye_protocol::Value;
    use eye_protocol::messages::PageInfo;

    const PAGE: Conn = Conn(1);
    const AGENT: Conn = Conn(2);

    /// How many queued messages are looked at while an agent calls and a page answers 100 times.
    fn looks(waiting: usize) -> u64 {
        let mut board = Switchboard::default();
        let mut out = Vec::new();
        let (origin, info, policy) = ("http://localhost".into(), PageInfo::default(), Policy::default());
        let who = Newcomer { origin, info, policy, ask_first: false, driven: false };
        let session = SessionId::parse("shop").unwrap();
        board.on(0, Input::PageJoined { page: PAGE, session, who: Box::new(who) }, &mut out);
        board.on(0, Input::AgentJoined { agent: AGENT }, &mut out);
        for n in 0..waiting {
            let message = RawValue::from_string(n.to_string()).unwrap();
            let topic = "nobody".into();
            let message = Publish { topic, message, own_word: None, queue: None, timeout: None, all: false };
            board.on(0, Input::Publish { conn: AGENT, id: None, message, wall_ms: 0 }, &mut out);
        }
        assert_eq!(board.topics.waiting_and_looked_at().0, waiting);
        for call in 1..=100 {
            let task = Task::Eval { code: "1".into(), frame: None, terms: Terms::default() };
            let form = Some(ReplyForm::Rpc("1".into()));
            let ask = Input::Ask { agent: AGENT, form, task, page: None, timeout_ms: None, mode: Mode::Answer };
            board.on(call, ask, &mut out);
            assert!(board.next_wake().is_some());
            let ending = Ok(Value::Json("1".into()));
            board.on(call, Input::page(PAGE, PageEvent::Answered { call, ending }), &mut out);
            assert!(board.next_wake().is_some());
        }
        let ended = out.iter().filter(|effect| matches!(effect, Effect::Ended { .. })).count();
        assert_eq!(ended, 100, "each is answered");
        board.topics.waiting_and_looked_at().1
    }

    #[test]
    fn messages_that_wait_are_not_looked_at_with_every_frame() {
        assert_eq!((looks(0), looks(5_000)), (0, 0));
    }
}
