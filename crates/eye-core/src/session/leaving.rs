//! An agent of a session leaves: what it waits for ends.

use super::Session;
use crate::ids::Conn;
use crate::session_event::Outcome;
use eye_protocol::Error;

impl Session {
    /// Ends what an agent waits for. With an error, the agent is still connected and receives it.
    pub(super) fn agent_left(&mut self, agent: Conn, error: Option<&Error>, out: &mut Vec<Outcome>) {
        for key in self.calls.keys_where(|call| call.asker.agent() == Some(agent)) {
            self.abort(key, out);
            if let Some(error) = error {
                self.end(key, Err(error.clone()), out);
            }
            self.calls.remove(key);
        }
        self.mailbox.agent_left(agent, error, out);
        self.forget_waiting(agent, error, out);
    }
}
