//! Parses frames of a client from bytes in any pieces. A large message is unmasked and checked part by part.

use super::opcode::Opcode;
use eye_protocol::close::Close;
use std::borrow::Cow;
use std::str::from_utf8;

/// Read buffer while nothing large arrives. Every idle page has one.
const READ_BYTES: usize = 4 << 10;
/// Read buffer for the rest of a large frame, and the most that is unmasked and checked at once. With 64 KiB, the
/// slowest percent of the calls of other pages took up to three times as long beside large frames as without them.
const PART_BYTES: usize = 16 << 10;
/// The buffer for a whole large frame is allocated when one 16th of it has arrived. A growing buffer is copied, and the
/// last copies are long; a buffer for a frame that is only announced would waste memory.
const ROOM_AFTER_PART: usize = 16;
/// Most bytes in a control frame.
const CONTROL_BYTES_MAX: usize = 125;

/// A message or control frame of a client.
#[derive(Debug, PartialEq, Eq)]
pub enum Received<'a> {
    Text(Cow<'a, str>),
    Binary(Cow<'a, [u8]>),
    /// A pong must return the same bytes.
    Ping(Vec<u8>),
    Pong,
    /// The close code, if any.
    Close(Option<u16>),
}

/// Why the connection cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Not a valid frame of a client.
    Protocol(&'static str),
    NotUtf8,
    /// A message over this limit, in bytes.
    TooBig(usize),
}

impl Fault {
    pub fn close(self) -> Close {
        match self {
            Self::Protocol(why) => Close { code: 1002, reason: why.into() },
            Self::NotUtf8 => Close { code: 1007, reason: "text that is not UTF-8".into() },
            Self::TooBig(limit_bytes) => Close::too_big(limit_bytes),
        }
    }
}

/// The head of the frame whose payload is being read.
#[derive(Clone, Copy, Debug)]
struct Frame {
    opcode: Opcode,
    last: bool,
    mask: [u8; 4],
    /// Bytes of the payload, and how many of them were taken.
    length: usize,
    taken: usize,
}

/// A message that arrives in parts.
#[derive(Debug)]
enum Parts {
    /// Text, and the first bytes of a character that continues in the next part.
    Text(String, Vec<u8>),
    Binary(Vec<u8>),
}

/// Splits a stream of bytes into messages.
#[derive(Debug)]
pub struct Decoder {
    bytes: Vec<u8>,
    start: usize,
    frame: Option<Frame>,
    parts: Option<Parts>,
    limit_bytes: usize,
}

impl Decoder {
    /// Refuses messages over the limit.
    pub fn new(limit_bytes: usize) -> Self {
        Self { bytes: Vec::new(), start: 0, frame: None, parts: None, limit_bytes }
    }

    /// The buffer to append to, with free capacity.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.bytes.drain(..self.start);
        self.start = 0;
        let wanted = self.frame.map_or(0, |frame| frame.length - frame.taken).clamp(READ_BYTES, PART_BYTES);
        if self.bytes.is_empty() && self.bytes.capacity() > wanted {
            self.bytes = Vec::new();
        }
        self.bytes.reserve_exact(wanted);
        &mut self.bytes
    }

    /// Whether a frame was taken in part.
    pub fn is_within_frame(&self) -> bool {
        self.frame.is_some()
    }

    /// The next message; `None`: it is not complete yet.
    pub fn next(&mut self) -> Result<Option<Received<'_>>, Fault> {
        loop {
            let frame = match self.frame {
                Some(frame) => frame,
                None => match self.head()? {
                    Some(frame) => frame,
                    None => return Ok(None),
                },
            };
            let there = (self.bytes.len() - self.start).min(frame.length - frame.taken);
            let complete = frame.taken == 0 && there == frame.length;
            if frame.opcode.is_control() {
                self.frame = Some(frame);
                if !complete {
                    return Ok(None);
                }
                let payload = self.take(frame, there);
                return control(frame.opcode, payload).map(Some);
            }
            if complete && frame.last && self.parts.is_none() && frame.length <= PART_BYTES {
                let payload = self.take(frame, there);
                return Ok(Some(match frame.opcode {
                    Opcode::Text => Received::Text(Cow::Borrowed(from_utf8(payload).map_err(|_| Fault::NotUtf8)?)),
                    _ => Received::Binary(Cow::Borrowed(payload)),
                }));
            }
            self.frame = Some(frame);
            if there == 0 && frame.length > frame.taken {
                return Ok(None);
            }
            if let Some(message) = self.take_part(frame, there)? {
                return Ok(Some(message));
            }
        }
    }

    /// Reads the head of the next frame once it is complete.
    fn head(&mut self) -> Result<Option<Frame>, Fault> {
        let bytes = &self.bytes[self.start..];
        let [first, second, rest @ ..] = bytes else { return Ok(None) };
        if first & 0x70 != 0 {
            return Err(Fault::Protocol("no extension was agreed on"));
        }
        let opcode = Opcode::of(first & 0x0f).ok_or(Fault::Protocol("an unknown kind of frame"))?;
        if second & 0x80 == 0 {
            return Err(Fault::Protocol("a client's frames are masked"));
        }
        let (length, rest) = match (second & 0x7f, rest.split_first_chunk(), rest.split_first_chunk()) {
            (126, Some((length, rest)), _) => (u64::from(u16::from_be_bytes(*length)), rest),
            (127, _, Some((length, rest))) => (u64::from_be_bytes(*length), rest),
            (126 | 127, ..) => return Ok(None),
            (length, ..) => (u64::from(length), rest),
        };
        let last = first & 0x80 != 0;
        if opcode.is_control() && (!last || length > CONTROL_BYTES_MAX as u64) {
            return Err(Fault::Protocol("a control frame is whole and short"));
        }
        if (opcode == Opcode::Continuation) != self.parts.is_some() && !opcode.is_control() {
            return Err(Fault::Protocol("a message ends before the next begins"));
        }
        let before = match &self.parts {
            Some(Parts::Text(text, rest)) if !opcode.is_control() => text.len() + rest.len(),
            Some(Parts::Binary(bytes)) if !opcode.is_control() => bytes.len(),
            Some(_) | None => 0,
        };
        let length = usize::try_from(length).ok();
        let length = length.filter(|length| before.saturating_add(*length) <= self.limit_bytes);
        let length = length.ok_or(Fault::TooBig(self.limit_bytes))?;
        let Some((mask, rest)) = rest.split_first_chunk() else { return Ok(None) };
        let frame = Frame { opcode, last, mask: *mask, length, taken: 0 };
        self.start = self.bytes.len() - rest.len();
        if !opcode.is_control() && opcode != Opcode::Continuation && (!last || length > PART_BYTES) {
            self.begin_parts(opcode);
        }
        Ok(Some(frame))
    }

    fn begin_parts(&mut self, opcode: Opcode) {
        let text = || Parts::Text(String::new(), Vec::new());
        self.parts = Some(if opcode == Opcode::Text { text() } else { Parts::Binary(Vec::new()) });
    }

    /// Takes and unmasks the available payload of the frame.
    fn take(&mut self, frame: Frame, there: usize) -> &mut [u8] {
        let start = self.start;
        self.start += there;
        let taken = frame.taken + there;
        self.frame = (taken < frame.length).then_some(Frame { taken, ..frame });
        let payload = &mut self.bytes[start..start + there];
        unmask(payload, frame.mask, frame.taken);
        payload
    }

    /// Takes the available part of a message; returns the message when it is complete.
    fn take_part(&mut self, frame: Frame, there: usize) -> Result<Option<Received<'static>>, Fault> {
        if self.parts.is_none() {
            self.begin_parts(frame.opcode);
        }
        let mut parts = self.parts.take();
        // The total length of a message of several frames is unknown.
        let is_only_frame = frame.last && frame.opcode != Opcode::Continuation;
        let is_on_its_way = frame.taken + there >= frame.length / ROOM_AFTER_PART;
        let to_come = frame.length - frame.taken;
        let payload = self.take(frame, there);
        if is_only_frame && is_on_its_way {
            match &mut parts {
                Some(Parts::Text(text, rest)) => text.reserve_exact(rest.len() + to_come),
                Some(Parts::Binary(bytes)) => bytes.reserve_exact(to_come),
                None => {}
            }
        }
        match &mut parts {
            Some(Parts::Text(text, rest)) => add_text(text, rest, payload)?,
            Some(Parts::Binary(bytes)) => bytes.extend_from_slice(payload),
            None => {}
        }
        if self.frame.is_some() || !frame.last {
            self.parts = parts;
            return Ok(None);
        }
        match parts {
            Some(Parts::Text(_, rest)) if !rest.is_empty() => Err(Fault::NotUtf8),
            Some(Parts::Text(text, _)) => Ok(Some(Received::Text(Cow::Owned(text)))),
            Some(Parts::Binary(bytes)) => Ok(Some(Received::Binary(Cow::Owned(bytes)))),
            None => Ok(None),
        }
    }
}

fn control(opcode: Opcode, payload: &[u8]) -> Result<Received<'static>, Fault> {
    Ok(match (opcode, payload) {
        (Opcode::Ping, payload) => Received::Ping(payload.to_vec()),
        (Opcode::Close, []) => Received::Close(None),
        (Opcode::Close, [a, b, reason @ ..]) => {
            let code = u16::from_be_bytes([*a, *b]);
            if !matches!(code, 1000..=1003 | 1007..=1013 | 3000..=4999) {
                return Err(Fault::Protocol("a close code that may not be sent"));
            }
            from_utf8(reason).map_err(|_| Fault::NotUtf8)?;
            Received::Close(Some(code))
        }
        (Opcode::Close, _) => return Err(Fault::Protocol("half a close code")),
        _ => Received::Pong,
    })
}

/// Appends bytes to a text. `rest`: the first bytes of a character, which `bytes` continue.
fn add_text(text: &mut String, rest: &mut Vec<u8>, mut bytes: &[u8]) -> Result<(), Fault> {
    while let ([first, after @ ..], false) = (bytes, rest.is_empty()) {
        rest.push(*first);
        bytes = after;
        match from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                rest.clear();
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => return Err(Fault::NotUtf8),
        }
    }
    match from_utf8(bytes) {
        Ok(valid) => text.push_str(valid),
        Err(error) if error.error_len().is_none() => {
            let (valid, begun) = bytes.split_at(error.valid_up_to());
            text.push_str(from_utf8(valid).map_err(|_| Fault::NotUtf8)?);
            rest.extend_from_slice(begun);
        }
        Err(_) => return Err(Fault::NotUtf8),
    }
    Ok(())
}

/// Removes the mask from a part of a payload that begins at offset `at`.
fn unmask(bytes: &mut [u8], mut mask: [u8; 4], at: usize) {
    mask.rotate_left(at % 4);
    let [a, b, c, d] = mask;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let mut chunks = bytes.chunks_exact_mut(8);
    for chunk in &mut chunks {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        chunk.copy_from_slice(&(u64::from_ne_bytes(eight) ^ wide).to_ne_bytes());
    }
    let rest = chunks.into_remainder();
    let mut eight = [0; 8];
    eight[..rest.len()].copy_from_slice(rest);
    let eight = (u64::from_ne_bytes(eight) ^ wide).to_ne_bytes();
    rest.copy_from_slice(&eight[..rest.len()]);
}

#[cfg(test)]
mod tests;
