//! Turns on the hub's thread: a peer that has had its turn lets others go first, however much it still has to say, by frames or
//! by requests.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::yield_now;

/// How long one peer is heard while others wait, and then the frame that it is at. Work that takes longer than this for one frame
/// is not done on the hub's thread.
const TURN: Duration = Duration::from_micros(100);

/// The turn of one peer.
#[derive(Debug)]
pub struct Turn {
    first: Instant,
    /// When the current turn began, in µs since the first one.
    begun_us: AtomicU64,
}

impl Turn {
    /// It has not begun.
    pub fn new() -> Self {
        Self { first: Instant::now(), begun_us: AtomicU64::new(0) }
    }

    /// Does a peer's work, whose turn begins whenever the thread comes to it.
    pub async fn take<F: Future>(&self, work: F) -> F::Output {
        let mut work = pin!(work);
        poll_fn(|context| {
            self.begun_us.store(self.now_us(), Ordering::Relaxed);
            work.as_mut().poll(context)
        })
        .await
    }

    /// Between two frames: lets others go first if the turn is over.
    pub async fn pass(&self) {
        if self.is_over() {
            yield_now().await;
        }
    }

    fn is_over(&self) -> bool {
        let begun = self.begun_us.load(Ordering::Relaxed);
        u128::from(self.now_us().saturating_sub(begun)) >= TURN.as_micros()
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.first.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[tokio::test]
    async fn a_peer_with_much_to_say_lets_others_go_first() {
        let frames = Cell::new(0_u32);
        let turn = Turn::new();
        let peer = turn.take(async {
            while frames.get() < 1_000 {
                let begun = Instant::now();
                while begun.elapsed() < TURN {}
                frames.set(frames.get() + 1);
                turn.pass().await;
            }
        });
        let other = async {
            for told in 1..=10 {
                tokio::task::yield_now().await;
                assert!(frames.get() <= told + 1, "{} frames before turn {told}", frames.get());
            }
        };
        tokio::join!(peer, other);
    }

    #[tokio::test]
    async fn a_turn_that_is_not_over_goes_on() {
        let turn = Turn { first: Instant::now(), begun_us: AtomicU64::new(u64::MAX) };
        assert!(!turn.is_over());
        turn.begun_us.store(0, Ordering::Relaxed);
        while turn.first.elapsed() < TURN {}
        assert!(turn.is_over());
    }
}
