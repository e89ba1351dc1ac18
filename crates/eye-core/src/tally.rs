//! Counts of what happened in a hub.

use crate::ids::Millis;
use eye_protocol::Code;
use std::collections::BTreeMap;

/// Upper edges of the latency buckets, in ms.
pub const LATENCY_EDGES_MS: [u64; 12] = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 2_500, 10_000, 30_000];

/// Counts since the hub started.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Calls that ended.
    pub calls: u64,
    /// Calls that ended in an error, by its code.
    pub errors: BTreeMap<i32, u64>,
    /// Durations of calls: one count for each edge, and one for longer calls.
    pub latency: [u64; LATENCY_EDGES_MS.len() + 1],
    /// Sum of the durations.
    pub latency_ms_sum: u64,
}

impl Tally {
    /// Counts one ending. `error`: the code of the error that it is.
    pub fn ended(&mut self, error: Option<Code>, took_ms: Millis) {
        self.calls += 1;
        let bucket = LATENCY_EDGES_MS.iter().position(|edge| took_ms <= *edge).unwrap_or(LATENCY_EDGES_MS.len());
        self.latency[bucket] += 1;
        self.latency_ms_sum += took_ms;
        if let Some(Code(code)) = error {
            // A page may send any code: only so many are distinguished, the others count as 0.
            let known = self.errors.len() < 64 || self.errors.contains_key(&code);
            *self.errors.entry(if known { code } else { 0 }).or_default() += 1;
        }
    }
}
