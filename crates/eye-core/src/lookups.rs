//! Requests that wait, up to a deadline, for something that is looked up elsewhere.

use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::task::Reply;
use eye_protocol::limits::{LOOK_UPS_BYTES_MAX, RECALL_MS, RECALLS_LEN_MAX, SESSION_CALLS_MAX};
use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::hash::Hash;

/// Waiting requests, by what is looked up.
#[derive(Debug)]
pub(crate) struct Lookups<K> {
    waiting: FxHashMap<K, Lookup>,
    /// The hub is ending: no request waits any more.
    over: bool,
}

#[derive(Debug)]
struct Lookup {
    until: Millis,
    requests: Vec<Input>,
}

impl<K> Default for Lookups<K> {
    fn default() -> Self {
        Self { waiting: FxHashMap::default(), over: false }
    }
}

impl<K: Clone + Eq + Hash> Lookups<K> {
    /// Whether one more request may wait.
    pub fn has_room(&self, key: &K, request: &Input) -> bool {
        let fits = match self.waiting.get(key) {
            Some(known) => known.requests.len() < SESSION_CALLS_MAX,
            None => !self.over && self.waiting.len() < RECALLS_LEN_MAX,
        };
        let bytes = request.len_bytes();
        fits && (bytes == 0 || self.bytes() + bytes <= LOOK_UPS_BYTES_MAX)
    }

    fn bytes(&self) -> usize {
        self.waiting.values().flat_map(|lookup| &lookup.requests).map(Input::len_bytes).sum()
    }

    /// Queues a request. `true`: it is the first for this key, so the lookup is to be started.
    pub fn put(&mut self, now: Millis, key: &K, request: Input) -> bool {
        let fresh = || Lookup { until: now + RECALL_MS, requests: Vec::new() };
        let lookup = self.waiting.entry(key.clone()).or_insert_with(fresh);
        lookup.requests.push(request);
        lookup.requests.len() == 1
    }

    /// How many requests wait.
    pub fn len(&self) -> usize {
        self.waiting.values().map(|lookup| lookup.requests.len()).sum()
    }

    /// The earliest deadline.
    pub fn next_wake(&self) -> Option<Millis> {
        self.waiting.values().map(|lookup| lookup.until).min()
    }

    /// Removes the requests that wait for a key.
    pub fn take<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Vec<Input>
    where
        K: Borrow<Q>,
    {
        self.waiting.remove(key).map(|lookup| lookup.requests).unwrap_or_default()
    }

    /// Removes the requests whose deadline has passed, with their keys.
    pub fn overdue(&mut self, now: Millis) -> Vec<(K, Vec<Input>)> {
        let over = self.waiting.extract_if(|_, lookup| now >= lookup.until);
        over.map(|(key, lookup)| (key, lookup.requests)).collect()
    }

    /// The hub is ending: removes all requests.
    pub fn stop(&mut self) -> Vec<Input> {
        self.over = true;
        self.waiting.drain().flat_map(|(_, lookup)| lookup.requests).collect()
    }

    /// Removes the waiting requests of an agent, all or one. Other agents' requests for the same key go on waiting.
    pub fn take_of(&mut self, agent: Conn, only: Option<&Reply>) -> Vec<Input> {
        let is_its = |input: &mut Input| {
            input.conn() == Some(agent) && only.is_none_or(|only| input.reply().as_ref() == Some(only))
        };
        let taken = self.waiting.values_mut().flat_map(|lookup| lookup.requests.extract_if(.., is_its)).collect();
        self.waiting.retain(|_, lookup| !lookup.requests.is_empty());
        taken
    }
}
