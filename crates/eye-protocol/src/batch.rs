//! Batches: several frames in one message, as a JSON array.

use crate::limits::{BATCH_BYTES_SOFT_MAX, BATCH_FRAMES_MAX};
use crate::scan::{self, Pause};
use memchr::memchr;
use serde::Deserialize;
use std::borrow::Cow;

/// Bytes around a line frame in a batch: brackets and quotes.
const PUNCTUATION_BYTES: usize = 4;
/// Longer messages are read with pauses.
const PLAIN_BYTES_MAX: usize = 64 << 10;

/// One element of a batch.
#[derive(Debug, PartialEq, Eq)]
pub enum Element<'a> {
    /// A line frame.
    Line(Cow<'a, str>),
    /// A JSON-RPC frame, as JSON text.
    Rpc(&'a str),
}

/// Why a message is not a batch.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// Not a JSON array of strings and objects.
    #[error("a batch is a JSON array of strings and objects")]
    NotABatch,
    /// More elements than [`BATCH_FRAMES_MAX`].
    #[error("a batch holds at most {BATCH_FRAMES_MAX} frames")]
    TooMany,
}

/// Reads a message of a client that uses batches.
pub fn parse(message: &str) -> Result<Vec<Element<'_>>, BatchError> {
    parse_paced(message, || {})
}

/// [`parse`] for a message that may be large.
pub fn parse_paced(message: &str, pause: Pause) -> Result<Vec<Element<'_>>, BatchError> {
    Ok(elements_paced(message, pause)?.collect())
}

/// The elements one by one. Nearly always there is one line, which needs no list.
pub fn elements(message: &str) -> Result<impl Iterator<Item = Element<'_>>, BatchError> {
    elements_paced(message, || {})
}

fn elements_paced(message: &str, pause: Pause) -> Result<impl Iterator<Item = Element<'_>>, BatchError> {
    let only = only_line(message);
    let several = if only.is_some() { Vec::new() } else { several(message, pause)? };
    Ok(only.map(|line| Element::Line(Cow::Borrowed(line))).into_iter().chain(several))
}

fn several(message: &str, pause: Pause) -> Result<Vec<Element<'_>>, BatchError> {
    if message.len() <= PLAIN_BYTES_MAX
        && let Some(lines) = plain_lines(message)
    {
        return if lines.len() > BATCH_FRAMES_MAX { Err(BatchError::TooMany) } else { Ok(lines) };
    }
    let raws = scan::elements(message, pause).ok_or(BatchError::NotABatch)?;
    if raws.len() > BATCH_FRAMES_MAX {
        return Err(BatchError::TooMany);
    }
    raws.into_iter().map(element).collect()
}

/// The line of a batch that holds one line without escapes. Fast path: most answers are so.
fn only_line(message: &str) -> Option<&str> {
    let line = message.strip_prefix("[\"")?.strip_suffix("\"]")?;
    is_plain(line).then_some(line)
}

/// The lines of a batch that holds only lines without escapes, and no space between them. Fast path: many answers at
/// once are so.
fn plain_lines(message: &str) -> Option<Vec<Element<'_>>> {
    let mut rest = message.strip_prefix("[\"")?.strip_suffix("\"]")?;
    let mut lines = Vec::new();
    loop {
        let end = memchr(b'"', rest.as_bytes());
        let line = &rest[..end.unwrap_or(rest.len())];
        if !is_plain(line) {
            return None;
        }
        lines.push(Element::Line(Cow::Borrowed(line)));
        match end {
            Some(end) => rest = rest[end..].strip_prefix("\",\"")?,
            None => return Some(lines),
        }
    }
}

/// Whether a text needs no escaping in JSON. Eight bytes at once, and it never stops early. The last bytes of a longer
/// text are checked with some of those before them, and not one by one.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(last) = bytes.last_chunk() else {
        let mut eight = [b' '; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        return odd(eight) == 0;
    };
    let (eights, _) = bytes.as_chunks();
    eights.iter().fold(odd(*last), |any, eight| any | odd(*eight)) == 0
}

/// Not 0 if any of the bytes is a control character, a quote or a backslash. Subtracting borrows from the top bit of a
/// byte that is less; what a byte above borrows does not matter, because there is one already.
#[inline]
fn odd(eight: [u8; 8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(eight);
    let is_less = |word: u64, than: u8| word.wrapping_sub(ONES * u64::from(than)) & !word;
    let is = |byte: u8| is_less(word ^ (ONES * u64::from(byte)), 1);
    (is_less(word, b' ') | is(b'"') | is(b'\\')) & (ONES << 7)
}

fn element(json: &str) -> Result<Element<'_>, BatchError> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

    match json.as_bytes().first() {
        Some(b'"') => match serde_json::from_str::<Text>(json) {
            Ok(text) => Ok(Element::Line(text.0)),
            Err(_) => Err(BatchError::NotABatch),
        },
        Some(b'{') => Ok(Element::Rpc(json)),
        _ => Err(BatchError::NotABatch),
    }
}

/// Builds messages for a client that uses batches, one frame at a time, in one growing buffer.
///
/// A batch is never held back to be filled: the writer takes the frames that are ready.
#[derive(Debug, Default)]
pub struct Batches {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    open_frames: usize,
    open_start: usize,
}

impl Batches {
    /// Begins with messages that were written before the client asked for batches.
    pub fn after(bytes: Vec<u8>, ends: Vec<usize>) -> Self {
        Self { open_start: bytes.len(), bytes, ends, open_frames: 0 }
    }

    /// Adds a line frame.
    pub fn line(&mut self, frame: &str) {
        self.begin(frame);
        if is_plain(frame) {
            self.bytes.push(b'"');
            self.bytes.extend_from_slice(frame.as_bytes());
            self.bytes.push(b'"');
        } else {
            // Writing text into a vector cannot fail.
            let _ = serde_json::to_writer(&mut self.bytes, frame);
        }
    }

    /// Adds a JSON-RPC frame, which is JSON text already.
    pub fn rpc(&mut self, json: &str) {
        self.begin(json);
        self.bytes.extend_from_slice(json.as_bytes());
    }

    /// Bytes that wait to be sent.
    pub fn len_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Takes all messages: their bytes, and where each ends.
    pub fn take(&mut self) -> (Vec<u8>, Vec<usize>) {
        self.close();
        self.open_start = 0;
        (std::mem::take(&mut self.bytes), std::mem::take(&mut self.ends))
    }

    /// Lends all messages: their bytes, and where each ends.
    pub fn lend(&mut self) -> (&[u8], &[usize]) {
        self.close();
        (&self.bytes, &self.ends)
    }

    /// Forgets all messages. What the buffer grew to beyond `kept_bytes` is given back.
    pub fn clear(&mut self, kept_bytes: usize) {
        self.bytes.clear();
        self.bytes.shrink_to(kept_bytes);
        self.ends.clear();
        (self.open_frames, self.open_start) = (0, 0);
    }

    fn begin(&mut self, frame: &str) {
        self.bytes.reserve(frame.len() + PUNCTUATION_BYTES);
        let full = self.open_frames == BATCH_FRAMES_MAX || self.bytes.len() - self.open_start > BATCH_BYTES_SOFT_MAX;
        if full {
            self.close();
        }
        self.bytes.push(if self.open_frames == 0 { b'[' } else { b',' });
        self.open_frames += 1;
    }

    fn close(&mut self) {
        if self.open_frames > 0 {
            self.bytes.push(b']');
            self.ends.push(self.bytes.len());
            self.open_start = self.bytes.len();
            self.open_frames = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn messages(batches: &mut Batches) -> Vec<String> {
        let (bytes, ends) = batches.take();
        let mut start = 0;
        ends.into_iter()
            .map(|end| String::from_utf8(bytes[std::mem::replace(&mut start, end)..end].to_vec()).unwrap())
            .collect()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(frames in proptest::collection::vec(".*", 0..600)) {
            let mut batches = Batches::default();
            for frame in &frames {
                batches.line(frame);
            }
            let messages = messages(&mut batches);
            prop_assert_eq!(messages.len(), frames.len().div_ceil(BATCH_FRAMES_MAX));
            let read: Vec<Element> = messages.iter().flat_map(|m| parse(m).unwrap()).collect();
            let want: Vec<Element> = frames.iter().map(|f| Element::Line(f.as_str().into())).collect();
            prop_assert_eq!(read, want);
        }

        #[test]
        fn the_short_way_reads_as_the_long_one(line in "[a-é,\"\\\\\u{0}-\u{20}\u{7f}]{0,6}") {
            let message = format!("[\"{line}\"]");
            if let Some(line) = only_line(&message) {
                prop_assert_eq!(serde_json::from_str::<Vec<String>>(&message).unwrap(), [line]);
            }
        }

        #[test]
        fn a_text_is_plain_if_each_of_its_bytes_is(
            text in "[ -~\u{7f}-\u{100}]{0,20}",
            odd in "[\"\\\\\u{0}-\u{1f}]?",
            at in 0..20_usize,
        ) {
            let mut text: String = text.chars().filter(|c| !matches!(c, '"' | '\\')).collect();
            prop_assert!(is_plain(&text), "{text:?}");
            text.insert_str(text.floor_char_boundary(at.min(text.len())), &odd);
            prop_assert_eq!(is_plain(&text), odd.is_empty());
        }

        #[test]
        fn plain_lines_are_read_as_the_long_way_reads_them(
            lines in prop::collection::vec("[a-é,\"\\\\\u{0}-\u{20}\u{7f}]{0,3}", 0..5),
            between in prop::collection::vec("(\",\"|\", \"|,|\"|\"\"){1}", 5),
        ) {
            let parts = lines.iter().zip(&between).flat_map(|(line, between)| [line.as_str(), between.as_str()]);
            let message = format!("[\"{}\"]", parts.collect::<String>());
            if let Some(lines) = plain_lines(&message) {
                let read: Vec<Element> = serde_json::from_str::<Vec<String>>(&message)
                    .unwrap()
                    .into_iter()
                    .map(|line| Element::Line(line.into()))
                    .collect();
                prop_assert_eq!(lines, read);
            }
        }

        #[test]
        fn any_text_is_a_batch_or_an_error(text in ".*") {
            let _ = parse(&text);
        }
    }

    #[test]
    fn objects_are_rpc_frames_and_nothing_else_is_taken() {
        assert_eq!(
            parse(r#"["1:x",{"jsonrpc":"2.0"}]"#).unwrap(),
            [Element::Line("1:x".into()), Element::Rpc(r#"{"jsonrpc":"2.0"}"#)]
        );
        for message in ["", "x", "{}", "[1]", "[[]]", "[null]", r#"["a""#] {
            assert_eq!(parse(message), Err(BatchError::NotABatch), "{message}");
        }
        let many = format!("[{}]", vec!["\"x\""; BATCH_FRAMES_MAX + 1].join(","));
        assert_eq!(parse(&many), Err(BatchError::TooMany));
    }

    #[test]
    fn a_large_frame_closes_its_batch() {
        let mut batches = Batches::default();
        batches.line(&"x".repeat(BATCH_BYTES_SOFT_MAX));
        batches.line("y");
        batches.line("z");
        assert_eq!(messages(&mut batches).len(), 2);
        batches.rpc("{}");
        assert_eq!(messages(&mut batches), ["[{}]"]);
    }
}
