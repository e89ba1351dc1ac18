//! Joins messages of other hubs that arrive in parts. The bytes and the number of unfinished messages are bounded,
//! whatever other hubs send.

use crate::core::Life;
use crate::packet::{self, Body, Packet};
use crate::wire::Frame;
use rustc_hash::FxHashMap;

/// The bytes of all unfinished messages together.
pub const PARTS_BYTES_MAX: usize = 96 << 20;
/// The number of unfinished messages. A hub sends one message after the other, so this is also a number of hubs.
pub const PARTS_LEN_MAX: usize = 256;

#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The sender's number of the message.
    pub id: u64,
    /// The number of the part, from 0.
    pub at: u32,
    pub last: bool,
    pub bytes: &'a [u8],
}

/// Why a message of another hub is dropped.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Its bytes do not decode to a packet or to frames.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] rmp_serde::decode::Error),
    /// It came in parts, and a part is missing or it is too large.
    #[error(transparent)]
    Part(#[from] PartError),
}

/// Why the rest of a message in parts is dropped.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// An earlier part did not arrive, or was refused.
    #[error("a part of it is missing")]
    Missing,
    /// It is larger than the bytes that may wait in all.
    #[error("it is too large")]
    TooLarge,
}

/// The first parts of a message.
#[derive(Debug)]
struct Begun {
    id: u64,
    /// The number of the next part.
    next: u32,
    bytes: Vec<u8>,
    /// When its last part arrived, as a count of parts from all hubs.
    heard: u64,
}

/// Unfinished messages, at most one per hub.
#[derive(Debug)]
pub struct Parts {
    begun: FxHashMap<Life, Begun>,
    bytes: usize,
    bytes_max: usize,
    heard: u64,
    /// The sender of the last message: often the next one's, too, and its life is not copied again.
    last_from: Option<Life>,
}

impl Default for Parts {
    fn default() -> Self {
        Self::with_bytes_max(PARTS_BYTES_MAX)
    }
}

impl Parts {
    /// The same with another limit of bytes.
    pub fn with_bytes_max(bytes_max: usize) -> Self {
        Self { begun: FxHashMap::default(), bytes: 0, bytes_max, heard: 0, last_from: None }
    }

    /// Reads a packet. `Some`: the life of the sender and its frames. `None`: the packet was a part, and more parts
    /// follow.
    pub fn read(&mut self, payload: &[u8]) -> Result<Option<(Life, Vec<Frame>)>, ReadError> {
        let Packet { from, body } = Packet::read(payload)?;
        let from = match &self.last_from {
            Some(last) if **last == *from => last.clone(),
            _ => Life::from(&*from),
        };
        self.last_from = Some(from.clone());
        let frames = match body {
            Body::Frames(frames) => frames,
            Body::Part { id, at, last, bytes } => match self.take(&from, Part { id, at, last, bytes: &bytes })? {
                Some(whole) => packet::read_frames(&whole)?,
                None => return Ok(None),
            },
        };
        Ok(Some((from, frames)))
    }

    /// Adds a part. `Some`: the message is complete. Without room, the message that has waited longest for its next
    /// part is dropped: its hub is most likely gone.
    pub fn take(&mut self, from: &Life, part: Part<'_>) -> Result<Option<Vec<u8>>, PartError> {
        let Part { id, at, last, bytes } = part;
        // Parts come in order. If a hub starts another message or leaves a part out, the message before is dropped.
        if !self.begun.get(from).is_some_and(|begun| begun.id == id && begun.next == at) {
            self.forget(from);
            if at > 0 {
                return Err(PartError::Missing);
            }
        }
        let own = self.begun.get(from).map_or(0, |begun| begun.bytes.len());
        if own + bytes.len() > self.bytes_max {
            self.forget(from);
            return Err(PartError::TooLarge);
        }
        while self.bytes + bytes.len() > self.bytes_max {
            self.give_way(from);
        }
        if !self.begun.contains_key(from) && self.begun.len() >= PARTS_LEN_MAX {
            self.give_way(from);
        }
        self.heard += 1;
        let heard = self.heard;
        let begun = self.begun.entry(from.clone()).or_insert_with(|| Begun { id, next: 0, bytes: Vec::new(), heard });
        begun.bytes.extend_from_slice(bytes);
        begun.next = at.saturating_add(1);
        begun.heard = heard;
        self.bytes += bytes.len();
        Ok(if last { self.forget(from) } else { None })
    }

    /// Drops the unfinished message of a hub, and returns its bytes.
    pub fn forget(&mut self, from: &Life) -> Option<Vec<u8>> {
        let begun = self.begun.remove(from)?;
        self.bytes -= begun.bytes.len();
        Some(begun.bytes)
    }

    /// Drops everything: the link is down, so parts were lost.
    pub fn clear(&mut self) {
        self.begun.clear();
        self.bytes = 0;
    }

    /// The number of unfinished messages, and their bytes.
    pub fn waiting(&self) -> (usize, usize) {
        (self.begun.len(), self.bytes)
    }

    fn give_way(&mut self, except: &Life) {
        let others = self.begun.iter().filter(|(life, _)| *life != except);
        let longest = others.min_by_key(|(_, begun)| begun.heard).map(|(life, _)| life.clone());
        if let Some(life) = longest {
            tracing::debug!(from = &*life, "an unfinished message of another hub gives way");
            self.forget(&life);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(id: u64, at: u32, last: bool, bytes: &[u8]) -> Part<'_> {
        Part { id, at, last, bytes }
    }

    fn life(number: usize) -> Life {
        number.to_string().into()
    }

    #[test]
    fn parts_of_many_hubs_become_the_messages_that_they_were() {
        let mut parts = Parts::default();
        let (a, b) = (life(1), life(2));
        assert_eq!(parts.take(&a, part(1, 0, false, b"he")), Ok(None));
        assert_eq!(parts.take(&b, part(1, 0, false, b"wor")), Ok(None));
        assert_eq!(parts.take(&a, part(1, 1, true, b"llo")), Ok(Some(b"hello".to_vec())));
        assert_eq!(parts.take(&b, part(1, 1, true, b"ld")), Ok(Some(b"world".to_vec())));
        assert_eq!(parts.waiting(), (0, 0));
    }

    #[test]
    fn a_message_with_a_missing_part_never_becomes_whole() {
        let mut parts = Parts::default();
        let from = life(1);
        // The link came back in the middle of the message.
        assert_eq!(parts.take(&from, part(7, 3, false, b"x")), Err(PartError::Missing));
        assert_eq!(parts.take(&from, part(7, 4, true, b"x")), Err(PartError::Missing));
        assert_eq!(parts.take(&from, part(8, 0, false, b"a")), Ok(None));
        assert_eq!(parts.take(&from, part(8, 2, true, b"c")), Err(PartError::Missing));
        // A dropped message does not delay the next one.
        assert_eq!(parts.take(&from, part(9, 0, false, b"a")), Ok(None));
        assert_eq!(parts.take(&from, part(10, 0, true, b"b")), Ok(Some(b"b".to_vec())));
        assert_eq!(parts.waiting(), (0, 0));
    }

    #[test]
    fn however_many_hubs_begin_a_message_only_so_many_wait_and_the_newest_ends() {
        let mut parts = Parts::default();
        for number in 0..PARTS_LEN_MAX * 2 {
            assert_eq!(parts.take(&life(number), part(1, 0, false, b"")), Ok(None));
            assert!(parts.waiting().0 <= PARTS_LEN_MAX);
        }
        let (oldest, newest) = (life(0), life(PARTS_LEN_MAX * 2 - 1));
        assert_eq!(parts.take(&oldest, part(1, 1, true, b"x")), Err(PartError::Missing));
        assert_eq!(parts.take(&newest, part(1, 1, true, b"x")), Ok(Some(b"x".to_vec())));
    }

    #[test]
    fn the_message_that_waits_longest_gives_way_when_the_bytes_are_used_up() {
        let mut parts = Parts::with_bytes_max(8);
        let (a, b, c) = (life(1), life(2), life(3));
        assert_eq!(parts.take(&a, part(1, 0, false, b"aaa")), Ok(None));
        assert_eq!(parts.take(&b, part(1, 0, false, b"bbb")), Ok(None));
        assert_eq!(parts.take(&a, part(1, 1, false, b"a")), Ok(None));
        assert_eq!(parts.take(&c, part(1, 0, false, b"cccc")), Ok(None));
        assert_eq!(parts.waiting(), (2, 8));
        assert_eq!(parts.take(&b, part(1, 1, true, b"b")), Err(PartError::Missing));
        assert_eq!(parts.take(&a, part(1, 2, true, b"")), Ok(Some(b"aaaa".to_vec())));
        // A message that alone is too large is dropped whole, and no other message gives way to it.
        assert_eq!(parts.take(&a, part(2, 0, false, b"123456789")), Err(PartError::TooLarge));
        assert_eq!(parts.take(&a, part(2, 1, true, b"1")), Err(PartError::Missing));
        assert_eq!(parts.take(&c, part(1, 1, true, b"c")), Ok(Some(b"ccccc".to_vec())));
        assert_eq!(parts.waiting(), (0, 0));
    }
}
