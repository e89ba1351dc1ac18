//! The socket for agents of the same user and machine: a Unix socket.

use std::io;
use std::path::Path;

/// A blocking connection to the socket.
pub type Stream = std::os::unix::net::UnixStream;

/// Connects to the socket at a place. `NotFound` and `ConnectionRefused` mean that no hub listens there.
pub fn connect(place: &Path) -> io::Result<Stream> {
    Stream::connect(place)
}

#[cfg(feature = "tokio")]
pub use with_runtime::{
    Arrived, AsyncStream, Listener, OwnedReadHalf, OwnedWriteHalf, ReadHalf, Reader, WriteHalf, Writer, join, split,
};

#[cfg(feature = "tokio")]
mod with_runtime {
    use crate::unix::{files, user};
    use std::io::{self, Write};
    use std::os::unix::net::UnixStream;
    use std::path::Path;
    use std::sync::{Mutex, PoisonError};
    use std::task::{Context, Poll, ready};
    pub use tokio::net::UnixStream as AsyncStream;
    use tokio::net::unix::pipe;
    pub use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};

    /// The listening socket at a place.
    #[derive(Debug)]
    pub struct Listener(tokio::net::UnixListener);

    impl Listener {
        /// Listens at a place. Its folder must be this user's alone.
        pub fn bind(place: &Path) -> io::Result<Self> {
            let listener = tokio::net::UnixListener::bind(place)?;
            files::close(place)?;
            Ok(Self(listener))
        }

        /// The next connection, whose user is not checked yet.
        pub async fn accept(&self) -> io::Result<Arrived> {
            self.0.accept().await.map(|(stream, _)| Arrived(stream))
        }
    }

    /// A connection whose user is not checked yet.
    #[derive(Debug)]
    pub struct Arrived(AsyncStream);

    impl Arrived {
        /// The connection, if its peer is this user. The folder already keeps others out; this check holds even if its
        /// mode was changed.
        #[expect(clippy::unused_async, reason = "elsewhere the other side is waited for")]
        pub async fn admit(self) -> Option<AsyncStream> {
            let peer = self.0.peer_cred().ok()?;
            (Some(peer.uid()) == user::id()).then_some(self.0)
        }
    }

    /// The half of a connection that is read from. The runtime waits for nothing else on it: Linux reports a Unix
    /// socket as writable each time its peer has read, and a thread that waits for that too wakes up for nothing.
    pub type Reader = pipe::Receiver;

    /// The half that is written to: the same connection once more. The runtime waits for it only while a write waits.
    #[derive(Debug)]
    pub struct Writer {
        socket: UnixStream,
        waiting: Mutex<Option<pipe::Sender>>,
    }

    /// Splits a connection. It has two file descriptors from then on.
    pub fn split(socket: AsyncStream) -> io::Result<(Reader, Writer)> {
        let socket = socket.into_std()?;
        let reader = Reader::from_owned_fd_unchecked(socket.try_clone()?.into())?;
        Ok((reader, Writer { socket, waiting: Mutex::default() }))
    }

    /// Joins what [`split`] made of a connection.
    pub fn join(reader: Reader, writer: Writer) -> io::Result<AsyncStream> {
        drop(reader);
        AsyncStream::from_std(writer.socket)
    }

    impl Writer {
        /// Writes as much as the socket takes now.
        pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
            (&self.socket).write(bytes)
        }

        /// Writes a part of this, once the socket takes something.
        pub fn poll_write(&self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let sender = if let Some(sender) = &*waiting {
                sender
            } else {
                match self.try_write(bytes) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    written => return Poll::Ready(written),
                }
                waiting.insert(pipe::Sender::from_owned_fd_unchecked(self.socket.try_clone()?.into())?)
            };
            let written = loop {
                ready!(sender.poll_write_ready(context))?;
                match sender.try_io(|| self.try_write(bytes)) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    written => break written,
                }
            };
            if written.as_ref().is_ok_and(|count| *count == bytes.len()) {
                *waiting = None;
            }
            Poll::Ready(written)
        }
    }
}
