//! The socket on which agents of the same user and machine come: a Unix socket.

use std::io;
use std::path::Path;

/// A connection to it that blocks.
pub type Stream = std::os::unix::net::UnixStream;

/// Connects to the socket at a place. `NotFound` and `ConnectionRefused`: no hub listens there.
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

    /// Listens at a place.
    #[derive(Debug)]
    pub struct Listener(tokio::net::UnixListener);

    impl Listener {
        /// Listens at a place in a folder that is this user's alone.
        pub fn bind(place: &Path) -> io::Result<Self> {
            let listener = tokio::net::UnixListener::bind(place)?;
            files::close(place)?;
            Ok(Self(listener))
        }

        /// The next connection, of which is not known yet whose it is.
        pub async fn accept(&self) -> io::Result<Arrived> {
            self.0.accept().await.map(|(stream, _)| Arrived(stream))
        }
    }

    /// A connection of which is not known yet whose it is.
    #[derive(Debug)]
    pub struct Arrived(AsyncStream);

    impl Arrived {
        /// The connection, if it is one of this user. The folder keeps others out; this holds even where its mode was
        /// changed.
        #[expect(clippy::unused_async, reason = "elsewhere the other side is waited for")]
        pub async fn admit(self) -> Option<AsyncStream> {
            let peer = self.0.peer_cred().ok()?;
            (Some(peer.uid()) == user::id()).then_some(self.0)
        }
    }
}
