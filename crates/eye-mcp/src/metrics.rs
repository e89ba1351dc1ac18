//! What upstreams have done: calls, errors, times, bytes, tokens.

use serde::{Deserialize, Serialize};

/// Sums since the gateway started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// Calls that ended.
    pub calls: u64,
    /// Those that ended badly, `isError` included.
    pub errors: u64,
    /// The time they took, in µs.
    pub time_us: u64,
    /// Bytes of params.
    pub bytes_in: u64,
    /// Bytes of results.
    pub bytes_out: u64,
    /// Tokens of params (`o200k_base`), as far as they are counted.
    pub tokens_in: u64,
    /// Tokens of results.
    pub tokens_out: u64,
}
