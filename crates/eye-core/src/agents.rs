//! Agents that say who they are, and agents that leave.

use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::session_event::Event;
use crate::switchboard::Switchboard;
use eye_protocol::Error;
use eye_protocol::limits::NAME_BYTES_MAX;
use eye_protocol::messages::Hello;

impl Switchboard {
    pub(crate) fn agent_hello(&mut self, now: Millis, agent: Conn, hello: Hello) {
        let Some(known) = self.agents.get_mut(&agent) else { return };
        known.target_page = None;
        known.target = hello.target.filter(|target| !target.is_empty()).map(Into::into);
        known.frame = hello.frame.filter(|frame| !frame.is_empty()).map(Into::into);
        known.timeout_ms = hello.timeout;
        if let Some(name) = hello.agent.filter(|name| name.len() <= NAME_BYTES_MAX) {
            // What a token's agents keep across connections is apart from what others keep under the same name.
            known.name = known.scope.name().map_or_else(|| name.clone(), |token| format!("{token}:{name}")).into();
            let name = known.name.clone();
            self.memory(now, &name);
        }
    }

    /// An agent left. With an error it is still there, to be told how its calls ended.
    pub(crate) fn agent_left(&mut self, now: Millis, agent: Conn, told: Option<&Error>, out: &mut Vec<Effect>) {
        self.leave(agent);
        self.topics.forget(agent);
        if told.is_some() {
            let asked = self.agents.get(&agent).map(|known| known.asked.clone()).unwrap_or_default();
            for session in asked {
                self.session_on(now, &session, Event::AgentLeft { agent, told: told.cloned() }, out);
            }
        }
        let Some(left) = self.agents.remove(&agent) else { return };
        out.extend(left.passed.then_some(Effect::LeftElsewhere { agent }));
        self.waiting.remove(&agent);
        self.batches.retain(|_, batch| batch.reply().agent != agent);
        self.watchers.retain(|_, watchers| {
            watchers.retain(|watcher| *watcher != agent);
            !watchers.is_empty()
        });
        for session in &left.asked {
            self.session_on(now, session, Event::AgentLeft { agent, told: None }, out);
        }
        if let Some(memory) = self.memories.get_mut(&left.shelf_name()) {
            memory.shelf.agent_left(agent);
        }
    }
}
