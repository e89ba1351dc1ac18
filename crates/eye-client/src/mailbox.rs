//! A bounded queue that one thread fills and another waits on. At the limit the oldest item is dropped: the newest
//! matters more.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

pub struct Mailbox<T, E> {
    state: Mutex<State<T, E>>,
    changed: Condvar,
    len_max: usize,
}

struct State<T, E> {
    waiting: VecDeque<T>,
    end: Option<E>,
}

pub enum Taken<T, E> {
    /// The oldest item.
    Item(T),
    /// The queue has ended and is empty.
    End(E),
    /// Nothing came in time.
    Late,
}

impl<T, E: Clone> Mailbox<T, E> {
    pub fn new(len_max: usize) -> Self {
        let state = State { waiting: VecDeque::new(), end: None };
        Self { state: Mutex::new(state), changed: Condvar::new(), len_max }
    }

    /// Adds an item, unless the queue has ended.
    pub fn put(&self, item: T) {
        let mut state = self.lock();
        if state.end.is_some() {
            return;
        }
        if state.waiting.len() == self.len_max {
            state.waiting.pop_front();
        }
        state.waiting.push_back(item);
        drop(state);
        self.changed.notify_all();
    }

    /// Ends the queue; only the first end counts.
    pub fn end(&self, end: E) {
        self.lock().end.get_or_insert(end);
        self.changed.notify_all();
    }

    /// Waits for the next item, or for the end, which every later call returns too.
    pub fn take(&self, until: Option<Instant>) -> Taken<T, E> {
        let mut state = self.lock();
        loop {
            if let Some(item) = state.waiting.pop_front() {
                return Taken::Item(item);
            }
            if let Some(end) = &state.end {
                return Taken::End(end.clone());
            }
            state = match until {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Taken::Late;
                    }
                    self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mailbox: &Mailbox<u8, char>) -> (Vec<u8>, Option<char>) {
        let mut items = Vec::new();
        loop {
            match mailbox.take(Some(Instant::now())) {
                Taken::Item(item) => items.push(item),
                Taken::End(end) => return (items, Some(end)),
                Taken::Late => return (items, None),
            }
        }
    }

    #[test]
    fn a_full_mailbox_loses_its_oldest() {
        let mailbox = Mailbox::new(2);
        for item in 1..=3 {
            mailbox.put(item);
        }
        assert_eq!(all(&mailbox), (vec![2, 3], None));
    }

    #[test]
    fn the_first_end_stands_and_nothing_comes_after_it() {
        let mailbox = Mailbox::new(2);
        mailbox.put(1);
        mailbox.end('a');
        mailbox.end('b');
        mailbox.put(2);
        assert_eq!(all(&mailbox), (vec![1], Some('a')));
        assert_eq!(all(&mailbox), (vec![], Some('a')));
    }
}
