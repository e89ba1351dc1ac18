//! A line-framed connection to the hub's Unix socket that reads with a deadline.

use eye_protocol::stream::Decoder;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

pub enum Received {
    /// One frame.
    Frame(String),
    /// No frame arrived in time.
    Late,
    /// The connection is over.
    Closed,
}

pub struct Frames {
    stream: UnixStream,
    decoder: Decoder,
    buffer: Vec<u8>,
}

impl Frames {
    /// Connects and sends hello.
    pub fn connect(socket: &Path, agent: &str, target: &str, timeout_ms: u64) -> io::Result<Self> {
        let params = serde_json::json!({
            "clientType": "agent", "typed": true, "agent": agent, "target": target, "timeout": timeout_ms,
        });
        let hello = serde_json::json!({ "jsonrpc": "2.0", "method": "hello", "params": params });
        let stream = UnixStream::connect(socket)?;
        let mut frames = Self { stream, decoder: Decoder::default(), buffer: vec![0; 64 << 10] };
        frames.send(&format!("{hello}\n"))?;
        Ok(frames)
    }

    /// Sends text that contains whole frames, each with its newline.
    pub fn send(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(text.as_bytes())
    }

    /// The next frame, waiting until a point in time.
    pub fn next(&mut self, until: Instant) -> Received {
        loop {
            match self.decoder.frame() {
                Ok(Some(frame)) => return Received::Frame(frame.to_owned()),
                Ok(None) => {}
                Err(_) => return Received::Closed,
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Received::Late;
            }
            // A timeout of zero would mean none.
            if self.stream.set_read_timeout(Some(left.max(Duration::from_millis(1)))).is_err() {
                return Received::Closed;
            }
            match self.stream.read(&mut self.buffer) {
                Ok(0) => return Received::Closed,
                Ok(count) => self.decoder.push(&self.buffer[..count]),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    return Received::Late;
                }
                Err(_) => return Received::Closed,
            }
        }
    }
}
