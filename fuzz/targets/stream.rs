//! The byte stream of the Unix socket: the frames do not depend on how the stream is cut, and written frames are read
//! back.
#![no_main]

use eye_protocol::stream::{self, Decoder};
use libfuzzer_sys::fuzz_target;

/// All frames of a stream that arrives in pieces of this many bytes, and whether it ended with an error.
fn frames(bytes: &[u8], piece: usize) -> (Vec<String>, bool) {
    let (mut decoder, mut all) = (Decoder::default(), Vec::new());
    for part in bytes.chunks(piece) {
        decoder.buffer().extend_from_slice(part);
        loop {
            match decoder.frame() {
                Ok(Some(frame)) => all.push(frame.to_owned()),
                Ok(None) => break,
                Err(_) => return (all, true),
            }
        }
    }
    (all, false)
}

fuzz_target!(|bytes: &[u8]| {
    let at_once = frames(bytes, usize::MAX);
    assert_eq!(at_once, frames(bytes, 1));
    assert_eq!(at_once, frames(bytes, 7));
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.is_empty()
    {
        let mut written = Vec::new();
        stream::write(text, &mut written);
        assert_eq!(frames(&written, 5), (vec![text.to_owned()], false));
    }
});
