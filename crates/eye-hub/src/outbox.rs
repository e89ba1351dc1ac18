//! What waits to be written to one peer: a byte buffer, swapped out whole by its writer.

use eye_protocol::batch::Batches;
use eye_protocol::stream;

/// The buffer, framed as its peer reads.
#[derive(Debug)]
pub enum Outbox {
    /// Lines and counted payloads on a byte stream.
    Stream(Vec<u8>),
    /// One frame a message.
    Messages {
        /// All messages, one after the other.
        bytes: Vec<u8>,
        /// Where each ends.
        ends: Vec<usize>,
    },
    /// Several frames a message.
    Batches(Batches),
}

/// What a writer takes: bytes, and where messages end in them. A stream has no ends.
#[derive(Debug, Default)]
pub struct Parcel {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where each message ends.
    pub ends: Vec<usize>,
}

impl Outbox {
    /// An empty buffer for a byte stream.
    pub fn stream() -> Self {
        Self::Stream(Vec::new())
    }

    /// An empty buffer for messages.
    pub fn messages() -> Self {
        Self::Messages { bytes: Vec::new(), ends: Vec::new() }
    }

    /// From here on several frames share a message. What was written before stays as it was.
    pub fn begin_batches(&mut self) {
        if let Self::Messages { bytes, ends } = self {
            *self = Self::Batches(Batches::after(std::mem::take(bytes), std::mem::take(ends)));
        }
    }

    /// Adds a line frame.
    pub fn line(&mut self, frame: &str) {
        match self {
            Self::Batches(batches) => batches.line(frame),
            Self::Stream(_) | Self::Messages { .. } => self.text(frame),
        }
    }

    /// Adds a JSON-RPC frame.
    pub fn rpc(&mut self, json: &str) {
        match self {
            Self::Batches(batches) => batches.rpc(json),
            Self::Stream(_) | Self::Messages { .. } => self.text(json),
        }
    }

    fn text(&mut self, frame: &str) {
        match self {
            Self::Stream(bytes) => stream::write(frame, bytes),
            Self::Messages { bytes, ends } => {
                bytes.extend_from_slice(frame.as_bytes());
                ends.push(bytes.len());
            }
            Self::Batches(batches) => batches.line(frame),
        }
    }

    /// Bytes that wait.
    pub fn len_bytes(&self) -> usize {
        match self {
            Self::Stream(bytes) | Self::Messages { bytes, .. } => bytes.len(),
            Self::Batches(batches) => batches.len_bytes(),
        }
    }

    /// Takes all there is.
    pub fn take(&mut self) -> Parcel {
        match self {
            Self::Stream(bytes) => Parcel { bytes: std::mem::take(bytes), ends: Vec::new() },
            Self::Messages { bytes, ends } => Parcel { bytes: std::mem::take(bytes), ends: std::mem::take(ends) },
            Self::Batches(batches) => {
                let (bytes, ends) = batches.take();
                Parcel { bytes, ends }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
