//! Protects a log from floods: of events that strangers can cause at will, a limited number per minute is logged and
//! the rest is counted.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub struct Seldom {
    most: u32,
    state: Mutex<Option<State>>,
}

#[derive(Debug)]
struct State {
    since: Instant,
    logged: u32,
    left_out: u64,
}

impl Seldom {
    /// Logs at most `most` events per minute.
    pub const fn new(most: u32) -> Self {
        Self { most, state: Mutex::new(None) }
    }

    /// Returns how many events were left out before this one; `None`: this one is not logged either.
    pub fn take(&self) -> Option<u64> {
        self.take_at(Instant::now())
    }

    fn take_at(&self, now: Instant) -> Option<u64> {
        let mut held = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = held.get_or_insert(State { since: now, logged: 0, left_out: 0 });
        if now.duration_since(state.since) >= WINDOW {
            (state.since, state.logged) = (now, 0);
        }
        if state.logged >= self.most {
            state.left_out += 1;
            return None;
        }
        state.logged += 1;
        Some(std::mem::take(&mut state.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_a_minute_are_logged_and_the_rest_is_counted() {
        let (seldom, now) = (Seldom::new(2), Instant::now());
        let got: Vec<Option<u64>> = [0, 1, 2, 59, 60].map(|s| seldom.take_at(now + Duration::from_secs(s))).into();
        assert_eq!(got, [Some(0), Some(0), None, None, Some(2)]);
    }
}
