//! Finds where two pictures of the same size differ: regions, largest first. Pure.

use super::canvas::{Canvas, PIXEL};

/// Values of a channel that differ by no more than this look the same to a person.
const TOLERANCE: u8 = 12;

/// Differing pixels are grouped in squares of this side. Groups less than two squares apart form one region.
const CELL: u32 = 8;

/// A region that differs, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
    /// The number of differing pixels in it.
    pub pixels: u64,
}

/// The regions that differ, those with the most differing pixels first, and the number of differing pixels in all. Both
/// pictures must have the same size.
pub fn regions(before: &Canvas, now: &Canvas) -> (Vec<Region>, u64) {
    let (columns, rows) = (now.width.div_ceil(CELL) as usize, now.height.div_ceil(CELL) as usize);
    let mut counts = vec![0_u32; columns * rows];
    for y in 0..now.height {
        let (was, is) = (before.row(y), now.row(y));
        if was == is {
            continue;
        }
        let pixels = was.as_chunks::<PIXEL>().0.iter().zip(is.as_chunks::<PIXEL>().0);
        for (x, (was, is)) in pixels.enumerate() {
            if was.iter().zip(is).any(|(was, is)| was.abs_diff(*is) > TOLERANCE) {
                counts[(y / CELL) as usize * columns + x / CELL as usize] += 1;
            }
        }
    }
    let total = counts.iter().map(|count| u64::from(*count)).sum();
    let mut found = Vec::new();
    for start in 0..counts.len() {
        if counts[start] > 0 {
            found.push(gather(&mut counts, columns, rows, start, now));
        }
    }
    found.sort_by_key(|region| std::cmp::Reverse(region.pixels));
    (found, total)
}

/// The region that a cell belongs to. Takes its cells out of the counts.
fn gather(counts: &mut [u32], columns: usize, rows: usize, start: usize, now: &Canvas) -> Region {
    let (mut left, mut top, mut right, mut bottom) = (usize::MAX, usize::MAX, 0, 0);
    let mut pixels = 0;
    let mut open = vec![start];
    while let Some(cell) = open.pop() {
        let count = std::mem::take(&mut counts[cell]);
        if count == 0 {
            continue;
        }
        pixels += u64::from(count);
        let (column, row) = (cell % columns, cell / columns);
        (left, top, right, bottom) = (left.min(column), top.min(row), right.max(column), bottom.max(row));
        for y in row.saturating_sub(2)..(row + 3).min(rows) {
            for x in column.saturating_sub(2)..(column + 3).min(columns) {
                if counts[y * columns + x] > 0 {
                    open.push(y * columns + x);
                }
            }
        }
    }
    let side = |cells: usize| u32::try_from(cells).unwrap_or(0) * CELL;
    let (x, y) = (side(left), side(top));
    Region { x, y, width: side(right + 1).min(now.width) - x, height: side(bottom + 1).min(now.height) - y, pixels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_by_its_place_largest_first() {
        let before = Canvas::plain(100, 60, [255, 255, 255]);
        assert_eq!(regions(&before, &before), (Vec::new(), 0));
        let mut now = before.clone();
        now.fill((2, 2), (3, 3), [0, 0, 0]);
        // Two differing parts that are near each other form one region.
        now.fill((40, 30), (20, 10), [255, 0, 0]);
        now.fill((70, 30), (4, 4), [255, 0, 0]);
        // Too small a difference for a person to see.
        now.fill((90, 50), (4, 4), [250, 250, 250]);
        let (found, pixels) = regions(&before, &now);
        assert_eq!(pixels, 9 + 200 + 16);
        assert_eq!(
            found,
            [
                Region { x: 40, y: 24, width: 40, height: 16, pixels: 216 },
                Region { x: 0, y: 0, width: 8, height: 8, pixels: 9 }
            ]
        );
    }

    #[test]
    fn a_region_ends_with_the_picture() {
        let before = Canvas::plain(10, 9, [0, 0, 0]);
        let (found, _) = regions(&before, &Canvas::plain(10, 9, [255, 255, 255]));
        assert_eq!(found, [Region { x: 0, y: 0, width: 10, height: 9, pixels: 90 }]);
    }
}
