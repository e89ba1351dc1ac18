//! Frames for a client, and those that are not written yet.

use super::opcode::Opcode;
use crate::hub::outbox::{Parcel, Waiting};
use bytes::{Buf, Bytes};
use eye_protocol::close::Close;
use std::collections::VecDeque;

/// Most bytes of a close frame's reason.
const REASON_BYTES_MAX: usize = 123;
/// The longest head of a frame without a mask.
const HEAD_BYTES_MAX: usize = 10;
/// Parcels up to this size are copied behind their heads, so that one write takes all.
const COPIED_BYTES_MAX: usize = 64 << 10;

/// Room that is kept for the next frame. Every idle page has it.
const KEPT_BYTES_MAX: usize = 512;

/// Complete frames that wait to be written, in order.
#[derive(Debug, Default)]
pub struct Outgoing {
    /// Written first, from `sent` on.
    bytes: Vec<u8>,
    sent: usize,
    /// Written after `bytes`.
    large: VecDeque<Bytes>,
}

impl Outgoing {
    /// The bytes to write next.
    pub fn next(&self) -> Option<&[u8]> {
        match self.bytes.get(self.sent..) {
            Some(rest) if !rest.is_empty() => Some(rest),
            _ => self.large.front().map(|bytes| &bytes[..]),
        }
    }

    /// Removes written bytes.
    pub fn wrote(&mut self, count: usize) {
        if self.sent < self.bytes.len() {
            self.sent += count;
            if self.sent == self.bytes.len() {
                self.sent = 0;
                self.bytes.clear();
                self.bytes.shrink_to(KEPT_BYTES_MAX);
            }
        } else if let Some(first) = self.large.front_mut() {
            first.advance(count);
            if first.is_empty() {
                self.large.pop_front();
            }
        }
    }

    /// Adds copies of messages, where nothing large waits.
    pub fn copy(&mut self, waiting: Waiting<'_>) {
        let Waiting { bytes, ends, binary } = waiting;
        self.bytes.reserve(bytes.len() + ends.len() * HEAD_BYTES_MAX);
        let mut start = 0;
        for (at, end) in ends.iter().enumerate() {
            let message = &bytes[start..*end];
            head(kind(at, binary), message.len(), &mut self.bytes);
            self.bytes.extend_from_slice(message);
            start = *end;
        }
    }

    pub fn add(&mut self, parcel: Parcel) {
        if self.large.is_empty() && parcel.bytes.len() <= COPIED_BYTES_MAX {
            return self.copy(parcel.lend());
        }
        let bytes = Bytes::from(parcel.bytes);
        let mut start = 0;
        for (at, end) in parcel.ends.iter().enumerate() {
            let mut first = Vec::with_capacity(HEAD_BYTES_MAX);
            head(kind(at, &parcel.binary), end - start, &mut first);
            self.large.push_back(first.into());
            self.large.push_back(bytes.slice(start..*end));
            start = *end;
        }
        // An empty message has only a head.
        self.large.retain(|bytes| !bytes.is_empty());
    }

    pub fn pong(&mut self, payload: &[u8]) {
        self.control(Opcode::Pong, payload);
    }

    /// Adds a close frame.
    pub fn close(&mut self, close: &Close) {
        let reason = &close.reason[..close.reason.floor_char_boundary(REASON_BYTES_MAX)];
        self.control(Opcode::Close, &[&close.code.to_be_bytes(), reason.as_bytes()].concat());
    }

    fn control(&mut self, opcode: Opcode, payload: &[u8]) {
        let mut frame = Vec::new();
        head(opcode, payload.len(), &mut frame);
        frame.extend_from_slice(payload);
        if self.large.is_empty() {
            self.bytes.append(&mut frame);
        } else {
            self.large.push_back(frame.into());
        }
    }
}

/// What the message with this number is.
fn kind(at: usize, binary: &[usize]) -> Opcode {
    if binary.contains(&at) { Opcode::Binary } else { Opcode::Text }
}

/// Writes the head of a frame that is a whole message.
fn head(opcode: Opcode, length: usize, out: &mut Vec<u8>) {
    out.push(0x80 | opcode.bits());
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(short), _) if short < 126 => out.push(short),
        (_, Ok(long)) => {
            out.push(126);
            out.extend_from_slice(&long.to_be_bytes());
        }
        _ => {
            out.push(127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use tungstenite::protocol::{Role, WebSocketConfig};
    use tungstenite::{Message, WebSocket};

    /// All bytes, taken in steps of this size.
    fn written(outgoing: &mut Outgoing, step: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(next) = outgoing.next() {
            let count = next.len().min(step);
            bytes.extend_from_slice(&next[..count]);
            outgoing.wrote(count);
        }
        bytes
    }

    /// The messages as a `tungstenite` client reads them.
    fn read(bytes: Vec<u8>) -> Vec<Message> {
        let config = WebSocketConfig::default().max_frame_size(None).max_message_size(None);
        let mut socket = WebSocket::from_raw_socket(Cursor::new(bytes), Role::Client, Some(config));
        std::iter::from_fn(|| socket.read().ok()).collect()
    }

    fn parcel(messages: &[&str]) -> Parcel {
        let mut parcel = Parcel::default();
        for message in messages {
            parcel.bytes.extend_from_slice(message.as_bytes());
            parcel.ends.push(parcel.bytes.len());
        }
        parcel
    }

    #[test]
    fn a_client_reads_what_was_written_in_order_whatever_its_size() {
        for length in [0, 1, 125, 126, 65_535, 65_536, 300_000] {
            for step in [1, 1_000, usize::MAX] {
                let long = "x".repeat(length);
                let mut outgoing = Outgoing::default();
                outgoing.add(parcel(&["first", &long]));
                outgoing.pong(b"p");
                outgoing.add(parcel(&["last"]));
                let bytes = written(&mut outgoing, step);
                let read = read(bytes);
                let want =
                    [Message::text("first"), Message::text(long), Message::Pong("p".into()), Message::text("last")];
                assert_eq!(read, want, "{length} bytes in steps of {step}");
            }
        }
    }

    #[test]
    fn a_parcel_says_which_messages_are_binary() {
        let mut outgoing = Outgoing::default();
        outgoing.add(Parcel { binary: vec![1], ..parcel(&["a", "b"]) });
        assert_eq!(read(written(&mut outgoing, 9)), [Message::text("a"), Message::binary("b")]);
    }

    #[test]
    fn a_reason_is_cut_between_characters() {
        let mut outgoing = Outgoing::default();
        outgoing.close(&Close { code: 4000, reason: format!("{}é", "x".repeat(REASON_BYTES_MAX - 1)) });
        let [Message::Close(Some(close))] = &read(written(&mut outgoing, 200))[..] else { panic!("a close frame") };
        assert_eq!((u16::from(close.code), close.reason.len()), (4000, REASON_BYTES_MAX - 1));
    }
}
