//! Agents of other hubs that send requests for local pages. Each one is an agent of this hub, with the scope of its
//! token.

use crate::HubHandle;
use crate::core::Life;
use crate::wire::{self, Frame, Request, WireCaller};
use eye_core::{Conn, Effect, Input, Reply, ReplyForm};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The agents of other hubs that are connected here.
pub struct Served {
    hub: Arc<dyn HubHandle>,
    conns: FxHashMap<(Life, u64), (Conn, WireCaller)>,
    agents: FxHashMap<Conn, (Life, u64)>,
}

impl Served {
    pub fn new(hub: Arc<dyn HubHandle>) -> Self {
        Self { hub, conns: FxHashMap::default(), agents: FxHashMap::default() }
    }

    /// Passes a request to the hub, and connects its agent first if it is new.
    pub fn serve(&mut self, from: Life, request: Request) {
        let key = (from, request.agent);
        let conn = if let Some((conn, known)) = self.conns.get_mut(&key) {
            // The agent's token, name or frame has changed since its last request.
            if *known != request.caller {
                self.hub.feed(Input::AgentScoped { agent: *conn, scope: request.caller.scope() });
                self.hub.feed(Input::AgentHello { agent: *conn, hello: Box::new(request.caller.hello()) });
                *known = request.caller.clone();
            }
            *conn
        } else {
            let conn = self.hub.enter(request.caller.scope(), request.caller.hello());
            self.agents.insert(conn, key.clone());
            self.conns.insert(key, (conn, request.caller.clone()));
            conn
        };
        if !request.plain().is_some_and(|asked| self.hub.ask_plainly(conn, &asked)) {
            self.hub.feed(request.input(conn));
        }
    }

    /// Passes on the cancellation of a request.
    pub fn cancel(&self, from: &Life, agent: u64, call: u64) {
        if let Some((conn, _)) = self.conns.get(&(from.clone(), agent)) {
            self.hub.feed(Input::Cancel { agent: *conn, id: call.to_string().into() });
        }
    }

    /// Disconnects an agent; without `agent`, all agents of that hub.
    pub fn leave(&mut self, from: &Life, agent: Option<u64>) {
        let gone: Vec<(Life, u64)> = match agent {
            Some(agent) => vec![(from.clone(), agent)],
            None => self.conns.keys().filter(|(life, _)| life == from).cloned().collect(),
        };
        for key in gone {
            if let Some((conn, _)) = self.conns.remove(&key) {
                self.agents.remove(&conn);
                self.hub.leave(conn);
            }
        }
    }

    /// Disconnects all agents, because this hub ends.
    pub fn leave_all(&mut self) {
        for (_, (conn, _)) in self.conns.drain() {
            self.hub.leave(conn);
        }
        self.agents.clear();
    }

    /// Turns an effect for an agent of another hub into a frame for that hub.
    pub fn frame_of(&self, effect: Effect) -> Option<(Life, Frame)> {
        let to = |conn: Conn| self.agents.get(&conn).map(|(life, _)| life.clone());
        match effect {
            Effect::Ended { reply, ending, delta } => {
                let frame = Frame::Ended { call: number(&reply)?, ending: wire::ending_out(ending), delta };
                Some((to(reply.agent)?, frame))
            }
            Effect::Result { reply, result } => {
                let frame = Frame::Result { call: number(&reply)?, result: result.map_err(Into::into) };
                Some((to(reply.agent)?, frame))
            }
            Effect::Progress { reply, progress } => {
                Some((to(reply.agent)?, Frame::Progress { call: number(&reply)?, progress }))
            }
            Effect::News { agent, session, news } => {
                let (life, number) = self.agents.get(&agent)?;
                let frame = Frame::News { agent: *number, session: session.to_string(), news: news.into() };
                Some((life.clone(), frame))
            }
            _ => None,
        }
    }
}

fn number(reply: &Reply) -> Option<u64> {
    match &reply.form {
        ReplyForm::Line(id) => id.as_str().parse().ok(),
        ReplyForm::Rpc(id) | ReplyForm::Tool(id) => id.parse().ok(),
        ReplyForm::Compact(_) | ReplyForm::Place(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_core::{Millis, PlainQuestion};
    use eye_protocol::SessionId;
    use eye_protocol::messages::Hello;
    use eye_protocol::scope::Scope;
    use eye_protocol::shared_token::{OwnTokens, SharedToken};
    use std::sync::Mutex;
    use std::task::{Context, Poll};

    /// Records the inputs, as text.
    #[derive(Debug, Default)]
    struct Fed(Mutex<Vec<String>>);

    impl HubHandle for Fed {
        fn enter(&self, _: Scope, hello: Hello) -> Conn {
            self.0.lock().unwrap().push(format!("enter {:?}", hello.frame));
            Conn(1)
        }
        fn leave(&self, _: Conn) {}
        fn feed(&self, input: Input) {
            let line = match input {
                Input::AgentHello { hello, .. } => format!("hello {:?}", hello.frame),
                Input::AgentScoped { .. } => "scope".to_owned(),
                Input::Info { .. } => "info".to_owned(),
                other => format!("{other:?}"),
            };
            self.0.lock().unwrap().push(line);
        }
        fn ask_plainly(&self, _: Conn, _: &PlainQuestion<'_>) -> bool {
            false
        }
        fn turn(&self, work: &mut dyn FnMut()) {
            work();
        }
        fn poll_queued(&self, _: &Context<'_>) -> Poll<()> {
            Poll::Pending
        }
        fn now(&self) -> Millis {
            0
        }
        fn want_rows(&self) {}
        fn changed_tokens(&self) -> Option<OwnTokens> {
            None
        }
        fn take_tokens(&self, _: Vec<SharedToken>) {}
    }

    #[test]
    fn an_agent_that_chooses_another_frame_asks_there() {
        let hub = Arc::new(Fed::default());
        let mut served = Served::new(hub.clone());
        let request = |call, frame: Option<&str>| Request {
            call,
            agent: 7,
            caller: WireCaller { name: "a".into(), scope: wire::WireScope::All, frame: frame.map(Into::into) },
            session: SessionId::parse("s").unwrap(),
            lifetime_ms: 1000,
            ask: wire::Ask::Info,
        };
        served.serve("b".into(), request(1, None));
        served.serve("b".into(), request(2, None));
        served.serve("b".into(), request(3, Some("#inner")));
        let seen = hub.0.lock().unwrap();
        assert_eq!(*seen, ["enter None", "info", "info", "scope", "hello Some(\"#inner\")", "info"]);
    }
}
