//! Calls that are given up before their page has answered: by their agent, or by the hub.

use super::Session;
use crate::calls::Phase;
use crate::effect::Effect;
use crate::ids::CallId;
use crate::session_event::Outcome;
use crate::task::Reply;
use eye_protocol::{Code, Error};

impl Session {
    /// An agent no longer wants an answer.
    pub(super) fn cancel(&mut self, reply: &Reply, out: &mut Vec<Outcome>) {
        let keys = self.calls.keys_where(|call| call.asker.reply() == Some(reply));
        // An id used twice means the latest.
        if let Some(key) = keys.last() {
            self.abort(*key, out);
            self.end(*key, Err(Error::new(Code::CANCELLED, "cancelled")), out);
        } else {
            self.mailbox.cancel(reply, out);
        }
    }

    /// Tells the page that has a call to give it up. One that navigates has it until it leaves; the page that comes
    /// knows nothing of it.
    pub(super) fn abort(&mut self, key: CallId, out: &mut Vec<Outcome>) {
        let (Some(page), Some(call)) = (self.page(), self.calls.get_mut(key)) else { return };
        let is_there = match call.phase {
            Phase::Waiting(_) => false,
            Phase::Sent => true,
            Phase::Navigating { page: from, .. } => from == page,
        };
        if is_there {
            out.push(Outcome::Effect(Effect::Abort { page, call: key }));
        }
    }
}
