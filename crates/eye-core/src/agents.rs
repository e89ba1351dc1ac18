//! Agents' hellos, changes of their scopes, and agents that leave.

use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::session_event::Event;
use crate::switchboard::Switchboard;
use eye_protocol::limits::NAME_BYTES_MAX;
use eye_protocol::messages::Hello;
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Error};

impl Switchboard {
    pub(crate) fn agent_hello(&mut self, now: Millis, agent: Conn, hello: Hello, out: &mut Vec<Effect>) {
        let Some(known) = self.agents.get_mut(&agent) else { return };
        let before = known.shelf_name();
        known.target_page = None;
        known.target = hello.target.filter(|target| !target.is_empty()).map(Into::into);
        known.frame = hello.frame.filter(|frame| !frame.is_empty()).map(Into::into);
        known.timeout_ms = hello.timeout;
        if let Some(name) = hello.agent.filter(|name| name.len() <= NAME_BYTES_MAX) {
            // What agents of a token keep across connections is separate from what others keep under the same name.
            known.name = known.scope.name().map_or_else(|| name.clone(), |token| format!("{token}:{name}")).into();
            let name = known.name.clone();
            self.memory(now, &name);
        }
        self.leave_shelf(agent, &before, out);
    }

    /// Sets the scope of an agent.
    pub(crate) fn agent_scoped(&mut self, agent: Conn, scope: Scope, out: &mut Vec<Effect>) {
        let Some(known) = self.agents.get_mut(&agent) else { return };
        let before = known.shelf_name();
        known.scope = scope;
        self.listens_as(agent);
        self.leave_shelf(agent, &before, out);
    }

    /// If the agent has another shelf now, ends its waits for results on the shelf before.
    fn leave_shelf(&mut self, agent: Conn, before: &str, out: &mut Vec<Effect>) {
        if self.agents.get(&agent).is_some_and(|known| *known.shelf_name() != *before) {
            let error = Error::new(Code::CANCELLED, "the agent took another name, with other kept results");
            self.stop_collecting(agent, before, Some(&error), out);
        }
    }

    /// An agent left. With an error it is still connected, and its calls end with that error.
    pub(crate) fn agent_left(&mut self, now: Millis, agent: Conn, error: Option<&Error>, out: &mut Vec<Effect>) {
        self.leave(agent);
        self.framed_left(agent, error, out);
        self.stop_lookups(Some(agent), error, out);
        self.topics.forget(agent);
        if error.is_some() {
            let called = self.agents.get(&agent).map(|known| known.called.clone()).unwrap_or_default();
            for session in called {
                self.session_on(now, &session, Event::AgentLeft { agent, error: error.cloned() }, out);
            }
        }
        let Some(left) = self.agents.remove(&agent) else { return };
        out.extend(left.passed.then_some(Effect::LeftElsewhere { agent }));
        self.waiting.remove(&agent);
        self.elsewhere.watch_requests.forget(agent);
        self.batches.retain(|_, batch| batch.reply().agent != agent);
        self.watchers.retain(|_, watchers| {
            watchers.retain(|watcher| *watcher != agent);
            !watchers.is_empty()
        });
        for session in &left.called {
            self.session_on(now, session, Event::AgentLeft { agent, error: None }, out);
        }
        self.stop_collecting(agent, &left.shelf_name(), error, out);
    }

    fn stop_collecting(&mut self, agent: Conn, kept_by: &str, error: Option<&Error>, out: &mut Vec<Effect>) {
        if let Some(memory) = self.memories.get_mut(kept_by) {
            memory.shelf.agent_left(agent, error, &mut self.deliveries);
            let wake = memory.shelf.next_wake();
            self.shelf_changed(wake, out);
        }
    }
}
