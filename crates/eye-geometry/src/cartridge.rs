//! A cartridge: a PNG picture that also carries the WGSL source that painted it, and facts about how it was made.

use crate::Picture;
use crate::evolution::Metric;
use crate::limits::{CARTRIDGE_BYTES_MAX, CARTRIDGE_SIDE_MAX, CARTRIDGE_TEXT_BYTES_MAX};
use serde::{Deserialize, Serialize};
use std::io::Cursor;

/// How a cartridge was made. Stored as JSON in the iTXt chunk `eye`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The metric that it was bred for.
    pub metric: Metric,
    /// The fitness it reached, 0 to 1.
    pub fitness: f64,
    /// The entropy of the picture in bits, 0 to 8.
    pub entropy: f64,
    pub generations: u32,
    pub seed: u64,
}

/// The content of a cartridge.
#[derive(Clone, Debug, PartialEq)]
pub struct Cartridge {
    pub picture: Picture,
    /// The WGSL source, if the PNG has one.
    pub source: Option<String>,
    /// The facts, if the PNG has some that can be read.
    pub facts: Option<Facts>,
}

/// Why a file is not a valid cartridge, or a picture cannot become one.
#[derive(Debug, thiserror::Error)]
pub enum BadCartridge {
    /// The file or a part of it is larger than a limit.
    #[error("the cartridge has {what} of {found}, more than {limit}")]
    TooLarge { what: &'static str, found: u64, limit: u64 },
    /// The picture's bytes do not fit its width and height.
    #[error("the picture has {found} bytes where its width and height need {needed}")]
    Pixels { found: usize, needed: usize },
    /// The file is not a readable PNG.
    #[error("this is no readable PNG: {0}")]
    Png(String),
}

/// The iTXt chunk with the WGSL source.
const SOURCE: &str = "wgsl";
/// The iTXt chunk with the facts.
const FACTS: &str = "eye";

/// Encodes a picture with its source and facts as a PNG.
pub fn encode(picture: &Picture, source: &str, facts: &Facts) -> Result<Vec<u8>, BadCartridge> {
    check("a width", picture.width.into(), CARTRIDGE_SIDE_MAX.into())?;
    check("a height", picture.height.into(), CARTRIDGE_SIDE_MAX.into())?;
    check("a source", source.len() as u64, CARTRIDGE_TEXT_BYTES_MAX as u64)?;
    let needed = picture.width as usize * picture.height as usize * 4;
    if picture.rgba.len() != needed {
        return Err(BadCartridge::Pixels { found: picture.rgba.len(), needed });
    }
    let facts = serde_json::to_string(facts).map_err(|error| BadCartridge::Png(error.to_string()))?;
    let mut bytes = Vec::new();
    write(picture, source, facts, &mut bytes).map_err(|error| BadCartridge::Png(error.to_string()))?;
    Ok(bytes)
}

fn write(picture: &Picture, source: &str, facts: String, bytes: &mut Vec<u8>) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(bytes, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.add_itxt_chunk(SOURCE.into(), source.into())?;
    encoder.add_itxt_chunk(FACTS.into(), facts)?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.rgba)?;
    writer.finish()
}

/// Decodes a cartridge's PNG. Nothing larger than the limits is unpacked.
pub fn decode(png: &[u8]) -> Result<Cartridge, BadCartridge> {
    check("a file", png.len() as u64, CARTRIDGE_BYTES_MAX as u64)?;
    let unreadable = |error: png::DecodingError| BadCartridge::Png(error.to_string());
    // Memory for the pixels, and for as much text as the file itself can hold.
    let side = CARTRIDGE_SIDE_MAX as usize;
    let limits = png::Limits { bytes: side * side * 4 + CARTRIDGE_BYTES_MAX };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(png), limits);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let header = decoder.read_header_info().map_err(unreadable)?;
    let (width, height) = (header.width, header.height);
    check("a width", width.into(), CARTRIDGE_SIDE_MAX.into())?;
    check("a height", height.into(), CARTRIDGE_SIDE_MAX.into())?;
    let mut reader = decoder.read_info().map_err(unreadable)?;
    let bytes = reader.output_buffer_size().ok_or_else(|| BadCartridge::Png("its size is not known".into()))?;
    let mut pixels = vec![0; bytes];
    let frame = reader.next_frame(&mut pixels).map_err(unreadable)?;
    pixels.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        png::ColorType::Rgba => pixels,
        png::ColorType::GrayscaleAlpha => {
            pixels.as_chunks::<2>().0.iter().flat_map(|&[grey, alpha]| [grey, grey, grey, alpha]).collect()
        }
        other => return Err(BadCartridge::Png(format!("its colours are {other:?}"))),
    };
    // Text chunks may follow the pixels.
    reader.finish().map_err(unreadable)?;
    let text = |keyword: &str| -> Result<Option<String>, BadCartridge> {
        let Some(mut chunk) = reader.info().utf8_text.iter().find(|chunk| chunk.keyword == keyword).cloned() else {
            return Ok(None);
        };
        chunk.decompress_text_with_limit(CARTRIDGE_TEXT_BYTES_MAX).map_err(unreadable)?;
        let text = chunk.get_text().map_err(unreadable)?;
        check("a text", text.len() as u64, CARTRIDGE_TEXT_BYTES_MAX as u64)?;
        Ok(Some(text))
    };
    let (source, facts) = (text(SOURCE)?, text(FACTS)?);
    let facts = facts.and_then(|facts| serde_json::from_str(&facts).ok());
    Ok(Cartridge { picture: Picture { width, height, rgba }, source, facts })
}

fn check(what: &'static str, found: u64, limit: u64) -> Result<(), BadCartridge> {
    if found > limit { Err(BadCartridge::TooLarge { what, found, limit }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn facts() -> Facts {
        Facts { metric: Metric::Entropy, fitness: 0.75, entropy: 6.0, generations: 12, seed: u64::MAX }
    }

    fn noise(side: u32) -> Picture {
        let rgba = (0..side * side * 4).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        Picture { width: side, height: side, rgba }
    }

    #[test]
    fn a_cartridge_reads_back_as_it_was_written() {
        let source = "// Grüße, \u{1f441}\nfn main(uv: vec2f) -> vec4f { return vec4f(1); }";
        let picture = noise(256);
        let bytes = encode(&picture, source, &facts()).unwrap();
        let read = decode(&bytes).unwrap();
        assert_eq!(read, Cartridge { picture, source: Some(source.into()), facts: Some(facts()) });
    }

    #[test]
    fn what_is_too_large_is_refused_before_it_is_unpacked() {
        let wide =
            Picture { width: CARTRIDGE_SIDE_MAX + 1, height: 1, rgba: vec![0; (CARTRIDGE_SIDE_MAX as usize + 1) * 4] };
        assert!(matches!(encode(&wide, "", &facts()), Err(BadCartridge::TooLarge { what: "a width", .. })));
        let long = " ".repeat(CARTRIDGE_TEXT_BYTES_MAX + 1);
        assert!(matches!(encode(&noise(4), &long, &facts()), Err(BadCartridge::TooLarge { what: "a source", .. })));
        let mut crooked = noise(4);
        crooked.rgba.pop();
        assert!(matches!(encode(&crooked, "", &facts()), Err(BadCartridge::Pixels { found: 63, needed: 64 })));
        assert!(matches!(
            decode(&vec![0; CARTRIDGE_BYTES_MAX + 1]),
            Err(BadCartridge::TooLarge { what: "a file", .. })
        ));

        let mut huge = Vec::new();
        let mut encoder = png::Encoder::new(&mut huge, CARTRIDGE_SIDE_MAX * 4, CARTRIDGE_SIDE_MAX);
        encoder.set_color(png::ColorType::Grayscale);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&vec![0; (CARTRIDGE_SIDE_MAX * CARTRIDGE_SIDE_MAX * 4) as usize]).unwrap();
        writer.finish().unwrap();
        assert!(matches!(decode(&huge), Err(BadCartridge::TooLarge { what: "a width", .. })));
    }

    #[test]
    fn a_text_that_unpacks_to_too_much_is_refused() {
        let mut bomb = Vec::new();
        let mut encoder = png::Encoder::new(&mut bomb, 1, 1);
        encoder.set_color(png::ColorType::Rgba);
        let mut writer = encoder.write_header().unwrap();
        let mut chunk = png::text_metadata::ITXtChunk::new(SOURCE, " ".repeat(CARTRIDGE_TEXT_BYTES_MAX + 1));
        chunk.compressed = true;
        writer.write_text_chunk(&chunk).unwrap();
        writer.write_image_data(&[0; 4]).unwrap();
        writer.finish().unwrap();
        assert!(bomb.len() < CARTRIDGE_TEXT_BYTES_MAX / 50, "{} bytes unpack to too much", bomb.len());
        assert!(matches!(decode(&bomb), Err(BadCartridge::Png(_))));
    }

    #[test]
    fn a_grey_picture_without_texts_is_a_cartridge_too() {
        let mut grey = Vec::new();
        let mut writer = png::Encoder::new(&mut grey, 2, 1).write_header().unwrap();
        writer.write_image_data(&[7, 200]).unwrap();
        writer.finish().unwrap();
        let read = decode(&grey).unwrap();
        assert_eq!((read.source, read.facts), (None, None));
        assert_eq!(read.picture.rgba, [7, 7, 7, 255, 200, 200, 200, 255]);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(noise in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..400, byte in any::<u8>()) {
            let _ = decode(&noise);
            let mut bytes = encode(&super::tests::noise(4), "x", &facts()).unwrap();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = decode(&bytes);
        }
    }
}
