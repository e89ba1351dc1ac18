//! The secrets that the two sides of the agents' socket send each other.

use std::time::Duration;
use subtle::ConstantTimeEq;

/// How long either side waits for the other's secret.
pub const WAIT: Duration = Duration::from_secs(5);
/// The length of a secret as text.
pub const LEN: usize = 64;

/// Compares in constant time, so that the time does not tell how much was right.
pub fn is_right(shown: &[u8], secret: &str) -> bool {
    shown.ct_eq(secret.as_bytes()).into()
}
