//! Enforces a rate limit: GCRA over the time that comes in with the event.

use crate::ids::Millis;
use crate::rate::Rate;

/// Remembers until when the events so far would last if they were spaced out at the allowed rate.
#[derive(Debug, Default)]
pub struct Pace {
    spaced_until_ns: u64,
}

impl Pace {
    /// Takes `count` events, or returns in how many ms they fit.
    pub fn take(&mut self, now: Millis, count: usize, rate: Rate) -> Result<(), Millis> {
        self.spaced_until_ns = self.after(now, count, rate)?;
        Ok(())
    }

    /// Whether `count` events fit now.
    pub fn has_room(&self, now: Millis, count: usize, rate: Rate) -> bool {
        self.after(now, count, rate).is_ok()
    }

    fn after(&self, now: Millis, count: usize, rate: Rate) -> Result<u64, Millis> {
        let each_ns = 1_000_000_000 / rate.per_s.max(1);
        let now_ns = now.saturating_mul(1_000_000);
        let spaced = self.spaced_until_ns.max(now_ns).saturating_add(each_ns.saturating_mul(count as u64));
        let room = now_ns.saturating_add(each_ns.saturating_mul(rate.burst as u64));
        if spaced > room {
            return Err((spaced - room).div_ceil(1_000_000));
        }
        Ok(spaced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_fits_and_then_the_rate_holds() {
        let mut pace = Pace::default();
        let rate = Rate { per_s: 1_000, burst: 100 };
        assert_eq!(pace.take(0, 100, rate), Ok(()));
        assert_eq!(pace.take(0, 1, rate), Err(1));
        assert_eq!(pace.take(0, 7, rate), Err(7));
        assert_eq!(pace.take(10, 10, rate), Ok(()));
        assert_eq!(pace.take(10, 1, rate), Err(1));
        assert!(pace.has_room(1_000, 100, rate) && !pace.has_room(1_000, 101, rate));
        assert_eq!(pace.take(1_000, 100, rate), Ok(()));
    }
}
