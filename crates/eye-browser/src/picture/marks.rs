//! Draws refs on a picture: a frame around each element, and its ref at a corner.

use super::canvas::{Canvas, Colour};

/// The frame and label of an element, in pixels of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub label: String,
    pub x: i64,
    pub y: i64,
    pub width: i64,
    pub height: i64,
}

/// Easy to distinguish, and dark enough for white text.
const COLOURS: [Colour; 6] = [[200, 30, 30], [20, 90, 200], [0, 120, 60], [150, 40, 160], [170, 90, 0], [0, 110, 130]];
const TEXT: Colour = [255, 255, 255];

/// The width of a dot of a letter, in pixels.
const DOT: i64 = 2;
const LETTER_WIDTH: i64 = 5;
const LETTER_HEIGHT: i64 = 7;
const GAP: i64 = 1;
const PADDING: i64 = 2;
const THICK: i64 = 2;

/// Draws all marks. The labels come last, so that no frame crosses one.
pub fn draw(canvas: &mut Canvas, marks: &[Mark]) {
    let coloured = || marks.iter().zip(COLOURS.into_iter().cycle());
    for (mark, colour) in coloured() {
        canvas.frame((mark.x, mark.y), (mark.width, mark.height), THICK, colour);
    }
    for (mark, colour) in coloured() {
        let letters = i64::try_from(mark.label.len()).unwrap_or(0);
        let width = (letters * (LETTER_WIDTH + GAP) - GAP) * DOT + 2 * PADDING;
        let height = LETTER_HEIGHT * DOT + 2 * PADDING;
        // Above the element if there is room, so that the label covers none of it.
        let y = if mark.y >= height { mark.y - height } else { mark.y };
        let x = mark.x.min(i64::from(canvas.width) - width).max(0);
        canvas.fill((x, y), (width, height), colour);
        for (at, letter) in (0_i64..).zip(mark.label.bytes()) {
            write(canvas, (x + PADDING + at * (LETTER_WIDTH + GAP) * DOT, y + PADDING), letter);
        }
    }
}

fn write(canvas: &mut Canvas, (x, y): (i64, i64), letter: u8) {
    for (row, bits) in (0_i64..).zip(glyph(letter)) {
        for column in 0..LETTER_WIDTH {
            if bits & (0b1_0000 >> column) != 0 {
                canvas.fill((x + column * DOT, y + row * DOT), (DOT, DOT), TEXT);
            }
        }
    }
}

/// Seven rows of five dots. Refs contain no other characters.
fn glyph(letter: u8) -> [u8; 7] {
    match letter {
        b'0' => [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        b'1' => [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        b'2' => [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        b'3' => [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110],
        b'4' => [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        b'5' => [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        b'6' => [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        b'7' => [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        b'8' => [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        b'9' => [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        b'e' => [0b00000, 0b00000, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110],
        b'f' => [0b00110, 0b01001, 0b01000, 0b11100, 0b01000, 0b01000, 0b01000],
        _ => [0b11111; 7],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_a_frame_with_its_ref_above_or_inside() {
        let plain = Canvas::plain(80, 60, [255, 255, 255]);
        let mark = |y| Mark { label: "e7".into(), x: 10, y, width: 60, height: 25 };
        for (y, label_y) in [(30, 12), (5, 5)] {
            let mut canvas = plain.clone();
            draw(&mut canvas, &[mark(y)]);
            let at = |x: usize, y: usize| canvas.row(u32::try_from(y).unwrap())[x * 4..x * 4 + 3].to_vec();
            assert_eq!(at(10, usize::try_from(y).unwrap() + 24), COLOURS[0], "the frame");
            assert_eq!(at(40, usize::try_from(y).unwrap() + 12), [255, 255, 255], "nothing inside is covered");
            assert_eq!(at(11, label_y + 1), COLOURS[0], "the label");
            // The bar of the 7.
            assert_eq!(at(26, label_y + 3), TEXT);
        }
        let mut canvas = plain.clone();
        draw(&mut canvas, &[Mark { x: -500, y: 900, width: 1 << 40, ..mark(0) }]);
        assert_eq!(canvas.row(30), plain.row(30));
    }
}
