//! What the hub has for the task that keeps the link, in order. It does not wake that task: the hub does, which knows
//! when a peer that sends many requests has no more at hand.

use crate::FromHub;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The room that an empty queue keeps.
const KEPT_LEN_MAX: usize = 1024;

/// What waits for the task.
#[derive(Debug)]
pub struct Queue(Mutex<Option<VecDeque<FromHub>>>);

impl Default for Queue {
    fn default() -> Self {
        Self(Mutex::new(Some(VecDeque::new())))
    }
}

impl Queue {
    /// Adds one. Returns how many wait.
    pub fn push(&self, one: FromHub) -> usize {
        let mut queue = self.hold();
        let Some(waiting) = &mut *queue else { return 0 };
        waiting.push_back(one);
        waiting.len()
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.hold().as_ref().map_or(0, VecDeque::len)
    }

    /// Takes all that wait. `taken` is empty, and its room is used for the next ones.
    pub fn take(&self, taken: &mut VecDeque<FromHub>) {
        if let Some(waiting) = &mut *self.hold() {
            taken.shrink_to(KEPT_LEN_MAX);
            std::mem::swap(waiting, taken);
        }
    }

    /// The task has ended. From now on everything is dropped.
    pub fn close(&self) {
        *self.hold() = None;
    }

    fn hold(&self) -> MutexGuard<'_, Option<VecDeque<FromHub>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_waits_is_taken_once_and_nothing_is_kept_for_a_task_that_has_ended() {
        let (queue, mut taken) = (Queue::default(), VecDeque::new());
        assert_eq!([1, 2].map(|_| queue.push(FromHub::Rows(Vec::new()))), [1, 2]);
        queue.take(&mut taken);
        assert_eq!((taken.len(), queue.len()), (2, 0));
        taken.clear();
        queue.take(&mut taken);
        assert!(taken.is_empty());
        queue.push(FromHub::Rows(Vec::new()));
        queue.close();
        assert_eq!((queue.push(FromHub::Rows(Vec::new())), queue.len()), (0, 0));
        queue.take(&mut taken);
        assert!(taken.is_empty());
    }
}
