//! The socket for agents of the same user and machine. `std` and tokio have no Unix sockets on Windows, so it is a
//! loopback port. The file at its place holds the port and two secrets: one that the agent sends, and one that the hub
//! sends. Only the user can read the folder of the file, so a peer that knows a secret is the same user. A program that
//! took over the port of a killed hub does not know the secrets, and is not accepted as a hub.

use super::proof;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

/// A blocking connection to the socket.
pub type Stream = std::net::TcpStream;

/// The content of the file at a place: `PORT AGENT HUB`.
#[derive(Debug)]
struct Entry {
    port: u16,
    agent: String,
    hub: String,
}

impl Entry {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let (port, agent, hub) = (words.next()?.parse().ok()?, words.next()?.to_owned(), words.next()?.to_owned());
        (agent.len() == proof::LEN && hub.len() == proof::LEN).then_some(Self { port, agent, hub })
    }
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionRefused, why.to_owned())
}

/// Connects to the socket at a place. `NotFound` and `ConnectionRefused` mean that no hub listens there.
pub fn connect(place: &Path) -> io::Result<Stream> {
    let entry = Entry::parse(&fs::read_to_string(place)?).ok_or_else(|| refused("the place names no port"))?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, entry.port));
    let mut stream = Stream::connect_timeout(&address, proof::WAIT).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => refused("no hub listens at the port of the place"),
        _ => error,
    })?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(proof::WAIT))?;
    let mut shown = [0; proof::LEN];
    let proven = stream.write_all(entry.agent.as_bytes()).and_then(|()| stream.read_exact(&mut shown));
    if proven.is_err() || !proof::is_right(&shown, &entry.hub) {
        return Err(refused("who listens at the port of the place is not its hub"));
    }
    stream.set_read_timeout(None)?;
    Ok(stream)
}

#[cfg(feature = "tokio")]
pub use with_runtime::{
    Arrived, AsyncStream, Listener, OwnedReadHalf, OwnedWriteHalf, ReadHalf, Reader, WriteHalf, Writer, join, split,
};

#[cfg(feature = "tokio")]
mod with_runtime {
    use crate::windows::proof;
    use std::fmt::Write as _;
    use std::fs;
    use std::io;
    use std::net::Ipv4Addr;
    use std::path::Path;
    use std::sync::Arc;
    use std::task::{Context, Poll, ready};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    pub use tokio::net::TcpStream as AsyncStream;
    pub use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};
    use tokio::time::timeout;

    #[derive(Debug)]
    struct Secrets {
        agent: String,
        hub: String,
    }

    /// The listening socket at a place.
    #[derive(Debug)]
    pub struct Listener {
        listener: tokio::net::TcpListener,
        secrets: Arc<Secrets>,
    }

    impl Listener {
        /// Listens at a place. Its folder must be this user's alone.
        pub fn bind(place: &Path) -> io::Result<Self> {
            let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            listener.set_nonblocking(true)?;
            let secrets = Secrets { agent: secret()?, hub: secret()? };
            let text = format!("{} {} {}\n", listener.local_addr()?.port(), secrets.agent, secrets.hub);
            // Renamed into place, so that agents see the whole file or none.
            let draft = place.with_extension("draft");
            fs::write(&draft, text)?;
            fs::rename(&draft, place)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            Ok(Self { listener, secrets: Arc::new(secrets) })
        }

        /// The next connection, whose user is not checked yet.
        pub async fn accept(&self) -> io::Result<Arrived> {
            let (stream, _) = self.listener.accept().await?;
            Ok(Arrived { stream, secrets: Arc::clone(&self.secrets) })
        }
    }

    /// A connection whose user is not checked yet.
    #[derive(Debug)]
    pub struct Arrived {
        stream: AsyncStream,
        secrets: Arc<Secrets>,
    }

    impl Arrived {
        /// The connection, if it sends the secret that only this user can read.
        pub async fn admit(self) -> Option<AsyncStream> {
            let Self { mut stream, secrets } = self;
            stream.set_nodelay(true).ok()?;
            let mut shown = [0; proof::LEN];
            timeout(proof::WAIT, stream.read_exact(&mut shown)).await.ok()?.ok()?;
            if !proof::is_right(&shown, &secrets.agent) {
                return None;
            }
            timeout(proof::WAIT, stream.write_all(secrets.hub.as_bytes())).await.ok()?.ok()?;
            Some(stream)
        }
    }

    /// The half of a connection that is read from.
    pub type Reader = OwnedReadHalf;

    /// The half that is written to.
    #[derive(Debug)]
    pub struct Writer(OwnedWriteHalf);

    /// Splits a connection.
    pub fn split(socket: AsyncStream) -> io::Result<(Reader, Writer)> {
        let (reader, writer) = socket.into_split();
        Ok((reader, Writer(writer)))
    }

    /// Joins what [`split`] made of a connection.
    pub fn join(reader: Reader, writer: Writer) -> io::Result<AsyncStream> {
        reader.reunite(writer.0).map_err(io::Error::other)
    }

    impl Writer {
        /// Writes as much as the socket takes now.
        pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
            self.0.try_write(bytes)
        }

        /// Writes a part of this, once the socket takes something.
        pub fn poll_write(&self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            loop {
                ready!(self.0.as_ref().poll_write_ready(context))?;
                match self.0.try_write(bytes) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    written => return Poll::Ready(written),
                }
            }
        }
    }

    fn secret() -> io::Result<String> {
        let mut random = [0_u8; proof::LEN / 2];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let mut text = String::with_capacity(proof::LEN);
        for byte in random {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(text)
    }
}
