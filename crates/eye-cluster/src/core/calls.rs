//! Requests for pages elsewhere. Each one ends exactly once: with the first of its answer, the end of the hub that it
//! was sent to, the loss of either hub's link, or its deadline.

use super::event::{Action, Life};
use crate::wire::{Ask, Frame, Request};
use eye_core::elsewhere::Back;
use eye_core::{Asker, Conn, Input, Millis, ReplyForm};
use eye_protocol::{Code, Error};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Requests that this hub sent to other hubs.
#[derive(Debug, Default)]
pub(super) struct Calls {
    last: u64,
    pub out: FxHashMap<u64, Out>,
    /// The hubs to which each local agent has sent requests.
    asked: FxHashMap<Conn, FxHashSet<Life>>,
    /// The last one of these that was noted: nearly always the next one's, too.
    last_asked: Option<(Conn, Life)>,
    /// Agents that have disconnected while a kept result of theirs is pending.
    leaving: FxHashSet<Conn>,
}

/// A pending request.
#[derive(Debug)]
pub(super) struct Out {
    pub to: Life,
    pub agent: Conn,
    pub asker: Asker,
    pub is_call: bool,
    pub asked_at: Millis,
    pub until: Millis,
    /// The request to send again, once, if the page has moved.
    pub request: Option<Arc<Request>>,
}

pub(super) fn error(message: &str, hint: &str) -> Error {
    Error::new(Code::CONNECTION, message).hint(hint)
}

const LOOK_FIRST: &str = "the call may have run: look at the page before you repeat it";
pub(super) const REPEAT: &str = "the call did not run; repeat it when `eye pages` lists the page";

/// The link was lost while the call was pending.
pub(super) fn link_lost() -> Error {
    error("the link to the other hubs was lost", LOOK_FIRST)
}

/// The other hub lost its link while the call was pending, and is back.
pub(super) fn other_link_lost() -> Error {
    error("the hub that holds the page lost its link to the other hubs", LOOK_FIRST)
}

/// The hub that received the request has ended.
pub(super) fn hub_gone() -> Error {
    error("the hub that holds the page is gone", LOOK_FIRST)
}

/// The hub had ended before it could read the request.
pub(super) fn unread() -> Error {
    error("the hub that held the page is gone", REPEAT)
}

/// The hub did not answer before the deadline.
pub(super) fn silent() -> Error {
    let error = Error::new(Code::TIMEOUT, "the hub that holds the page did not answer in time");
    error.hint(LOOK_FIRST)
}

impl Calls {
    pub fn len(&self) -> usize {
        self.out.len()
    }

    pub fn all(&self) -> Vec<u64> {
        self.out.keys().copied().collect()
    }

    pub fn at(&self, life: &Life) -> Vec<u64> {
        self.out.iter().filter(|(_, out)| out.to == *life).map(|(call, _)| *call).collect()
    }

    /// The number of the last request.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Removes the pending state requests to a hub with lower numbers, and returns them as inputs to repeat: reading is
    /// safe to repeat.
    pub fn take_states(&mut self, life: &Life, below: u64, out: &mut Vec<Action>) -> Vec<Input> {
        let is_state = |one: &Out| {
            let request = one.request.as_ref().filter(|_| one.to == *life && !one.is_call);
            request.is_some_and(|request| matches!(request.ask, Ask::State { .. }))
        };
        let is_it = |(call, one): &(&u64, &Out)| **call < below && is_state(one);
        let those: Vec<u64> = self.out.iter().filter(is_it).map(|(call, _)| *call).collect();
        let again = |one: Out| match (one.asker, one.request.map(Arc::unwrap_or_clone)?.input(one.agent)) {
            (Asker::Agent(reply), Input::GetState { page, fresh, query, .. }) => {
                Some(Input::GetState { reply, page, fresh, query })
            }
            _ => None,
        };
        those.into_iter().filter_map(|call| self.take(call, out)).filter_map(again).collect()
    }

    pub fn expired(&self, now: Millis) -> Vec<u64> {
        // Scans all pending requests every 200 ms. A sorted index would cost more, because every call would update it.
        self.out.iter().filter(|(_, out)| out.until <= now).map(|(call, _)| *call).collect()
    }

    pub fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// An agent has sent a request to a hub.
    pub fn note_asked(&mut self, agent: Conn, to: &Life) {
        let is_it = |(asker, hub): &(Conn, Life)| *asker == agent && Arc::ptr_eq(hub, to);
        if !self.last_asked.as_ref().is_some_and(is_it) {
            self.asked.entry(agent).or_default().insert(to.clone());
            self.last_asked = Some((agent, to.clone()));
        }
    }

    pub fn put(&mut self, call: u64, out: Out) {
        self.out.insert(call, out);
    }

    pub fn take(&mut self, call: u64, actions: &mut Vec<Action>) -> Option<Out> {
        let out = self.out.remove(&call)?;
        if self.leaving.contains(&out.agent) && !self.out.values().any(|other| other.agent == out.agent) {
            self.leave(out.agent, actions);
        }
        Some(out)
    }

    fn leave(&mut self, agent: Conn, out: &mut Vec<Action>) {
        self.leaving.remove(&agent);
        self.last_asked = None;
        let lives = self.asked.remove(&agent).into_iter().flatten();
        out.extend(lives.map(|to| Action::Send { to, frame: Frame::Left { agent: agent.0 } }));
    }

    /// Ends a request with an error.
    pub fn end(&mut self, now: Millis, call: u64, error: &Error, out: &mut Vec<Action>) {
        let Some(ended) = self.take(call, out) else { return };
        // After the deadline no agent waits for the call any more, so the other hub shall cancel it.
        if now >= ended.until {
            out.push(Action::Send { to: ended.to.clone(), frame: Frame::Cancel { agent: ended.agent.0, call } });
        }
        fail(ended.asker, ended.is_call, ended.asked_at, error.clone(), out);
    }

    pub fn cancel(&mut self, agent: Conn, forms: &[ReplyForm], out: &mut Vec<Action>) {
        let is_it = |asker: &Asker| match asker {
            Asker::Agent(reply) => reply.agent == agent && forms.contains(&reply.form),
            _ => false,
        };
        for (call, one) in self.out.iter().filter(|(_, one)| is_it(&one.asker)) {
            let frame = Frame::Cancel { agent: agent.0, call: *call };
            out.push(Action::Send { to: one.to.clone(), frame });
        }
    }

    pub fn agent_left(&mut self, agent: Conn, out: &mut Vec<Action>) {
        let own: Vec<u64> =
            self.out.iter().filter(|(_, one)| one.asker.agent() == Some(agent)).map(|(call, _)| *call).collect();
        for call in own {
            self.take(call, out);
        }
        if self.out.values().any(|one| one.agent == agent) {
            self.leaving.insert(agent);
        } else {
            self.leave(agent, out);
        }
    }
}

/// Tells the local hub the error that ended a request.
pub(super) fn fail(asker: Asker, is_call: bool, asked_at: Millis, error: Error, out: &mut Vec<Action>) {
    let back = match asker {
        Asker::Agent(reply) if !is_call => Back::Result { reply, result: Err(error) },
        asker => Back::Ended { asker, ending: Err(error), delta: None, asked_at },
    };
    out.push(Action::Feed(Input::Back(Box::new(back))));
}
