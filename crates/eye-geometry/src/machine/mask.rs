//! Sets of active lanes: the word of an active lane has all bits set, the others none.

use super::code::{LANES, Lanes};

/// A set of lanes, and their count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    pub lanes: Lanes,
    pub count: u64,
}

impl Mask {
    pub const NONE: Self = Self { lanes: [0; LANES], count: 0 };

    /// The lanes in which a register of bools is true.
    pub fn of(lanes: &Lanes) -> Self {
        let count = lanes.iter().map(|lane| lane & 1).sum::<u32>();
        Self { lanes: *lanes, count: u64::from(count) }
    }

    pub fn is_full(&self) -> bool {
        self.count == LANES as u64
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Splits the set into the lanes where `condition` is true and where it is false.
    pub fn split(&self, condition: &Lanes) -> (Self, Self) {
        let mut yes = [0; LANES];
        let mut no = [0; LANES];
        for lane in 0..LANES {
            yes[lane] = self.lanes[lane] & condition[lane];
            no[lane] = self.lanes[lane] & !condition[lane];
        }
        (Self::of(&yes), Self::of(&no))
    }

    /// Adds the lanes of another set. The sets must be disjoint.
    pub fn add(&mut self, other: &Self) {
        for lane in 0..LANES {
            self.lanes[lane] |= other.lanes[lane];
        }
        self.count += other.count;
    }

    /// Moves all lanes to another set, which must have none of them.
    pub fn move_to(&mut self, other: &mut Self) {
        other.add(self);
        *self = Self::NONE;
    }
}
