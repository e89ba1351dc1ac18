//! The Hilbert curve over a square grid whose side is a power of two: index to cell and back, exact for all of `u64`.
//! The orientation is that of the original app: 0 is (0,0), 1 is (1,0), 2 is (1,1), 3 is (0,1), and from side 4 on 4 is
//! (0,2).

/// The cell at `index` on the curve through a grid of `side * side` cells. `side` is a power of two up to 2^31, `index`
/// is below `side * side`; of a larger index only the lower bits count.
pub fn d2xy(side: u64, index: u64) -> (u64, u64) {
    let (mut x, mut y, mut rest) = (0, 0, index);
    let mut quarter = 1;
    while quarter < side {
        let right = 1 & (rest >> 1);
        let down = 1 & (rest ^ right);
        (x, y) = turned(quarter, x, y, right, down);
        x += quarter * right;
        y += quarter * down;
        rest >>= 2;
        quarter <<= 1;
    }
    (x, y)
}

/// The index on the curve of the cell at `x`, `y`; the inverse of [`d2xy`].
pub fn xy2d(side: u64, x: u64, y: u64) -> u64 {
    let (mut x, mut y, mut index) = (x, y, 0);
    let mut quarter = side / 2;
    while quarter > 0 {
        let right = u64::from(x & quarter > 0);
        let down = u64::from(y & quarter > 0);
        index += quarter * quarter * ((3 * right) ^ down);
        (x, y) = turned(quarter, x & (quarter - 1), y & (quarter - 1), right, down);
        quarter >>= 1;
    }
    index
}

/// Rotates a cell inside its quadrant of the given side, so that the curve connects to the neighbouring quadrants.
fn turned(quarter: u64, x: u64, y: u64, right: u64, down: u64) -> (u64, u64) {
    match (right, down) {
        (0, 0) => (y, x),
        (1, 0) => (quarter - 1 - y, quarter - 1 - x),
        _ => (x, y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_index_of_every_grid_up_to_2048_comes_back_and_neighbours_touch() {
        for order in 0..=11 {
            let side = 1u64 << order;
            let mut before: Option<(u64, u64)> = None;
            for index in 0..side * side {
                let (x, y) = d2xy(side, index);
                assert!(x < side && y < side, "{index} of {side} is outside");
                assert_eq!(xy2d(side, x, y), index, "of {side}");
                if let Some((left, above)) = before {
                    assert_eq!(
                        x.abs_diff(left) + y.abs_diff(above),
                        1,
                        "{index} of {side} does not touch the one before"
                    );
                }
                before = Some((x, y));
            }
        }
    }

    #[test]
    fn the_curve_begins_as_the_original_does() {
        let cells: Vec<(u64, u64)> = (0..5).map(|index| d2xy(256, index)).collect();
        assert_eq!(cells, [(0, 0), (1, 0), (1, 1), (0, 1), (0, 2)]);
    }

    #[test]
    fn the_largest_grid_reaches_its_last_index() {
        let side = 1 << 31;
        let last = side * side - 1;
        let (x, y) = d2xy(side, last);
        assert_eq!(xy2d(side, x, y), last);
    }

    proptest! {
        #[test]
        fn indices_beyond_32_bits_come_back(order in 16u32..=31, part in any::<u64>()) {
            let side = 1u64 << order;
            let index = part % (side * side);
            let (x, y) = d2xy(side, index);
            prop_assert!(x < side && y < side);
            prop_assert_eq!(xy2d(side, x, y), index);
            if index > 0 {
                let (left, above) = d2xy(side, index - 1);
                prop_assert_eq!(x.abs_diff(left) + y.abs_diff(above), 1);
            }
        }
    }
}
