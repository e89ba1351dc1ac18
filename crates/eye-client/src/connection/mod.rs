//! One connection that carries frames: the Unix socket, or a WebSocket over TCP or TLS. Blocking, and independent of
//! the frames' content. One thread may use it whole, or one reads while others write.

mod bytes;
mod opening;
mod reader;
mod writer;

pub use opening::Opening;
pub use reader::{Lost, Reader};
pub use writer::Writer;

use crate::address::{Address, Server};
use crate::error::Error;
use eye_platform::local::{self, Stream};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub struct Connection {
    reader: Reader,
    writer: Writer,
    place: Option<PathBuf>,
}

impl Connection {
    pub fn open(address: &Address, opening: &Opening<'_>) -> Result<Self, Error> {
        match address {
            Address::Socket(path) => Self::over_socket(path)
                .map_err(|source| Error::Unreachable { address: address.to_string(), source: Arc::new(source) }),
            Address::Server { url, token, trust } => {
                let (reader, writer) = opening::connect(&Server::parse(url)?, token.as_deref(), trust, opening)?;
                Ok(Self { reader, writer, place: None })
            }
        }
    }

    pub fn over_socket(path: &Path) -> io::Result<Self> {
        let stream = Arc::new(local::connect(path)?);
        stream.set_write_timeout(Some(opening::WRITE))?;
        let (reader, writer) = (Reader::of_socket(Arc::clone(&stream)), Writer::of_socket(stream));
        Ok(Self { reader, writer, place: Some(path.to_owned()) })
    }

    /// The path of the Unix socket. `None`: the connection is to a URL.
    pub fn place(&self) -> Option<&Path> {
        self.place.as_deref()
    }

    /// The Unix socket, to query its peer from the kernel. `None`: the connection is to a URL.
    pub fn socket(&self) -> Option<&Stream> {
        self.reader.socket()
    }

    /// Whether the connection is to a URL instead of the Unix socket.
    pub fn is_server(&self) -> bool {
        matches!(self.reader, Reader::Server(..))
    }

    /// Sends frames; on the Unix socket all in one write.
    pub fn send(&self, frames: &[&str]) -> Result<(), Error> {
        self.writer.send(frames).map_err(|error| disconnected(&error))
    }

    /// The next frame; `None`: the hub closed the connection.
    pub fn receive(&mut self) -> Result<Option<String>, Error> {
        self.reader.receive()
    }

    /// Sets how long [`Connection::receive`] waits before it fails with [`Error::Silent`].
    pub fn set_patience(&self, patience: Option<Duration>) -> Result<(), Error> {
        self.reader.set_patience(patience).map_err(|error| disconnected(&error))
    }

    /// Splits into one half to read from, and one to write to from any number of threads.
    pub fn split(self) -> (Reader, Writer) {
        (self.reader, self.writer)
    }

    /// The Unix socket itself, and the bytes already read from it, to continue in another protocol. `None`: not a Unix
    /// socket.
    pub fn into_socket(self) -> Option<(Stream, Vec<u8>)> {
        let Self { reader, writer, place: _ } = self;
        drop(writer);
        reader.into_socket()
    }
}

fn disconnected(error: &io::Error) -> Error {
    Error::Disconnected { why: error.to_string().into() }
}
