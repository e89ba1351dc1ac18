//! A peer's share of the hub's thread: after a burst, while other peers are active, it gets one part of the time
//! divided by the number of active peers, but between a half and a quarter.

/// The time that a peer may use at once.
const BURST_US: i64 = 4_000;
/// The number of parts into which the time is divided; a peer gets one of them.
const PARTS_MIN: i64 = 2;
const PARTS_MAX: i64 = 4;
/// Shorter pauses are skipped, because timers are not more exact.
const PAUSE_US_MIN: i64 = 1_000;

/// The remaining time of a peer. Times are µs of one clock.
#[derive(Debug)]
pub struct Share {
    left_us: i64,
    at_us: u64,
}

impl Share {
    /// The whole burst remains.
    pub fn new(now_us: u64) -> Self {
        Self { left_us: BURST_US, at_us: now_us }
    }

    /// Subtracts the time that the peer used while `active` peers were active. Returns how long it must pause.
    pub fn use_up(&mut self, now_us: u64, used_us: u64, active: u32) -> Option<u64> {
        let signed = |us: u64| i64::try_from(us).unwrap_or(i64::MAX);
        let parts = i64::from(active).clamp(PARTS_MIN, PARTS_MAX);
        let gained = signed(now_us.saturating_sub(self.at_us)) / parts;
        // Keep the remainder of the division.
        self.at_us += u64::try_from(gained * parts).unwrap_or(0);
        self.left_us = self.left_us.saturating_sub(signed(used_us)).saturating_add(gained).min(BURST_US);
        let pause_us = self.left_us.saturating_neg().saturating_mul(parts);
        (pause_us >= PAUSE_US_MIN).then(|| pause_us.unsigned_abs())
    }

    /// Resets the share while no other peer is active.
    pub fn forget(&mut self, now_us: u64) {
        *self = Self::new(now_us);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Works in steps for `long_us`; returns how much of that time was work.
    fn worked(step_us: u64, rest_us: u64, long_us: u64, active: u32) -> u64 {
        let (mut now, mut share, mut worked) = (0, Share::new(0), 0);
        while now < long_us {
            now += step_us;
            worked += step_us;
            now += share.use_up(now, step_us, active).unwrap_or(0) + rest_us;
        }
        worked
    }

    proptest! {
        #[test]
        fn whatever_its_steps_a_peer_gets_its_part_of_the_time(step_us in 1_u64..50_000, active in 0_u32..9) {
            let long_us = 10_000_000;
            let parts = u64::from(active.clamp(2, 4));
            let most = long_us / parts + (BURST_US + PAUSE_US_MIN).unsigned_abs() + step_us;
            let worked = worked(step_us, 0, long_us, active);
            prop_assert!((long_us * 4 / 5 / parts..=most).contains(&worked), "{worked} of {long_us}");
        }

        #[test]
        fn a_peer_that_needs_less_never_waits(step_us in 1_u64..4_000) {
            let (rest_us, long_us) = (step_us + 1, 1_000_000);
            let steps = long_us / (step_us + rest_us);
            prop_assert!(worked(step_us, rest_us, long_us, 2) >= steps * step_us);
        }
    }

    #[test]
    fn a_burst_is_free_and_comes_back() {
        let mut share = Share::new(0);
        assert_eq!(share.use_up(4_000, 4_000, 2), None, "half of it has come back");
        assert_eq!(share.use_up(4_000, 2_000, 2), None);
        assert_eq!(share.use_up(4_000, 500, 2), Some(1_000));
        assert_eq!(share.use_up(5_000, 0, 2), None);
        assert_eq!(share.use_up(1_000_000, 0, 2), None);
        assert_eq!(share.use_up(1_000_000, 4_500, 2), Some(1_000), "more than a burst does not come back");
        share.forget(1_000_000);
        assert_eq!(share.use_up(1_000_000, 4_000, 2), None);
    }
}
