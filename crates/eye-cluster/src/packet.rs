//! One message to a hub: all frames that were ready for it, or a part of them if they are too large for one message.

use crate::wire::{Frame, plain};
use rmp::decode::{read_array_len, read_str_from_slice};
use rmp::encode::write_array_len;
use rmp_serde::encode::{Error, write_named};
use rmp_serde::{Deserializer, decode};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One NATS message to a hub.
#[derive(Debug, Serialize, Deserialize)]
pub struct Packet<'a> {
    /// The life of the sender.
    #[serde(borrow)]
    pub from: Cow<'a, str>,
    #[serde(borrow)]
    pub body: Body<'a>,
}

/// The content of a packet.
#[derive(Debug, Serialize, Deserialize)]
pub enum Body<'a> {
    /// All frames that were ready for that hub.
    Frames(Vec<Frame>),
    /// One part of a message that is too large to be sent whole.
    Part {
        /// The sender's number of the message.
        id: u64,
        /// The number of the part, from 0.
        at: u32,
        last: bool,
        #[serde(borrow, with = "serde_bytes")]
        bytes: Cow<'a, [u8]>,
    },
}

impl<'a> Packet<'a> {
    /// Reads a packet.
    pub fn read(message: &'a [u8]) -> Result<Self, decode::Error> {
        // Nearly all packets hold frames.
        let Some((from, frames)) = beginning(message) else { return rmp_serde::from_slice(message) };
        Ok(Self { from: from.into(), body: Body::Frames(read_frames(frames)?) })
    }
}

/// The life of the sender and the list of frames, as [`Writer`] writes them.
fn beginning(message: &[u8]) -> Option<(&str, &[u8])> {
    let (from, rest) = read_str_from_slice(message.strip_prefix(b"\x82\xa4from")?).ok()?;
    Some((from, rest.strip_prefix(b"\xa4body\x81\xa6Frames")?))
}

/// Reads a list of frames.
pub fn read_frames(list: &[u8]) -> Result<Vec<Frame>, decode::Error> {
    let mut rest = list;
    let Ok(count) = read_array_len(&mut rest) else { return rmp_serde::from_slice(list) };
    // A message may say that it has more frames than it has bytes.
    let mut frames = Vec::with_capacity(rest.len().min(count as usize).min(FRAMES_LEN));
    for _ in 0..count {
        let (frame, after) = match plain::read(rest) {
            Some(read) => read,
            None => read_other(rest)?,
        };
        frames.push(frame);
        rest = after;
    }
    Ok(frames)
}

/// Reads a frame that is not one of a plain call, and returns the bytes after it.
fn read_other(bytes: &[u8]) -> Result<(Frame, &[u8]), decode::Error> {
    let mut reader = Deserializer::new(bytes);
    let frame = Frame::deserialize(&mut reader)?;
    Ok((frame, reader.into_inner()))
}

/// The frames for which there is room before any is read.
const FRAMES_LEN: usize = 256;

/// The room that a frame of a small call takes. A message has that much from the beginning, so that it is not copied
/// while it grows.
const FRAME_BYTES: usize = 256;

/// Writes the messages of one hub. All messages start with the same encoded header, which is encoded once.
#[derive(Debug)]
pub struct Writer {
    from: Box<str>,
    beginning: Vec<u8>,
}

impl Writer {
    /// A writer for the hub with this life.
    pub fn new(from: &str) -> Self {
        let packet = Packet { from: from.into(), body: Body::Frames(Vec::new()) };
        let mut beginning = rmp_serde::to_vec_named(&packet).unwrap_or_default();
        // The encoded packet ends with an empty list, which is one byte. The list of frames replaces it.
        beginning.pop();
        Self { from: from.into(), beginning }
    }

    /// Encodes a message of frames.
    pub fn frames(&self, frames: &[Frame]) -> Result<Vec<u8>, Error> {
        let mut message = Vec::with_capacity(self.beginning.len() + frames.len() * FRAME_BYTES);
        message.extend_from_slice(&self.beginning);
        write_array_len(&mut message, u32::try_from(frames.len()).unwrap_or(u32::MAX))?;
        for frame in frames {
            if !plain::write(&mut message, frame)? {
                write_named(&mut message, frame)?;
            }
        }
        Ok(message)
    }

    /// Splits a message into parts with at most `bytes_max` bytes of frames each.
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
