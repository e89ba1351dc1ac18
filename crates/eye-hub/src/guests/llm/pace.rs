//! Rate limit for the LLM server: a burst, then a number of requests per minute. It has no clock of its own.

use eye_protocol::limits::LLM_CALLS_PER_MINUTE_MAX;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const STEP: Duration = Duration::from_millis(60_000 / LLM_CALLS_PER_MINUTE_MAX as u64);
const BURST: Duration = Duration::from_mins(1);

/// One limit for the whole hub (GCRA): the time up to which all steps are used up.
#[derive(Debug)]
pub struct Pace(Mutex<Instant>);

impl Pace {
    pub fn new(now: Instant) -> Self {
        Self(Mutex::new(now))
    }

    /// Takes one step, or returns how long to wait for it.
    pub fn step(&self, now: Instant) -> Result<(), Duration> {
        let mut used_up_to = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let after = (*used_up_to).max(now) + STEP;
        if let Some(wait) = (after - now).checked_sub(BURST).filter(|wait| !wait.is_zero()) {
            return Err(wait);
        }
        *used_up_to = after;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_and_then_so_many_a_minute() {
        let begin = Instant::now();
        let pace = Pace::new(begin);
        for step in 0..LLM_CALLS_PER_MINUTE_MAX {
            assert!(pace.step(begin).is_ok(), "{step}");
        }
        assert_eq!(pace.step(begin), Err(STEP));
        assert_eq!(pace.step(begin + STEP / 2), Err(STEP / 2));
        assert!(pace.step(begin + STEP).is_ok());
        assert!(pace.step(begin + STEP).is_err());
        assert!(pace.step(begin + Duration::from_mins(10)).is_ok());
    }
}
