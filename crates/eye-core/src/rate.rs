//! How often something may happen, as a value. [`crate::pace`] keeps to it.

/// So often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// In a second.
    pub per_s: u64,
    /// So many at once.
    pub burst: usize,
}
