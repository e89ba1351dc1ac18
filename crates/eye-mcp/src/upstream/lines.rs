//! Splits a stream of bytes into lines. A line over the limit is skipped without being kept.

/// Bytes of a skipped line that are kept at either end: enough to find the id of a response.
const ENDS_BYTES: usize = 256;

#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// The whole line, without its newline.
    Whole(Vec<u8>),
    /// Only the beginning and end of a line over the limit.
    TooLong {
        /// At most `ENDS_BYTES` bytes.
        head: Vec<u8>,
        tail: Vec<u8>,
    },
}

/// Splits a stream into lines.
#[derive(Debug)]
pub struct Lines {
    bytes_max: usize,
    held: Vec<u8>,
    /// The beginning of a line that is being skipped; `held` then has its last bytes.
    passing: Option<Vec<u8>>,
}

impl Lines {
    /// `bytes_max` is the limit for one line.
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max, held: Vec::new(), passing: None }
    }

    /// Takes bytes, and returns the lines that they complete.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.take(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let rest = std::mem::take(&mut self.held);
            lines.push(match self.passing.take() {
                Some(head) => Line::TooLong { head, tail: rest },
                None => Line::Whole(rest),
            });
        }
        self.take(bytes);
        lines
    }

    fn take(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        if self.passing.is_none() && self.held.len() > self.bytes_max {
            self.passing = Some(self.held[..ENDS_BYTES.min(self.held.len())].to_vec());
        }
        if self.passing.is_some() {
            let from = self.held.len().saturating_sub(ENDS_BYTES);
            self.held = self.held.split_off(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(bytes_max: usize, pieces: &[&[u8]]) -> Vec<Line> {
        let mut lines = Lines::new(bytes_max);
        pieces.iter().flat_map(|piece| lines.feed(piece)).collect()
    }

    #[test]
    fn a_line_at_the_limit_is_whole_and_one_byte_more_is_passed_over() {
        assert_eq!(all(3, &[b"abc\nd\n"]), [Line::Whole(b"abc".to_vec()), Line::Whole(b"d".to_vec())]);
        let long = Line::TooLong { head: b"abcd".to_vec(), tail: b"abcd".to_vec() };
        assert_eq!(all(3, &[b"abcd\nd\n"]), [long, Line::Whole(b"d".to_vec())]);
    }

    #[test]
    fn a_passed_over_line_holds_no_memory() {
        let mut lines = Lines::new(1024);
        for _ in 0..1024 {
            assert_eq!(lines.feed(&[b'x'; 4096]), []);
            assert!(lines.held.capacity() < 64 << 10);
        }
        let [Line::TooLong { head, tail }] = &lines.feed(b"end\nnext")[..] else { panic!("one line") };
        assert!(head.starts_with(b"xxx") && tail.ends_with(b"end") && tail.len() == ENDS_BYTES);
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_lines(text in "[ab\n]{0,200}", cuts in prop::collection::vec(0usize..200, 0..20)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| *at <= bytes.len()).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts {
                pieces.push(&bytes[from..cut]);
                from = cut;
            }
            pieces.push(&bytes[from..]);
            let want: Vec<Line> = {
                let mut all: Vec<&str> = text.split('\n').collect();
                all.pop();
                all.into_iter().map(|line| Line::Whole(line.as_bytes().to_vec())).collect()
            };
            prop_assert_eq!(all(1000, &pieces), want);
        }
    }
}
