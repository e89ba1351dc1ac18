//! Counts the endings of every call, as the callers see them.

use crate::reasons::Reasons;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With the call's own value.
    Answered,
    /// With an error of the hub or of its page: timeout, page gone, cancelled, refused.
    Failed,
    /// The connection ended first: the hub was killed, or the agent disconnected.
    Cut,
}

/// The counts of all agents.
#[derive(Default)]
pub struct Ledger {
    /// Calls that may still be made.
    left: AtomicU64,
    called: AtomicU64,
    answered: AtomicU64,
    failed: AtomicU64,
    cut: AtomicU64,
    lost: AtomicU64,
    doubled: AtomicU64,
    crossed: AtomicU64,
    pub reasons: Reasons,
}

impl Ledger {
    /// A ledger for this many calls.
    pub fn new(calls: u64) -> Self {
        Self { left: AtomicU64::new(calls), ..Self::default() }
    }

    /// Takes up to `wanted` calls from those that are left.
    pub fn take(&self, wanted: u64) -> u64 {
        let before = self.left.fetch_update(Relaxed, Relaxed, |left| Some(left.saturating_sub(wanted)));
        let taken = before.unwrap_or(0).min(wanted);
        self.called.fetch_add(taken, Relaxed);
        taken
    }

    pub fn called(&self) -> u64 {
        self.called.load(Relaxed)
    }

    /// Counts calls that ended as they should.
    pub fn ended(&self, ending: Ending, count: u64) {
        match ending {
            Ending::Answered => &self.answered,
            Ending::Failed => &self.failed,
            Ending::Cut => &self.cut,
        }
        .fetch_add(count, Relaxed);
    }

    /// Counts calls without an ending although their connection is open and their deadline long past.
    pub fn lost(&self, count: u64, connection: &str) {
        println!("LOST {count} calls of {connection}");
        self.lost.fetch_add(count, Relaxed);
    }

    /// Counts an ending for a call that had already ended, or was never made.
    pub fn doubled(&self, frame: &str) {
        println!("DOUBLED {}", cut(frame));
        self.doubled.fetch_add(1, Relaxed);
    }

    /// Counts an answer that belongs to another call.
    pub fn crossed(&self, frame: &str, expected: &str) {
        println!("CROSSED {} instead of {expected}", cut(frame));
        self.crossed.fetch_add(1, Relaxed);
    }

    /// Whether every call ended exactly once, with its own ending.
    pub fn is_sound(&self) -> bool {
        let ended: u64 =
            [&self.answered, &self.failed, &self.cut, &self.lost].map(|count| count.load(Relaxed)).iter().sum();
        let wrong: u64 = [&self.lost, &self.doubled, &self.crossed].map(|count| count.load(Relaxed)).iter().sum();
        wrong == 0 && ended == self.called()
    }

    pub fn print(&self) {
        let counts = [
            ("asked", &self.called),
            ("answered", &self.answered),
            ("failed with an error", &self.failed),
            ("cut with their connection", &self.cut),
            ("lost", &self.lost),
            ("doubled", &self.doubled),
            ("crossed", &self.crossed),
        ];
        for (name, count) in counts {
            println!("{name:<25} {}", count.load(Relaxed));
        }
        self.reasons.print();
    }
}

fn cut(frame: &str) -> &str {
    &frame[..frame.floor_char_boundary(200)]
}
