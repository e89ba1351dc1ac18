//! Tracks a batch's expressions under way: limits how many more may be sent, and keeps the label of each answer.

use super::line::Label;
use crate::failure::Failure;
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Expressions sent whose answer is not printed yet.
const UNDER_WAY_MAX: usize = 4096;
/// Sum of the answers that wait for earlier ones; above it nothing more is sent.
const HELD_BYTES_MAX: usize = 64 << 20;

/// Expressions under way, shared by the sending and the printing thread.
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

/// Answers that arrived before an earlier one and wait to be printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    pub answers: usize,
    pub bytes: usize,
}

impl Flight {
    /// Records an expression that is sent.
    pub fn depart(&self, number: u64, label: Label) {
        self.lock().labels.insert(number, label);
    }

    pub fn has_room(&self) -> bool {
        self.lock().has_room()
    }

    /// Waits until more may be sent.
    pub fn wait_for_room(&self) {
        let mut state = self.lock();
        while !state.has_room() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records an answer. `None`: no expression with that number is under way.
    pub fn arrive(&self, number: u64) -> Option<Label> {
        self.lock().labels.remove(&number)
    }

    /// Records the answers that wait to be printed.
    pub fn hold(&self, held: Held) {
        let mut state = self.lock();
        state.held = held.answers;
        state.held_bytes = held.bytes;
        drop(state);
        self.changed.notify_one();
    }

    /// Marks the end of stdin.
    pub fn end(&self) {
        self.lock().ended = true;
    }

    /// Stores the failure of the sending thread.
    pub fn fail(&self, failure: Failure) {
        self.lock().failure = Some(failure);
    }

    /// Takes the failure of the sending thread.
    pub fn failure(&self) -> Option<Failure> {
        self.lock().failure.take()
    }

    /// Whether nothing is under way and nothing more will be sent.
    pub fn landed(&self) -> bool {
        let state = self.lock();
        state.ended && state.labels.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
