//! Ids: of calls in line frames, and of sessions. A value of these types is proof that the text was valid.

use crate::limits::{CALL_ID_BYTES_MAX, SESSION_ID_BYTES_MAX};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Splits a frame at the first byte that cannot be part of a call id, if that byte is one of `ends` and a call id
/// stands before it.
///
/// Returns the id, the byte that ended it, and the rest.
pub fn split_call_id<'a>(frame: &'a str, ends: &[u8]) -> Option<(&'a str, u8, &'a str)> {
    let bytes = frame.as_bytes();
    let limit = bytes.len().min(CALL_ID_BYTES_MAX + 1);
    let at = bytes[..limit].iter().position(|&b| !CALL_ID_BYTES[usize::from(b)])?;
    if at == 0 || !ends.contains(&bytes[at]) {
        return None;
    }
    Some((&frame[..at], bytes[at], &frame[at + 1..]))
}

/// [`split_call_id`] for an id that is a number, as the hub's own are. Returns the number.
pub fn split_call_number<'a>(frame: &'a str, ends: &[u8]) -> Option<(u64, u8, &'a str)> {
    let bytes = &frame.as_bytes()[..frame.len().min(CALL_ID_BYTES_MAX + 1)];
    let (mut number, mut at) = (0_u64, 0);
    while let Some(eight) = bytes[at..].first_chunk().and_then(|digits| eight_digits(*digits)) {
        number = number.wrapping_mul(100_000_000).wrapping_add(eight);
        at += 8;
    }
    let end = loop {
        let byte = *bytes.get(at)?;
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break byte;
        }
        // As many digits as an id has bytes fit into the number.
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    };
    (at > 0 && ends.contains(&end)).then(|| (number, end, &frame[at + 1..]))
}

/// The number that eight digits are. All at once, because each frame of a page begins with a number of many digits.
fn eight_digits(digits: [u8; 8]) -> Option<u64> {
    let bytes = u64::from_le_bytes(digits);
    // Each byte is 0x30 to 0x3f, and stays so with 6 more.
    let are_digits = bytes & bytes.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0 == 0x3030_3030_3030_3030;
    // Pairs of digits, of those, and of those.
    let twos = (bytes & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (twos & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
    let eight = (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32;
    are_digits.then_some(eight)
}

/// Whether the whole text is a call id.
pub fn is_call_id(text: &str) -> bool {
    (1..=CALL_ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(|byte| CALL_ID_BYTES[usize::from(byte)])
}

/// The bytes of call ids. A table, because every frame is searched for the end of its id.
static CALL_ID_BYTES: [bool; 256] = {
    let (mut table, mut byte) = ([false; 256], 0_u8);
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

/// A call id stored in place, so that a call in flight needs no allocation for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LineId {
    bytes: [u8; CALL_ID_BYTES_MAX],
    len: u8,
}

impl LineId {
    /// Returns the id if the text is a call id.
    pub fn parse(text: &str) -> Option<Self> {
        if !is_call_id(text) {
            return None;
        }
        let mut bytes = [0; CALL_ID_BYTES_MAX];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Some(Self { bytes, len: u8::try_from(text.len()).ok()? })
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl fmt::Debug for LineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Names one session. Clones share the text. Never empty, `[A-Za-z0-9_.-]`, at most [`SESSION_ID_BYTES_MAX`] bytes.
#[derive(Clone, Eq, PartialOrd, Ord)]
pub struct SessionId(Arc<str>);

impl PartialEq for SessionId {
    fn eq(&self, other: &Self) -> bool {
        // Within one hub it is nearly always the same text in the same place.
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Hash for SessionId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl SessionId {
    /// Returns the id if the text is a session id.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=SESSION_ID_BYTES_MAX).contains(&text.len());
        let clean = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b));
        (fits && clean).then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn call_id_is_one_to_nineteen_word_characters() {
        assert_eq!(split_call_id("a:x", b":"), Some(("a", b':', "x")));
        assert_eq!(split_call_id("a_1:x:y", b":"), Some(("a_1", b':', "x:y")));
        let longest = "a".repeat(CALL_ID_BYTES_MAX);
        assert!(split_call_id(&format!("{longest}:x"), b":").is_some());
        assert!(split_call_id(&format!("{longest}a:x"), b":").is_none());
        for frame in ["", ":", ":x", "a", "a b:c", "é:x", "a.b:c", "a!:x"] {
            assert_eq!(split_call_id(frame, b":"), None, "{frame:?}");
        }
    }

    proptest! {
        #[test]
        fn eight_bytes_are_a_number_if_all_are_digits(
            bytes in any::<[u8; 8]>(),
            number in 0..100_000_000_u64,
            at in 0..8_usize,
        ) {
            let digits: [u8; 8] = format!("{number:08}").into_bytes().try_into().unwrap();
            prop_assert_eq!(eight_digits(digits), Some(number));
            let mut odd = digits;
            odd[at] = bytes[at];
            for bytes in [bytes, odd] {
                let text = std::str::from_utf8(&bytes).ok().filter(|_| bytes.iter().all(u8::is_ascii_digit));
                prop_assert_eq!(eight_digits(bytes), text.and_then(|text| text.parse().ok()));
            }
        }

        #[test]
        fn an_id_that_is_a_number_is_read_as_any_id(frame in "[0-9]{0,21}(a|é|:|=)?[0-9]{0,2}(:|=|x)?.*") {
            let any = split_call_id(&frame, b":=").and_then(|(id, end, rest)| Some((id.parse().ok()?, end, rest)));
            prop_assert_eq!(split_call_number(&frame, b":="), any);
        }
    }

    #[test]
    fn session_id_has_a_named_alphabet_and_length() {
        assert!(SessionId::parse(&"a".repeat(SESSION_ID_BYTES_MAX)).is_some());
        assert!(SessionId::parse(&"a".repeat(SESSION_ID_BYTES_MAX + 1)).is_none());
        assert!(SessionId::parse("btcp-1700000000000-1").is_some());
        for text in ["", "a b", "a/b", "ä", "a\n"] {
            assert!(SessionId::parse(text).is_none(), "{text:?}");
        }
    }
}
