//! `eye shot` and `eye pdf`: writes what the browser drew to a file.

use crate::client;
use crate::env;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::results;
use crate::ui;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

/// Pixels per token, approximately, when a model reads a picture.
const PIXELS_PER_TOKEN: u64 = 750;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Picture {
    base64: String,
    media_type: String,
}

/// Takes the picture, writes the file, and prints its path.
pub fn run(verb: &str, mut params: Map<String, Value>, options: &Options) -> Result<Exit, Failure> {
    let output = params.remove("output");
    if params.contains_key("unmask") && !ui::can_ask() {
        let hint = "an agent sees them painted over; run it yourself in a terminal";
        return Err(Failure::usage("--unmask is for a person at a terminal", hint));
    }
    if let Some(file) = params.remove("diff") {
        return differing(verb, &file, params, options);
    }
    if let (Some(format), None) = (output.as_ref().and_then(Value::as_str).and_then(format_of), params.get("format")) {
        params.insert("format".into(), format.into());
    }
    let answer = client::verb(verb, &params, options)?;
    let picture: Picture = client::read_result(&answer)?;
    let bytes = STANDARD.decode(&picture.base64).map_err(|error| Failure::Garbled(error.to_string()))?;
    let path = match output {
        Some(path) => {
            let path = PathBuf::from(path.as_str().unwrap_or_default());
            std::fs::write(&path, &bytes).map_err(Failure::io(format!("write {}", path.display())))?;
            path
        }
        None => {
            write_fresh(&picture.media_type, &bytes).map_err(Failure::io("write a file in the temporary folder"))?
        }
    };
    if !options.errors {
        let about = size(&bytes).map_or_else(String::new, |(width, height)| {
            let tokens = (u64::from(width) * u64::from(height)).div_ceil(PIXELS_PER_TOKEN);
            format!(" {width}x{height} about {tokens} tokens,")
        });
        ui::line(format_args!("{}{about} {} bytes", path.display(), bytes.len()))?;
    }
    Ok(Exit::Success)
}

/// Prints, in words, the differences from a picture in a file.
fn differing(verb: &str, file: &Value, mut params: Map<String, Value>, options: &Options) -> Result<Exit, Failure> {
    let path = PathBuf::from(file.as_str().unwrap_or_default());
    let bytes = std::fs::read(&path).map_err(Failure::io(format!("read {}", path.display())))?;
    params.insert("before".into(), STANDARD.encode(bytes).into());
    results::show(&client::verb(verb, &params, options)?, options)
}

/// The format for the file's extension.
fn format_of(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
        "png" => Some("png"),
        "jpg" | "jpeg" => Some("jpeg"),
        "webp" => Some("webp"),
        _ => None,
    }
}

/// Width and height from the header of a PNG, JPEG or lossy WebP.
fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let big = |at: usize| Some(u32::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let little = |at: usize| Some(u32::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?) & 0x3fff));
    let wide = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if bytes.starts_with(b"\x89PNG") {
        return Some((wide(16)?, wide(20)?));
    }
    if bytes.starts_with(b"RIFF") && bytes.get(12..16)? == b"VP8 " {
        return Some((little(26)?, little(28)?));
    }
    if !bytes.starts_with(b"\xff\xd8") {
        return None;
    }
    let mut at = 2;
    loop {
        match (bytes.get(at)?, bytes.get(at + 1)?) {
            (0xff, 0xc0..=0xc3) => return Some((big(at + 7)?, big(at + 5)?)),
            (0xff, _) => at += 2 + big(at + 2)? as usize,
            _ => return None,
        }
    }
}

/// Creates a new file, so that no link of another user is followed.
fn write_fresh(media_type: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let ending = media_type.rsplit('/').next().unwrap_or("bin");
    let folder = env::temporary_folder();
    for number in 1.. {
        let path = folder.join(format!("eye-{}-{number}.{ending}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => return file.write_all(bytes).map(|()| path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_the_head_of_a_picture() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend([0, 0, 5, 0, 0, 0, 3, 32]);
        assert_eq!(size(&png), Some((1280, 800)));
        let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 17, 8, 3, 32, 5, 0];
        assert_eq!(size(&jpeg), Some((1280, 800)));
        let mut webp = b"RIFF....WEBPVP8 ....".to_vec();
        webp.extend([0, 0, 0, 0x9d, 1, 0x2a, 0, 5, 32, 3]);
        assert_eq!(size(&webp), Some((1280, 800)));
        for odd in [&b""[..], b"\x89PNG", b"%PDF-1.4", &jpeg[..12]] {
            assert_eq!(size(odd), None);
        }
    }
}
