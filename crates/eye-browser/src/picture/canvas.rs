//! A picture in memory: read from a PNG, painted on, and written as a PNG.

use png::{BitDepth, ColorType, Decoder, Encoder, Transformations};
use std::io::Cursor;
use std::ops::Range;

/// The size of one picture in memory: 32 million pixels.
const PIXELS_BYTES_MAX: usize = 128 << 20;

/// Bytes per pixel: red, green, blue, alpha.
pub const PIXEL: usize = 4;

/// How often each pixel may be painted over, on average.
const COVERED_MAX: u64 = 8;

/// A colour without transparency.
pub type Colour = [u8; 3];

/// A rectangle: `((left, top), (width, height))`.
pub type Area = ((i64, i64), (i64, i64));

/// A picture as pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canvas {
    pub width: u32,
    pub height: u32,
    /// Rows of RGBA, from the top.
    pixels: Vec<u8>,
}

/// Why a picture cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("it is not a PNG")]
    NotPng,
    /// The PNG is broken or too large.
    #[error("{0}")]
    Broken(String),
}

impl Canvas {
    /// A picture of one colour.
    #[cfg(test)]
    pub fn plain(width: u32, height: u32, [r, g, b]: Colour) -> Self {
        Self { width, height, pixels: [r, g, b, 255].repeat(width as usize * height as usize) }
    }

    /// Reads a PNG of any colour type.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Err(Unreadable::NotPng);
        }
        let broken = |error: png::DecodingError| Unreadable::Broken(error.to_string());
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: PIXELS_BYTES_MAX });
        decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
        let mut reader = decoder.read_info().map_err(broken)?;
        // Counted at four bytes per pixel: a grey picture is smaller before it is expanded.
        let expanded_bytes = u64::from(reader.info().width) * u64::from(reader.info().height) * PIXEL as u64;
        let len = reader.output_buffer_size().filter(|_| expanded_bytes <= PIXELS_BYTES_MAX as u64);
        let mut raw = vec![0; len.ok_or_else(|| Unreadable::Broken("it has more than 32 million pixels".into()))?];
        let info = reader.next_frame(&mut raw).map_err(broken)?;
        raw.truncate(info.buffer_size());
        let pixels = match info.color_type {
            ColorType::Rgba => raw,
            ColorType::Rgb => raw.as_chunks::<3>().0.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect(),
            ColorType::Grayscale => raw.iter().flat_map(|&v| [v, v, v, 255]).collect(),
            ColorType::GrayscaleAlpha => raw.as_chunks::<2>().0.iter().flat_map(|&[v, a]| [v, v, v, a]).collect(),
            ColorType::Indexed => return Err(Unreadable::Broken("its colours are not expanded".into())),
        };
        Ok(Self { width: info.width, height: info.height, pixels })
    }

    /// Encodes a PNG, with fast compression.
    pub fn write(&self) -> Result<Vec<u8>, Unreadable> {
        let broken = |error: png::EncodingError| Unreadable::Broken(error.to_string());
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(ColorType::Rgba);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(broken)?;
        writer.write_image_data(&self.pixels).map_err(broken)?;
        writer.finish().map_err(broken)?;
        Ok(bytes)
    }

    /// The pixels of a row.
    pub fn row(&self, y: u32) -> &[u8] {
        let len = self.width as usize * PIXEL;
        let start = y as usize * len;
        self.pixels.get(start..start + len).unwrap_or_default()
    }

    /// The columns and rows of a rectangle that lie inside the picture.
    fn inside(&self, (x, y): (i64, i64), (width, height): (i64, i64)) -> (Range<i64>, Range<i64>) {
        let (own_width, own_height) = (i64::from(self.width), i64::from(self.height));
        let across = x.clamp(0, own_width)..x.saturating_add(width).clamp(0, own_width);
        let down = y.clamp(0, own_height)..y.saturating_add(height).clamp(0, own_height);
        (across, down)
    }

    /// Paints rectangles. If a page stacks too many on each other, paints the whole picture.
    pub fn cover(&mut self, places: &[Area], colour: Colour) {
        let area = |range: Range<i64>| u64::try_from(range.end - range.start).unwrap_or(0);
        let painted = places.iter().map(|(at, size)| {
            let (across, down) = self.inside(*at, *size);
            area(across) * area(down)
        });
        if painted.fold(0, u64::saturating_add) > COVERED_MAX * u64::from(self.width) * u64::from(self.height) {
            return self.fill((0, 0), (i64::from(self.width), i64::from(self.height)), colour);
        }
        for (at, size) in places {
            self.fill(*at, *size, colour);
        }
    }

    /// Paints a rectangle, cut to the picture.
    pub fn fill(&mut self, at: (i64, i64), size: (i64, i64), colour: Colour) {
        let [red, green, blue] = colour;
        let (across, down) = self.inside(at, size);
        for row in down {
            let at = |column: i64| usize::try_from(row * i64::from(self.width) + column).unwrap_or(0) * PIXEL;
            let Some(pixels) = self.pixels.get_mut(at(across.start)..at(across.end)) else { continue };
            for pixel in pixels.as_chunks_mut::<PIXEL>().0 {
                *pixel = [red, green, blue, 255];
            }
        }
    }

    /// Paints the border of a rectangle, `thick` pixels wide, inside it.
    pub fn frame(&mut self, (x, y): (i64, i64), (width, height): (i64, i64), thick: i64, colour: Colour) {
        let (across, down) = (thick.min(width), thick.min(height));
        self.fill((x, y), (width, down), colour);
        self.fill((x, y + height - down), (width, down), colour);
        self.fill((x, y), (across, height), colour);
        self.fill((x + width - across, y), (across, height), colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_written_and_read_again() {
        let mut canvas = Canvas::plain(5, 4, [255, 255, 255]);
        canvas.fill((-2, 1), (4, 2), [1, 2, 3]);
        canvas.fill((9, 9), (4, 2), [9, 9, 9]);
        canvas.fill((0, 0), (-3, i64::MAX), [9, 9, 9]);
        let again = Canvas::read(&canvas.write().unwrap()).unwrap();
        assert_eq!(again, canvas);
        assert_eq!(canvas.row(1)[..12], [1, 2, 3, 255, 1, 2, 3, 255, 255, 255, 255, 255]);
        assert_eq!(canvas.row(3)[..4], [255, 255, 255, 255]);
        assert_eq!(canvas.row(4), [0; 0]);
    }

    #[test]
    fn what_covers_a_picture_too_often_covers_all_of_it() {
        let plain = Canvas::plain(8, 8, [255, 255, 255]);
        let (mut some, mut all) = (plain.clone(), plain);
        let half = ((0, 0), (8, 4));
        some.cover(&[half; 16], [1, 2, 3]);
        assert_eq!((some.row(3)[0], some.row(4)[0]), (1, 255));
        all.cover(&[half; 17], [1, 2, 3]);
        assert_eq!(all, Canvas::plain(8, 8, [1, 2, 3]));
    }

    #[test]
    fn what_is_no_picture_is_said() {
        assert!(matches!(Canvas::read(b"\xff\xd8\xff\xe0"), Err(Unreadable::NotPng)));
        assert!(matches!(Canvas::read(b"\x89PNG\r\n\x1a\n\0\0"), Err(Unreadable::Broken(_))));
        // A size that does not fit into memory is refused before anything is allocated.
        let mut huge = Canvas::plain(1, 1, [0, 0, 0]).write().unwrap();
        huge[16..20].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff]);
        assert!(matches!(Canvas::read(&huge), Err(Unreadable::Broken(_))));
    }

    #[test]
    fn a_small_file_of_a_large_picture_is_not_unfolded() {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, 8192, 8192);
        encoder.set_color(ColorType::Grayscale);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&vec![0; 8192 * 8192]).unwrap();
        writer.finish().unwrap();
        assert!(bytes.len() < 1 << 20);
        let Err(Unreadable::Broken(why)) = Canvas::read(&bytes) else { panic!("it would be 256 MiB") };
        assert_eq!(why, "it has more than 32 million pixels");
    }
}
