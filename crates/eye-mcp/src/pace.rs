//! How patient a gateway is with servers that start slowly, hang or are down. The default is [`crate::limits`];
//! embedding programs and tests may set shorter times.

use crate::limits::{BACK_OFF_MAX, BACK_OFF_MIN, START, STEADY, USE_PAUSE_MAX, WANTED};
use std::time::Duration;

/// The waits around a start; see [`crate::limits`] for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The limit for a start.
    pub start: Duration,
    /// The pause after the first failure; it doubles with each further one.
    pub back_off_min: Duration,
    pub back_off_max: Duration,
    /// The longest pause before a use starts the server again.
    pub use_pause_max: Duration,
    /// How long the server must run for its next failure to count as the first.
    pub steady: Duration,
    /// How long after its last use the server is still restarted.
    pub wanted: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            start: START,
            back_off_min: BACK_OFF_MIN,
            back_off_max: BACK_OFF_MAX,
            use_pause_max: USE_PAUSE_MAX,
            steady: STEADY,
            wanted: WANTED,
        }
    }
}

impl Pace {
    /// The pause after this many failures in a row.
    pub fn pause(&self, failures: u32) -> Duration {
        (self.back_off_min * 2_u32.saturating_pow(failures.clamp(1, 16) - 1)).min(self.back_off_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit() {
        let pace = Pace::default();
        let ms: Vec<u128> = [1, 2, 3, 8, 9, 1000].map(|failures| pace.pause(failures).as_millis()).to_vec();
        assert_eq!(ms, [250, 500, 1_000, 32_000, 60_000, 60_000]);
    }
}
