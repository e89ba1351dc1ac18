//! Frames on a byte stream (the Unix socket): lines, and counted payloads.

use crate::limits::FRAME_BYTES_MAX;
use memchr::memchr;

/// The longest head of a counted frame: `#` and the digits of [`FRAME_BYTES_MAX`], with room to spare.
const HEAD_BYTES_MAX: usize = 20;

/// Why a stream cannot be read any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// A frame over the limit.
    #[error("frame over the limit of {} MiB", FRAME_BYTES_MAX >> 20)]
    TooLong,
    /// Text that is not UTF-8.
    #[error("frame is not UTF-8")]
    NotUtf8,
    /// `#` without a length.
    #[error("a line that begins with # must be #<bytes>, and a newline")]
    BadLength,
}

/// Cuts a stream of bytes into frames, however the bytes arrive.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    start: usize,
    scanned: usize,
}

impl Decoder {
    /// The buffer to read into, behind what is there already.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
        }
        &mut self.bytes
    }

    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer().extend_from_slice(bytes);
    }

    /// The next whole frame; `None` when it is not all there yet. Empty frames are skipped.
    pub fn frame(&mut self) -> Result<Option<&str>, StreamError> {
        loop {
            let Some((start, end, next)) = self.cut()? else {
                return Ok(None);
            };
            self.start = next;
            self.scanned = next;
            if start < end {
                return std::str::from_utf8(&self.bytes[start..end]).map(Some).map_err(|_| StreamError::NotUtf8);
            }
        }
    }

    /// Where the next frame starts and ends, and where the one after it starts.
    fn cut(&mut self) -> Result<Option<(usize, usize, usize)>, StreamError> {
        let counted = self.bytes.get(self.start) == Some(&b'#');
        let Some(newline) = memchr(b'\n', &self.bytes[self.scanned..]).map(|at| at + self.scanned) else {
            self.scanned = self.bytes.len();
            let waiting = self.bytes.len() - self.start;
            return match counted {
                true if waiting > HEAD_BYTES_MAX => Err(StreamError::BadLength),
                false if waiting > FRAME_BYTES_MAX => Err(StreamError::TooLong),
                _ => Ok(None),
            };
        };
        let line = &self.bytes[self.start..newline];
        if counted {
            let length = payload_length(&line[1..])?;
            let payload = newline + 1;
            if self.bytes.len() - payload < length {
                // The newline of the head is found again next time: it is within HEAD_BYTES_MAX of the start.
                self.scanned = self.start;
                return Ok(None);
            }
            return Ok(Some((payload, payload + length, payload + length)));
        }
        if line.len() > FRAME_BYTES_MAX {
            return Err(StreamError::TooLong);
        }
        let end = newline - usize::from(line.ends_with(b"\r"));
        Ok(Some((self.start, end, newline + 1)))
    }
}

fn payload_length(digits: &[u8]) -> Result<usize, StreamError> {
    let digits = digits.strip_suffix(b"\r").unwrap_or(digits);
    if digits.is_empty() || digits.len() >= HEAD_BYTES_MAX || !digits.iter().all(u8::is_ascii_digit) {
        return Err(StreamError::BadLength);
    }
    let length = digits.iter().fold(0_u64, |sum, d| sum.saturating_mul(10).saturating_add(u64::from(d - b'0')));
    match usize::try_from(length) {
        Ok(length) if length <= FRAME_BYTES_MAX => Ok(length),
        _ => Err(StreamError::TooLong),
    }
}

/// Writes one frame so that [`Decoder`] reads it back. An empty frame writes nothing.
pub fn write(frame: &str, out: &mut Vec<u8>) {
    let bytes = frame.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return;
    };
    if *first == b'#' || *last == b'\r' || memchr(b'\n', bytes).is_some() {
        out.extend_from_slice(format!("#{}\n", bytes.len()).as_bytes());
        out.extend_from_slice(bytes);
    } else {
        out.reserve(bytes.len() + 1);
        out.extend_from_slice(bytes);
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frames_of(chunks: &[&[u8]]) -> Result<Vec<String>, StreamError> {
        let mut decoder = Decoder::default();
        let mut frames = Vec::new();
        for chunk in chunks {
            decoder.push(chunk);
            while let Some(frame) = decoder.frame()? {
                frames.push(frame.to_owned());
            }
        }
        Ok(frames)
    }

    #[test]
    fn lines_and_counted_payloads_mix() {
        let bytes = b"a:1\n\n\r\n#5\nx\ny\nzb:2\r\n#3\r\n#a\n";
        assert_eq!(frames_of(&[bytes]).unwrap(), ["a:1", "x\ny\nz", "b:2", "#a\n"]);
    }

    #[test]
    fn half_a_frame_is_no_frame_yet() {
        assert_eq!(frames_of(&[b"a:1"]).unwrap(), [""; 0]);
        assert_eq!(frames_of(&[b"#5\nabc"]).unwrap(), [""; 0]);
    }

    #[test]
    fn limits_hold_at_their_edges() {
        let longest = "x".repeat(FRAME_BYTES_MAX);
        assert_eq!(frames_of(&[longest.as_bytes(), b"\n"]).unwrap(), std::slice::from_ref(&longest));
        assert_eq!(frames_of(&[longest.as_bytes(), b"x"]), Err(StreamError::TooLong));
        assert_eq!(frames_of(&[format!("#{FRAME_BYTES_MAX}\n").as_bytes()]).unwrap(), [""; 0]);
        assert_eq!(frames_of(&[format!("#{}\n", FRAME_BYTES_MAX + 1).as_bytes()]), Err(StreamError::TooLong));
        assert_eq!(frames_of(&[b"#1073741824\n"]), Err(StreamError::TooLong));
        assert_eq!(frames_of(&[b"#99999999999999999999999\n"]), Err(StreamError::BadLength));
        assert_eq!(frames_of(&[b"#x\n"]), Err(StreamError::BadLength));
        assert_eq!(frames_of(&[b"#\n"]), Err(StreamError::BadLength));
        assert_eq!(frames_of(&[&[b'#'; 30]]), Err(StreamError::BadLength));
        assert_eq!(frames_of(&[b"\xff\n"]), Err(StreamError::NotUtf8));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_however_it_is_split(
            frames in proptest::collection::vec("(?s).+|#.*|.*\r|(a|\n|\r|#)+", 0..20),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let frames: Vec<String> = frames.into_iter().filter(|f| !f.is_empty()).collect();
            let mut bytes = Vec::new();
            for frame in &frames {
                write(frame, &mut bytes);
            }
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let chunks: Vec<&[u8]> = at.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            prop_assert_eq!(frames_of(&chunks).unwrap(), frames);
        }

        #[test]
        fn any_split_of_any_bytes_gives_the_same(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'#'), Just(b'1'), any::<u8>()], 0..200)) {
            let at_once = frames_of(&[&bytes]);
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            let split = frames_of(&single);
            prop_assert_eq!(at_once, split);
        }
    }
}
