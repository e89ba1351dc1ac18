//! Requests that wait for a state that outlived its hub, and the time until which they do.

use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::task::Reply;
use eye_protocol::SessionId;
use eye_protocol::limits::{RECALL_MS, RECALLS_LEN_MAX, SESSION_CALLS_MAX};
use rustc_hash::FxHashMap;

/// Requests that wait, by session.
#[derive(Debug, Default)]
pub(crate) struct Recalls {
    waiting: FxHashMap<SessionId, Recall>,
    /// The hub ends: nothing waits any more.
    over: bool,
}

#[derive(Debug)]
struct Recall {
    until: Millis,
    requests: Vec<Input>,
}

impl Recalls {
    /// Whether one more request may wait for a session.
    pub fn has_room(&self, session: &SessionId) -> bool {
        match self.waiting.get(session) {
            Some(known) => known.requests.len() < SESSION_CALLS_MAX,
            None => !self.over && self.waiting.len() < RECALLS_LEN_MAX,
        }
    }

    /// Lets a request wait. Whether it is the first for its session: then the state is to be recalled.
    pub fn put(&mut self, now: Millis, session: &SessionId, request: Input) -> bool {
        let fresh = || Recall { until: now + RECALL_MS, requests: Vec::new() };
        let recall = self.waiting.entry(session.clone()).or_insert_with(fresh);
        recall.requests.push(request);
        recall.requests.len() == 1
    }

    /// Requests that wait.
    pub fn len(&self) -> usize {
        self.waiting.values().map(|recall| recall.requests.len()).sum()
    }

    /// When the first of them has waited for too long.
    pub fn next_wake(&self) -> Option<Millis> {
        self.waiting.values().map(|recall| recall.until).min()
    }

    /// What waited for a session.
    pub fn take(&mut self, session: &SessionId) -> Vec<Input> {
        self.waiting.remove(session).map(|recall| recall.requests).unwrap_or_default()
    }

    /// What has waited for too long.
    pub fn overdue(&mut self, now: Millis) -> Vec<Input> {
        self.waiting.extract_if(|_, recall| now >= recall.until).flat_map(|(_, recall)| recall.requests).collect()
    }

    /// The hub ends: everything.
    pub fn stop(&mut self) -> Vec<Input> {
        self.over = true;
        self.waiting.drain().flat_map(|(_, recall)| recall.requests).collect()
    }

    /// What an agent waits for, all of it or one request. Who else waits for the same session goes on.
    pub fn take_of(&mut self, agent: Conn, only: Option<&Reply>) -> Vec<Input> {
        let is_its = |input: &mut Input| match input {
            Input::GetState { reply, .. } => reply.agent == agent && only.is_none_or(|only| only == reply),
            _ => false,
        };
        let taken = self.waiting.values_mut().flat_map(|recall| recall.requests.extract_if(.., is_its)).collect();
        self.waiting.retain(|_, recall| !recall.requests.is_empty());
        taken
    }
}
