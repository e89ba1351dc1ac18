//! The writing half of a connection, for any number of threads.

use super::bytes::Bytes;
use eye_platform::local::Stream;
use eye_protocol::stream;
use std::io::{self, Write};
use std::net::Shutdown;
use std::sync::{Arc, Mutex, PoisonError};
use tungstenite::{Message, WebSocket};

/// The writing half. Clones share the connection.
#[derive(Clone)]
pub struct Writer(Kind);

#[derive(Clone)]
enum Kind {
    Socket { stream: Arc<Stream>, turn: Arc<Mutex<()>> },
    Server { socket: Arc<Mutex<WebSocket<Bytes>>>, bytes: Arc<Bytes> },
}

impl Writer {
    pub(super) fn of_socket(stream: Arc<Stream>) -> Self {
        Self(Kind::Socket { stream, turn: Arc::default() })
    }

    pub(super) fn of_server(socket: WebSocket<Bytes>, bytes: Bytes) -> Self {
        Self(Kind::Server { socket: Arc::new(Mutex::new(socket)), bytes: Arc::new(bytes) })
    }

    /// Sends frames: on the Unix socket in one write, over a WebSocket as one message each. If a write fails, the
    /// connection is cut, because a partial frame cannot be taken back.
    pub fn send(&self, frames: &[&str]) -> io::Result<()> {
        let sent = match &self.0 {
            Kind::Socket { stream, turn } => {
                let mut bytes = Vec::with_capacity(frames.iter().map(|frame| frame.len() + 16).sum());
                for frame in frames {
                    stream::write(frame, &mut bytes);
                }
                let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                (&mut &**stream).write_all(&bytes)
            }
            Kind::Server { socket, .. } => {
                let mut socket = socket.lock().unwrap_or_else(PoisonError::into_inner);
                frames
                    .iter()
                    .try_for_each(|frame| socket.write(Message::text(*frame)))
                    .and_then(|()| socket.flush())
                    .map_err(|error| match error {
                        tungstenite::Error::Io(error) => error,
                        error => io::Error::other(error),
                    })
            }
        };
        if sent.is_err() {
            self.cut();
        }
        sent
    }

    /// Ends the connection for both halves, whatever they are doing.
    pub fn cut(&self) {
        match &self.0 {
            Kind::Socket { stream, .. } => {
                // It may have ended by itself.
                let _ = stream.shutdown(Shutdown::Both);
            }
            Kind::Server { bytes, .. } => bytes.cut(),
        }
    }
}
