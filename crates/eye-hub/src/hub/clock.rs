//! The hub's clock, in µs. Reading it costs a hundred instructions, so it is read once for each turn of a peer and once
//! for each frame, and stands still in between.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

thread_local! {
    /// The time of the last read, while time stands still on this thread.
    static STILL: Cell<Option<u64>> = const { Cell::new(None) };
    /// The calendar's millisecond, and when it ends on this clock.
    static WALL: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// Time stands still on this thread until the value is dropped; only [`look`] moves it on.
#[derive(Debug)]
pub struct Still(());

impl Still {
    /// Reads the clock.
    pub fn begin() -> Self {
        STILL.set(Some(read()));
        Self(())
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        STILL.set(None);
    }
}

/// The time; where it stands still, without reading the clock.
pub fn now_us() -> u64 {
    STILL.get().unwrap_or_else(read)
}

/// Reads the clock, also where time stands still: then it stands still at the new time.
pub fn look() -> u64 {
    let now_us = read();
    if STILL.get().is_some() {
        STILL.set(Some(now_us));
    }
    now_us
}

/// Unix time in ms. The calendar is read once for each millisecond.
pub fn wall_ms() -> u64 {
    let now_us = now_us();
    let (ms, until_us) = WALL.get();
    if now_us < until_us {
        return ms;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
    WALL.set((ms, now_us + 1_000 - u64::from(since.subsec_micros() % 1_000)));
    ms
}

/// Reads the clock: the instant, and the same in µs.
pub fn instant() -> (Instant, u64) {
    let first = first();
    let now = Instant::now();
    (now, micros(now.saturating_duration_since(first)))
}

fn read() -> u64 {
    instant().1
}

/// When this process first read the clock.
fn first() -> Instant {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    *FIRST.get_or_init(Instant::now)
}

/// A span of time in whole µs, without the wide numbers of [`Duration::as_micros`]: for every frame several times.
fn micros(span: Duration) -> u64 {
    span.as_secs().saturating_mul(1_000_000).saturating_add(u64::from(span.subsec_micros()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Until the clock shows another time.
    fn wait() {
        let before = Instant::now();
        while before.elapsed() < Duration::from_micros(5) {}
    }

    #[test]
    fn time_stands_still_until_it_is_looked_at() {
        let still = Still::begin();
        let begun = now_us();
        wait();
        assert_eq!(now_us(), begun);
        let looked = look();
        assert!(looked > begun);
        wait();
        assert_eq!(now_us(), looked);
        drop(still);
        assert!(now_us() > looked, "it goes on");
    }

    #[test]
    fn the_calendar_is_never_behind() {
        let unix_ms = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(5) {
            let (before, read, after) = (unix_ms(), u128::from(wall_ms()), unix_ms());
            assert!((before..=after + 1).contains(&(read + 1)), "{before} {read} {after}");
        }
    }

    #[test]
    fn a_thread_that_broke_off_goes_on_with_the_time() {
        let broken = std::panic::catch_unwind(|| {
            let _still = Still::begin();
            panic!("in the midst of a turn");
        });
        assert!(broken.is_err());
        let before = now_us();
        wait();
        assert!(now_us() > before);
    }
}
