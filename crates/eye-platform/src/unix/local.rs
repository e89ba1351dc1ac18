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
pub use with_runtime::{Arrived, AsyncStream, Listener, OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};

#[cfg(feature = "tokio")]
mod with_runtime {
    use crate::unix::{files, user};
    use std::io;
    use std::path::Path;
    pub use tokio::net::UnixStream as AsyncStream;
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
}
