//! The reading half of a connection.

use super::bytes::Bytes;
use crate::error::Error;
use eye_platform::local::Stream;
use eye_protocol::stream::{Decoder, StreamError};
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::time::Duration;
use tungstenite::{Message, WebSocket};

const READ_BYTES: usize = 16 << 10;

/// The reading half. Over a WebSocket it also answers pings.
pub enum Reader {
    Socket { stream: Arc<Stream>, decoder: Decoder },
    Server(Box<WebSocket<Bytes>>),
}

/// Why there is no frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The connection has ended, for this reason.
    Closed(String),
    /// Nothing came in time.
    Silent,
    /// The data is not a valid frame.
    Garbled(String),
}

impl Reader {
    pub(super) fn of_socket(stream: Arc<Stream>) -> Self {
        Self::Socket { stream, decoder: Decoder::default() }
    }

    /// The Unix socket; `None`: a WebSocket.
    pub fn socket(&self) -> Option<&Stream> {
        match self {
            Self::Socket { stream, .. } => Some(stream),
            Self::Server(_) => None,
        }
    }

    /// The next frame, or why there is none.
    pub fn read(&mut self) -> Result<String, Lost> {
        match self {
            Self::Socket { stream, decoder } => read_socket(stream, decoder),
            Self::Server(socket) => read_server(socket),
        }
    }

    /// The next frame; `None`: the hub closed the connection.
    pub fn receive(&mut self) -> Result<Option<String>, Error> {
        match self.read() {
            Ok(frame) => Ok(Some(frame)),
            Err(Lost::Closed(_)) => Ok(None),
            Err(Lost::Silent) => Err(Error::Silent),
            Err(Lost::Garbled(why)) => Err(Error::Garbled(why)),
        }
    }

    /// The next frame, if it has already been received.
    pub fn buffered(&mut self) -> Result<Option<String>, Error> {
        match self {
            Self::Socket { decoder, .. } => buffered(decoder).map_err(|error| Error::Garbled(error.to_string())),
            Self::Server(_) => Ok(None),
        }
    }

    /// Sets how long a read waits for a frame.
    pub fn set_patience(&self, patience: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Socket { stream, .. } => stream.set_read_timeout(patience),
            Self::Server(socket) => socket.get_ref().set_patience(patience),
        }
    }

    pub(super) fn into_socket(self) -> Option<(Stream, Vec<u8>)> {
        match self {
            Self::Socket { stream, mut decoder } => {
                let stream = Arc::try_unwrap(stream).or_else(|shared| shared.try_clone()).ok()?;
                Some((stream, std::mem::take(decoder.buffer())))
            }
            Self::Server(_) => None,
        }
    }
}

fn buffered(decoder: &mut Decoder) -> Result<Option<String>, StreamError> {
    decoder.frame().map(|frame| frame.map(str::to_owned))
}

fn read_socket(mut stream: &Stream, decoder: &mut Decoder) -> Result<String, Lost> {
    loop {
        if let Some(frame) = buffered(decoder).map_err(|error| Lost::Garbled(error.to_string()))? {
            return Ok(frame);
        }
        let mut chunk = [0; READ_BYTES];
        match stream.read(&mut chunk) {
            Ok(0) => return Err(Lost::Closed("the hub closed it".into())),
            Ok(bytes) => decoder.push(&chunk[..bytes]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(&error)),
        }
    }
}

fn read_server(socket: &mut WebSocket<Bytes>) -> Result<String, Lost> {
    use tungstenite::Error as Broken;
    loop {
        return Err(match socket.read() {
            Ok(Message::Text(text)) => return Ok(text.as_str().to_owned()),
            Ok(Message::Close(Some(close))) => Lost::Closed(format!("the hub closed it: {}", close.reason)),
            Ok(Message::Close(None)) => Lost::Closed("the hub closed it".into()),
            Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => continue,
            Err(Broken::Io(error)) => failed(&error),
            Err(error @ (Broken::ConnectionClosed | Broken::AlreadyClosed | Broken::Protocol(_))) => {
                Lost::Closed(error.to_string())
            }
            Err(error) => Lost::Garbled(error.to_string()),
        });
    }
}

fn failed(error: &io::Error) -> Lost {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Lost::Silent,
        // A hub that died before it read all our bytes resets the connection.
        _ => Lost::Closed(error.to_string()),
    }
}
