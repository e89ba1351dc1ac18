//! What of a batch is under way: how much more may leave, and under which id an answer is printed.

use super::line::Label;
use crate::failure::Failure;
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Expressions under way, or answered and not printed yet.
const UNDER_WAY_MAX: usize = 4096;
/// Answers that wait for their turn, summed; nothing more leaves above it.
const HELD_BYTES_MAX: usize = 64 << 20;

/// The expressions under way, shared by the thread that feeds and the one that prints.
#[derive(Default)]
pub struct Flight {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    labels: HashMap<u64, Label>,
    held: usize,
    held_bytes: usize,
    ended: bool,
    failure: Option<Failure>,
}

impl State {
    fn has_room(&self) -> bool {
        self.labels.len() + self.held < UNDER_WAY_MAX && self.held_bytes < HELD_BYTES_MAX
    }
}

/// Answers that were received and wait for those before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// How many.
    pub answers: usize,
    /// Their bytes, summed.
    pub bytes: usize,
}

impl Flight {
    /// Notes an expression that leaves.
    pub fn depart(&self, number: u64, label: Label) {
        self.lock().labels.insert(number, label);
    }

    /// Whether more may leave.
    pub fn has_room(&self) -> bool {
        self.lock().has_room()
    }

    /// Waits until more may leave.
    pub fn wait_for_room(&self) {
        let mut state = self.lock();
        while !state.has_room() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes an answer. `None`: nothing under that number is under way.
    pub fn arrive(&self, number: u64) -> Option<Label> {
        self.lock().labels.remove(&number)
    }

    /// Notes what waits for its turn to be printed.
    pub fn hold(&self, held: Held) {
        let mut state = self.lock();
        state.held = held.answers;
        state.held_bytes = held.bytes;
        drop(state);
        self.changed.notify_one();
    }

    /// Nothing more will leave.
    pub fn end(&self) {
        self.lock().ended = true;
    }

    /// Feeding ended badly.
    pub fn fail(&self, failure: Failure) {
        self.lock().failure = Some(failure);
    }

    /// Why feeding ended badly.
    pub fn failure(&self) -> Option<Failure> {
        self.lock().failure.take()
    }

    /// Nothing is under way, and nothing will be.
    pub fn landed(&self) -> bool {
        let state = self.lock();
        state.ended && state.labels.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
