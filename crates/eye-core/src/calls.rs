//! The calls of one session that have not ended: by id, and by deadline.

use crate::ids::{CallId, Conn, Millis};
use crate::task::{Asker, Task};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, VecDeque};

/// A call that has not ended.
#[derive(Debug)]
pub struct Call {
    pub asker: Asker,
    pub asked_at: Millis,
    /// When the call ends by itself.
    pub deadline: Millis,
    /// Whether the call is to a tool: its result is rendered as a tool's result.
    pub tool: bool,
    /// Revision of the state before the call, when the answer is to carry the changes since then.
    pub delta_since: Option<u64>,
    /// Revision that the state must have when the page begins the call.
    pub if_revision: Option<u64>,
    /// The task, when the call may run again in the page that comes back.
    pub again: Option<Box<Task>>,
    /// For a call that navigates: the look at the page it arrives at, whose answer ends the call.
    pub arrival: Option<Box<Task>>,
    pub phase: Phase,
}

impl Call {
    /// A call that was sent to the page and asks for nothing beside its answer.
    pub fn sent(asker: Asker, asked_at: Millis, deadline: Millis) -> Self {
        Self {
            asker,
            asked_at,
            deadline,
            tool: false,
            delta_since: None,
            if_revision: None,
            again: None,
            arrival: None,
            phase: Phase::Sent,
        }
    }
}

/// How far a call is.
#[derive(Debug)]
pub enum Phase {
    /// The page is away; the task is sent when the page is back.
    Waiting(Task),
    Sent,
    /// The call made the page navigate, and ends when the page arrives.
    Navigating {
        url: String,
        /// The page that has it, until it leaves.
        page: Conn,
    },
}

/// Bits of the number that a session's call ids begin at. The other half of the 2^53 is left to count up in.
const FIRST_CALL_BITS: u32 = 52;

/// Where the call ids of each new session begin. A page may still hold answers to calls of an earlier session, or of a
/// hub that was killed, and send them over its new connection; ids that begin at a random number never match them.
#[derive(Clone, Debug, Default)]
pub struct FirstCalls {
    /// The state of a `SplitMix64` generator; 0 begins every session at 1, for scripts that have to be repeatable.
    seed: u64,
}

impl FirstCalls {
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The number before a new session's first call.
    pub fn draw(&mut self) -> CallId {
        if self.seed == 0 {
            return 0;
        }
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.seed;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) >> (CallId::BITS - FIRST_CALL_BITS)
    }
}

/// All calls of one session.
#[derive(Debug, Default)]
pub struct Calls {
    by_key: FxHashMap<CallId, Call>,
    waiting: VecDeque<CallId>,
    waiting_bytes: usize,
    deadlines: BinaryHeap<Reverse<(Millis, CallId)>>,
    last_key: CallId,
}

impl Calls {
    /// No calls yet; the ids count up from after `before_first`.
    pub fn after(before_first: CallId) -> Self {
        Self { last_key: before_first, ..Self::default() }
    }

    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Bytes of tasks that wait for the page.
    pub fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// Adds a call and gives it an id that no other call of this session has.
    pub fn add(&mut self, call: Call) -> CallId {
        let (key, place) = loop {
            self.last_key = self.last_key.wrapping_add(1);
            if let Entry::Vacant(place) = self.by_key.entry(self.last_key) {
                break (self.last_key, place);
            }
        };
        if let Phase::Waiting(task) = &call.phase {
            self.waiting.push_back(key);
            self.waiting_bytes += task.len_bytes();
        }
        self.deadlines.push(Reverse((call.deadline, key)));
        place.insert(call);
        self.forget_ended_deadlines();
        key
    }

    /// The call, to look at or change its phase. Not for changing its deadline.
    pub fn get_mut(&mut self, key: CallId) -> Option<&mut Call> {
        self.by_key.get_mut(&key)
    }

    pub fn remove(&mut self, key: CallId) -> Option<Call> {
        self.remove_if(key, |_| true)
    }

    /// Removes a call that is as wanted.
    pub fn remove_if(&mut self, key: CallId, wanted: impl Fn(&Call) -> bool) -> Option<Call> {
        let Entry::Occupied(place) = self.by_key.entry(key) else { return None };
        let call = wanted(place.get()).then(|| place.remove())?;
        if let Phase::Waiting(task) = &call.phase {
            self.waiting_bytes -= task.len_bytes();
        }
        Some(call)
    }

    /// Gives a call a new deadline.
    pub fn postpone(&mut self, key: CallId, deadline: Millis) {
        if let Some(call) = self.by_key.get_mut(&key) {
            call.deadline = deadline;
            self.deadlines.push(Reverse((deadline, key)));
        }
    }

    /// The next call that waits for the page, in the order of the calls. Its phase is now [`Phase::Sent`].
    pub fn next_waiting(&mut self) -> Option<(CallId, Task)> {
        while let Some(key) = self.waiting.pop_front() {
            let Some(call) = self.by_key.get_mut(&key) else { continue };
            if let Phase::Waiting(task) = std::mem::replace(&mut call.phase, Phase::Sent) {
                self.waiting_bytes -= task.len_bytes();
                return Some((key, task));
            }
        }
        None
    }

    /// Lets a call that may run again wait for the page that comes back. `false`: it may not.
    pub fn wait_again(&mut self, key: CallId) -> bool {
        let Some(call) = self.by_key.get_mut(&key) else { return false };
        let Some(task) = call.again.as_deref().cloned() else { return false };
        self.waiting_bytes += task.len_bytes();
        self.waiting.push_back(key);
        call.phase = Phase::Waiting(task);
        true
    }

    /// The keys of all calls that `wanted` picks, oldest first.
    pub fn keys_where(&self, wanted: impl Fn(&Call) -> bool) -> Vec<CallId> {
        let mut keys: Vec<CallId> = self.by_key.iter().filter(|(_, call)| wanted(call)).map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys
    }

    /// The earliest deadline.
    pub fn next_deadline(&mut self) -> Option<Millis> {
        while let Some(Reverse((at, key))) = self.deadlines.peek() {
            if self.by_key.get(key).is_some_and(|call| call.deadline == *at) {
                return Some(*at);
            }
            self.deadlines.pop();
        }
        None
    }

    /// A call whose deadline has passed.
    pub fn due(&mut self, now: Millis) -> Option<CallId> {
        let at = self.next_deadline()?;
        if at > now {
            return None;
        }
        self.deadlines.pop().map(|Reverse((_, key))| key)
    }

    /// Ended calls leave their deadlines behind; the heap is rebuilt when they outnumber the live ones.
    fn forget_ended_deadlines(&mut self) {
        if self.deadlines.len() > 2 * self.by_key.len() + 64 {
            self.deadlines = self.by_key.iter().map(|(key, call)| Reverse((call.deadline, *key))).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(deadline: Millis) -> Call {
        Call::sent(Asker::Fired { scope: eye_protocol::scope::Scope::ALL }, 0, deadline)
    }

    #[test]
    fn deadlines_of_ended_calls_do_not_pile_up() {
        let mut calls = Calls::default();
        for n in 0..100_000 {
            let key = calls.add(call(30_000 + n));
            calls.remove(key);
        }
        assert!(calls.deadlines.len() < 200, "{}", calls.deadlines.len());
    }

    #[test]
    fn a_key_in_use_is_never_given_again() {
        let mut calls = Calls::default();
        let first = calls.add(call(1));
        calls.last_key = first.wrapping_sub(1);
        assert_ne!(calls.add(call(1)), first);
    }

    #[test]
    fn sessions_begin_at_numbers_of_their_own_that_javascript_can_hold() {
        let mut first = FirstCalls::new(7);
        let drawn: Vec<CallId> = (0..1_000).map(|_| first.draw()).collect();
        assert!(drawn.iter().all(|number| *number < 1 << FIRST_CALL_BITS), "half of 2^53 is left to count in");
        let mut sorted = drawn.clone();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] > 1_000), "calls of one are not calls of another");
        assert_ne!(FirstCalls::new(8).draw(), drawn[0]);
        assert_eq!(Calls::after(drawn[0]).add(call(1)), drawn[0] + 1);
        assert_eq!((FirstCalls::default().draw(), Calls::default().add(call(1))), (0, 1), "scripts are repeatable");
    }

    #[test]
    fn only_the_latest_deadline_of_a_call_counts() {
        let mut calls = Calls::default();
        let key = calls.add(call(10));
        calls.postpone(key, 20);
        assert_eq!(calls.due(15), None);
        assert_eq!(calls.next_deadline(), Some(20));
        assert_eq!(calls.due(20), Some(key));
    }
}
