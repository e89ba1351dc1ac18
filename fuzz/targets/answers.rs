//! Answers of pages as lines and binary messages: parsing, writing and parsing again gives the same result.
#![no_main]

use eye_protocol::answer::{parse_plain, parse_typed, write_typed};
use eye_protocol::binary::Binary;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(binary) = Binary::parse(bytes) {
        let mut written = Vec::new();
        binary.write(&mut written);
        assert_eq!(written, bytes);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = parse_plain(text);
    if let Some((id, ending)) = parse_typed(text) {
        let mut written = String::new();
        write_typed(id, &ending, &mut written);
        // Writing drops separators from a message; from then on it stays the same.
        let (same, ending) = parse_typed(&written).expect("what was written is read");
        let mut again = String::new();
        write_typed(same, &ending, &mut again);
        assert_eq!((same, &again), (id, &written));
    }
});
