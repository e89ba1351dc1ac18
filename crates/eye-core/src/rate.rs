//! A rate limit as a value. [`crate::pace`] enforces it.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub per_s: u64,
    /// Events allowed at once.
    pub burst: usize,
}
