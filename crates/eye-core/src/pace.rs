//! How often something may happen: GCRA over the time that comes in with the event.

use crate::event::Millis;

/// Remembers when all that happened so far would have been spaced out at the allowed rate.
#[derive(Debug, Default)]
pub struct Pace {
    spaced_until_ns: u64,
}

impl Pace {
    /// Whether so many more fit at `per_s` a second, with bursts of `burst`.
    pub fn take(&mut self, now: Millis, count: usize, per_s: u64, burst: usize) -> bool {
        let each_ns = 1_000_000_000 / per_s.max(1);
        let now_ns = now.saturating_mul(1_000_000);
        let spaced = self.spaced_until_ns.max(now_ns).saturating_add(each_ns.saturating_mul(count as u64));
        let fits = spaced <= now_ns.saturating_add(each_ns.saturating_mul(burst as u64));
        if fits {
            self.spaced_until_ns = spaced;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_fits_and_then_the_rate_holds() {
        let mut pace = Pace::default();
        assert!(pace.take(0, 100, 1_000, 100));
        assert!(!pace.take(0, 1, 1_000, 100));
        assert!(pace.take(10, 10, 1_000, 100));
        assert!(!pace.take(10, 1, 1_000, 100));
        assert!(pace.take(1_000, 100, 1_000, 100));
    }
}
