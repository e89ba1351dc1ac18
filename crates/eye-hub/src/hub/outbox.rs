//! The frames that wait to be written to one peer: a byte buffer, which the writer takes as a whole.

use super::letterbox::Letterbox;
use eye_protocol::batch::Batches;
use eye_protocol::stream;
use std::sync::Arc;

/// Room that an empty buffer keeps. Every idle peer may have it.
const KEPT_BYTES_MAX: usize = 512;

/// The buffer, framed for the peer's transport.
#[derive(Debug)]
pub enum Outbox {
    /// Lines and length-prefixed payloads on a byte stream.
    Stream(Vec<u8>),
    /// One frame per message.
    Messages {
        /// All messages, one after the other.
        bytes: Vec<u8>,
        /// The end of each message in `bytes`.
        ends: Vec<usize>,
        /// Indexes of the binary messages.
        binary: Vec<usize>,
    },
    /// Several frames per message.
    Batches(Batches),
    /// Server-sent events.
    Events(Vec<u8>),
    /// No bytes: an agent inside this process.
    Inside(Arc<Letterbox>),
}

/// The kind of a JSON-RPC frame: a response may go into the body of a POST instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Request,
    Response,
    Message,
}

/// The bytes for a writer. A stream has no `ends`.
#[derive(Debug, Default)]
pub struct Parcel {
    pub bytes: Vec<u8>,
    /// The end of each message in `bytes`.
    pub ends: Vec<usize>,
    /// Indexes of the binary messages.
    pub binary: Vec<usize>,
}

/// The contents of an outbox or a parcel, to be read.
#[derive(Clone, Copy, Debug)]
pub struct Waiting<'a> {
    /// As in [`Parcel`].
    pub bytes: &'a [u8],
    /// As in [`Parcel`].
    pub ends: &'a [usize],
    /// As in [`Parcel`].
    pub binary: &'a [usize],
}

impl Parcel {
    /// All of it.
    pub fn lend(&self) -> Waiting<'_> {
        Waiting { bytes: &self.bytes, ends: &self.ends, binary: &self.binary }
    }
}

impl Outbox {
    pub fn stream() -> Self {
        Self::Stream(Vec::new())
    }

    pub fn messages() -> Self {
        Self::Messages { bytes: Vec::new(), ends: Vec::new(), binary: Vec::new() }
    }

    pub fn events() -> Self {
        Self::Events(Vec::new())
    }

    /// Names an event stream: a browser that reconnects sends this id in `Last-Event-ID`.
    pub fn event_id(&mut self, id: &str) {
        if let Self::Events(bytes) = self {
            bytes.extend_from_slice(format!("id: {id}\n\n").as_bytes());
        }
    }

    pub fn batches() -> Self {
        Self::Batches(Batches::default())
    }

    /// Puts several frames into a message from here on. Earlier messages stay as they are.
    pub fn begin_batches(&mut self) {
        if let Self::Messages { bytes, ends, .. } = self {
            *self = Self::Batches(Batches::after(std::mem::take(bytes), std::mem::take(ends)));
        }
    }

    pub fn line(&mut self, frame: &str) {
        match self {
            Self::Batches(batches) => batches.line(frame),
            // Such an agent uses only JSON-RPC.
            Self::Inside(_) => {}
            Self::Stream(_) | Self::Messages { .. } | Self::Events(_) => self.text(frame),
        }
    }

    pub fn rpc(&mut self, json: &str) {
        match self {
            Self::Batches(batches) => batches.rpc(json),
            Self::Inside(letterbox) => letterbox.put(json),
            Self::Stream(_) | Self::Messages { .. } | Self::Events(_) => self.text(json),
        }
    }

    /// Whether binary messages can be sent.
    pub fn takes_binary(&self) -> bool {
        matches!(self, Self::Messages { .. })
    }

    /// Adds a binary message, if the transport has messages.
    pub fn binary(&mut self, message: &[u8]) {
        if let Self::Messages { bytes, ends, binary } = self {
            bytes.extend_from_slice(message);
            binary.push(ends.len());
            ends.push(bytes.len());
        }
    }

    fn text(&mut self, frame: &str) {
        match self {
            Self::Stream(bytes) => stream::write(frame, bytes),
            Self::Messages { bytes, ends, .. } => {
                bytes.extend_from_slice(frame.as_bytes());
                ends.push(bytes.len());
            }
            Self::Batches(batches) => batches.line(frame),
            Self::Inside(_) => {}
            Self::Events(bytes) => {
                for line in frame.split('\n') {
                    bytes.extend_from_slice(b"data: ");
                    bytes.extend_from_slice(line.as_bytes());
                    bytes.push(b'\n');
                }
                bytes.push(b'\n');
            }
        }
    }

    /// Bytes that wait to be written.
    pub fn len_bytes(&self) -> usize {
        match self {
            Self::Stream(bytes) | Self::Messages { bytes, .. } | Self::Events(bytes) => bytes.len(),
            Self::Batches(batches) => batches.len_bytes(),
            Self::Inside(letterbox) => letterbox.len_bytes(),
        }
    }

    /// Lends all there is, where it may be written directly.
    pub fn lend(&mut self) -> Option<Waiting<'_>> {
        match self {
            Self::Stream(bytes) => Some(Waiting { bytes, ends: &[], binary: &[] }),
            Self::Messages { bytes, ends, binary } => Some(Waiting { bytes, ends, binary }),
            Self::Batches(batches) => {
                let (bytes, ends) = batches.lend();
                Some(Waiting { bytes, ends, binary: &[] })
            }
            Self::Events(_) | Self::Inside(_) => None,
        }
    }

    /// Removes so many bytes that were lent; of messages all or none.
    pub fn left(&mut self, taken: usize) {
        match self {
            Self::Stream(bytes) if taken < bytes.len() => drop(bytes.drain(..taken)),
            _ if taken == 0 => {}
            Self::Stream(bytes) => empty(bytes),
            Self::Messages { bytes, ends, binary } => {
                empty(bytes);
                ends.clear();
                binary.clear();
            }
            Self::Batches(batches) => batches.clear(KEPT_BYTES_MAX),
            Self::Events(_) | Self::Inside(_) => {}
        }
    }

    /// Takes everything.
    pub fn take(&mut self) -> Parcel {
        match self {
            Self::Stream(bytes) | Self::Events(bytes) => Parcel { bytes: std::mem::take(bytes), ..Parcel::default() },
            Self::Messages { bytes, ends, binary } => {
                Parcel { bytes: std::mem::take(bytes), ends: std::mem::take(ends), binary: std::mem::take(binary) }
            }
            Self::Inside(letterbox) => {
                letterbox.close();
                Parcel::default()
            }
            Self::Batches(batches) => {
                let (bytes, ends) = batches.take();
                Parcel { bytes, ends, binary: Vec::new() }
            }
        }
    }
}

/// Empties a buffer. Memory beyond [`KEPT_BYTES_MAX`] is freed.
fn empty(bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.shrink_to(KEPT_BYTES_MAX);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lent_stays_until_it_was_taken() {
        let mut stream = Outbox::stream();
        stream.line("a:1");
        stream.line("b:2");
        stream.left(5);
        assert_eq!(stream.lend().unwrap().bytes, b":2\n");
        stream.left(3);
        stream.line("c:3");
        assert_eq!(stream.take().bytes, b"c:3\n");
        let mut batches = Outbox::batches();
        batches.line("a:1");
        batches.left(0);
        let lent = batches.lend().unwrap();
        assert_eq!((lent.bytes, lent.ends), (&b"[\"a:1\"]"[..], &[7][..]));
        batches.line("b:2");
        let lent = batches.lend().unwrap();
        assert_eq!((lent.bytes, lent.ends), (&b"[\"a:1\"][\"b:2\"]"[..], &[7, 14][..]));
        batches.left(14);
        batches.line("c:3");
        assert_eq!(batches.take().bytes, b"[\"c:3\"]");
    }

    #[test]
    fn each_peer_reads_frames_its_own_way() {
        let mut stream = Outbox::stream();
        let mut messages = Outbox::messages();
        for outbox in [&mut stream, &mut messages] {
            outbox.line("a:1");
            outbox.rpc("{}");
        }
        messages.begin_batches();
        messages.line("b:2");
        messages.rpc("{}");
        assert_eq!(stream.take().bytes, b"a:1\n{}\n");
        let parcel = messages.take();
        assert_eq!(parcel.bytes, br#"a:1{}["b:2",{}]"#);
        assert_eq!(parcel.ends, [3, 5, 15]);
        assert_eq!(messages.len_bytes(), 0);
    }

    #[test]
    fn events_have_no_names_and_a_stream_has_an_id() {
        let mut outbox = Outbox::events();
        outbox.event_id("abc");
        outbox.rpc("{}");
        outbox.line("two\nlines");
        assert_eq!(outbox.take().bytes, b"id: abc\n\ndata: {}\n\ndata: two\ndata: lines\n\n");
    }
}
