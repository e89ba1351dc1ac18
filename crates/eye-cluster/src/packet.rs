//! One message to a hub: everything that was ready for it, or a part of that where it is too large for one.

use crate::wire::Frame;
use rmp_serde::encode::{Error, write_named};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One message to a hub.
#[derive(Debug, Serialize, Deserialize)]
pub struct Packet<'a> {
    /// The sender's life.
    #[serde(borrow)]
    pub from: Cow<'a, str>,
    /// What it holds.
    #[serde(borrow)]
    pub body: Body<'a>,
}

/// What a message holds.
#[derive(Debug, Serialize, Deserialize)]
pub enum Body<'a> {
    /// Everything that was ready for that hub.
    Frames(Vec<Frame>),
    /// A part of a message that is too large for one.
    Part {
        /// Which message of the sender.
        id: u64,
        /// Which part of it, from 0 on.
        at: u32,
        /// Whether it is the last part.
        last: bool,
        /// The bytes.
        #[serde(borrow, with = "serde_bytes")]
        bytes: Cow<'a, [u8]>,
    },
}

/// Writes the messages of one hub. Frames are written once, behind a beginning that is the same for all.
#[derive(Debug)]
pub struct Writer {
    from: Box<str>,
    beginning: Vec<u8>,
}

impl Writer {
    /// Writes for the hub of this life.
    pub fn new(from: &str) -> Self {
        let packet = Packet { from: from.into(), body: Body::Frames(Vec::new()) };
        let mut beginning = rmp_serde::to_vec_named(&packet).unwrap_or_default();
        // The empty list at its end is one byte; another list goes there.
        beginning.pop();
        Self { from: from.into(), beginning }
    }

    /// A message of frames.
    pub fn frames(&self, frames: &[Frame]) -> Result<Vec<u8>, Error> {
        let mut message = self.beginning.clone();
        write_named(&mut message, frames)?;
        Ok(message)
    }

    /// Messages of at most so many bytes of frames each, which together are this message.
    pub fn parts(&self, id: u64, message: &[u8], bytes_max: usize) -> impl Iterator<Item = Result<Vec<u8>, Error>> {
        let frames = &message[self.beginning.len()..];
        let count = frames.len().div_ceil(bytes_max);
        (0..).zip(frames.chunks(bytes_max)).map(move |(at, bytes): (u32, _)| {
            let last = at as usize + 1 == count;
            let body = Body::Part { id, at, last, bytes: bytes.into() };
            rmp_serde::to_vec_named(&Packet { from: (&*self.from).into(), body })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Parts;

    fn news(text: &str) -> Frame {
        Frame::Progress { call: 1, progress: text.into() }
    }

    #[test]
    fn what_is_written_is_read_whole_and_in_parts() {
        let writer = Writer::new("0123456789abcdef0123456789abcdef");
        for count in [0, 1, 15, 16, 70_000] {
            let frames = vec![news("some text"); count];
            let message = writer.frames(&frames).unwrap();
            let plain = Packet { from: (&*writer.from).into(), body: Body::Frames(frames.clone()) };
            assert_eq!(message, rmp_serde::to_vec_named(&plain).unwrap());
            let read = Parts::default().read(&message).unwrap();
            assert_eq!(read, Some((writer.from.clone().into(), frames.clone())));
            let mut reader = Parts::default();
            let parts: Vec<_> = writer.parts(7, &message, 1000).map(Result::unwrap).collect();
            assert_eq!(parts.len(), (message.len() - writer.beginning.len()).div_ceil(1000));
            let read = parts.iter().filter_map(|part| reader.read(part).unwrap());
            assert_eq!(read.collect::<Vec<_>>(), [(writer.from.clone().into(), frames)]);
        }
    }
}
