//! A peer's share of the hub's thread: while others are there, it gets at most half of the time, after a burst.

/// How much a peer may use at once.
const BURST_US: i64 = 4_000;
/// One part of so many of the time is a peer's.
const PARTS: i64 = 2;
/// Pauses are at least as long as timers are exact.
const PAUSE_US_MIN: i64 = 1_000;

/// What a peer has left. Times are µs of one clock.
#[derive(Debug)]
pub struct Share {
    left_us: i64,
    at_us: u64,
}

impl Share {
    /// All of the burst is left.
    pub fn new(now_us: u64) -> Self {
        Self { left_us: BURST_US, at_us: now_us }
    }

    /// The peer has used so much. Gives how long it has to pause, if it does.
    pub fn use_up(&mut self, now_us: u64, used_us: u64) -> Option<u64> {
        let signed = |us: u64| i64::try_from(us).unwrap_or(i64::MAX);
        let gained = signed(now_us.saturating_sub(self.at_us)) / PARTS;
        // What a division leaves over is not lost.
        self.at_us += u64::try_from(gained * PARTS).unwrap_or(0);
        self.left_us = self.left_us.saturating_sub(signed(used_us)).saturating_add(gained).min(BURST_US);
        let pause_us = self.left_us.saturating_neg().saturating_mul(PARTS);
        (pause_us >= PAUSE_US_MIN).then(|| pause_us.unsigned_abs())
    }

    /// Nobody else is there: nothing is counted.
    pub fn forget(&mut self, now_us: u64) {
        *self = Self::new(now_us);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Works in steps for so long; gives how much of that time was work.
    fn worked(step_us: u64, rest_us: u64, long_us: u64) -> u64 {
        let (mut now, mut share, mut worked) = (0, Share::new(0), 0);
        while now < long_us {
            now += step_us;
            worked += step_us;
            now += share.use_up(now, step_us).unwrap_or(0) + rest_us;
        }
        worked
    }

    proptest! {
        #[test]
        fn whatever_its_steps_a_peer_gets_half_of_the_time(step_us in 1_u64..50_000) {
            let long_us = 10_000_000;
            let most = long_us / 2 + (BURST_US + PAUSE_US_MIN).unsigned_abs() + step_us;
            let worked = worked(step_us, 0, long_us);
            prop_assert!((long_us * 2 / 5..=most).contains(&worked), "{worked} of {long_us}");
        }

        #[test]
        fn a_peer_that_needs_less_never_waits(step_us in 1_u64..4_000) {
            let (rest_us, long_us) = (step_us + 1, 1_000_000);
            let steps = long_us / (step_us + rest_us);
            prop_assert!(worked(step_us, rest_us, long_us) >= steps * step_us);
        }
    }

    #[test]
    fn a_burst_is_free_and_comes_back() {
        let mut share = Share::new(0);
        assert_eq!(share.use_up(4_000, 4_000), None, "half of it has come back");
        assert_eq!(share.use_up(4_000, 2_000), None);
        assert_eq!(share.use_up(4_000, 500), Some(1_000));
        assert_eq!(share.use_up(5_000, 0), None);
        assert_eq!(share.use_up(1_000_000, 0), None);
        assert_eq!(share.use_up(1_000_000, 4_500), Some(1_000), "more than a burst does not come back");
        share.forget(1_000_000);
        assert_eq!(share.use_up(1_000_000, 4_000), None);
    }
}
