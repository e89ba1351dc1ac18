//! Frames over the hub's Unix socket.

use crate::failure::Failure;
use eye_protocol::stream::{self, Decoder};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

const READ_BYTES: usize = 16 << 10;

/// A connection over the Unix socket.
pub struct SocketLink {
    stream: UnixStream,
    decoder: Decoder,
}

impl SocketLink {
    /// Connects. `None`: no hub is there.
    pub fn connect(path: &Path) -> Result<Option<Self>, Failure> {
        match UnixStream::connect(path) {
            Ok(stream) => Ok(Some(Self { stream, decoder: Decoder::default() })),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => Ok(None),
            Err(source) => Err(Failure::Socket { path: path.to_owned(), source }),
        }
    }

    /// The socket itself, and what was read of it already, for whoever goes on in another protocol.
    pub fn into_stream(mut self) -> (UnixStream, Vec<u8>) {
        let rest = std::mem::take(self.decoder.buffer());
        (self.stream, rest)
    }

    /// Sends frames in one write.
    pub fn send(&mut self, frames: &[&str]) -> Result<(), Failure> {
        let mut bytes = Vec::with_capacity(frames.iter().map(|frame| frame.len() + 16).sum());
        for frame in frames {
            stream::write(frame, &mut bytes);
        }
        self.stream.write_all(&bytes).map_err(|_| Failure::HubGone)
    }

    /// The next frame; `None` when the hub closed the connection.
    pub fn receive(&mut self) -> Result<Option<String>, Failure> {
        loop {
            if let Some(frame) = self.buffered()? {
                return Ok(Some(frame));
            }
            let mut chunk = [0; READ_BYTES];
            match self.stream.read(&mut chunk) {
                Ok(0) => return Ok(None),
                Ok(bytes) => self.decoder.push(&chunk[..bytes]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return Err(Failure::HubSilent);
                }
                // A hub that died with our bytes unread resets the connection.
                Err(_) => return Ok(None),
            }
        }
    }

    /// The next frame, if it is here already.
    pub fn buffered(&mut self) -> Result<Option<String>, Failure> {
        let frame = self.decoder.frame().map_err(|error| Failure::Garbled(error.to_string()))?;
        Ok(frame.map(str::to_owned))
    }

    /// How long to wait for a frame.
    pub fn set_patience(&mut self, patience: Option<Duration>) -> Result<(), Failure> {
        self.stream.set_read_timeout(patience).map_err(Failure::io("set a timeout"))
    }

    /// A second handle, to write from another thread.
    pub fn writer(&self) -> Result<UnixStream, Failure> {
        self.stream.try_clone().map_err(Failure::io("share the connection"))
    }
}
