//! The connection of a WebSocket; the bare TCP socket if possible.

use super::outlet::{FrameOutlet, Socket};
use bytes::{Buf, Bytes};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf, ReadHalf, split};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;

#[derive(Debug)]
pub enum Stream {
    /// A socket without the HTTP server's wrapper, which would cost time for every frame.
    Plain {
        /// Bytes that were read after the request.
        before: Bytes,
        socket: TcpStream,
    },
    /// Any other connection, such as TLS.
    Wrapped(TokioIo<Upgraded>),
}

impl Stream {
    /// Takes the connection from the HTTP server after the handshake.
    pub fn of(upgraded: Upgraded) -> Self {
        match upgraded.downcast::<TokioIo<TcpStream>>() {
            // Copied, because the server's buffer of 8 KiB would stay as long as the connection.
            Ok(parts) => Self::Plain { before: Bytes::copy_from_slice(&parts.read_buf), socket: parts.io.into_inner() },
            Err(upgraded) => Self::Wrapped(TokioIo::new(upgraded)),
        }
    }

    /// What is read from, and what is written to.
    pub fn split(self) -> (Reader, FrameOutlet) {
        match self {
            Self::Plain { before, socket } => {
                let (reader, writer) = socket.into_split();
                (Reader::Plain { before, socket: reader }, FrameOutlet::new(Socket::Plain(writer)))
            }
            Self::Wrapped(stream) => {
                let (reader, writer) = split(stream);
                (Reader::Wrapped(reader), FrameOutlet::new(Socket::Wrapped(Mutex::new(writer))))
            }
        }
    }
}

/// The half of a connection that is read from.
#[derive(Debug)]
pub enum Reader {
    /// A bare socket.
    Plain {
        /// Bytes that were read after the request.
        before: Bytes,
        socket: OwnedReadHalf,
    },
    /// Any other.
    Wrapped(ReadHalf<TokioIo<Upgraded>>),
}

impl AsyncRead for Reader {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain { before, socket } if before.is_empty() => Pin::new(socket).poll_read(context, buffer),
            Self::Plain { before, .. } => {
                let count = before.len().min(buffer.remaining());
                buffer.put_slice(&before[..count]);
                before.advance(count);
                Poll::Ready(Ok(()))
            }
            Self::Wrapped(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::outbox::{Parcel, Waiting};
    use crate::hub::outlet::{Outlet, Sent};
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    async fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (near, far) = tokio::join!(TcpStream::connect(address), listener.accept());
        (near.unwrap(), far.unwrap().0)
    }

    #[tokio::test]
    async fn what_came_behind_the_request_is_read_first() {
        let (mut near, socket) = pair().await;
        let (mut stream, _outlet) = Stream::Plain { before: Bytes::from_static(b"first"), socket }.split();
        near.write_all(b" then").await.unwrap();
        near.shutdown().await.unwrap();
        let mut bytes = [0; 3];
        stream.read_exact(&mut bytes).await.unwrap();
        let mut rest = String::new();
        stream.read_to_string(&mut rest).await.unwrap();
        assert_eq!((&bytes, rest.as_str()), (b"fir", "st then"));
    }

    #[tokio::test]
    async fn what_is_sent_directly_and_what_the_task_writes_leave_in_order() {
        let (mut near, socket) = pair().await;
        let (reader, outlet) = Stream::Plain { before: Bytes::new(), socket }.split();
        let message = "x".repeat(10_000);
        let waiting = Waiting { bytes: message.as_bytes(), ends: &[10_000], binary: &[] };
        let mut sent = 0;
        loop {
            match outlet.send(waiting) {
                Sent { taken: 10_000, all } => {
                    sent += 1;
                    if !all {
                        break;
                    }
                }
                refused => panic!("{refused:?} before the socket is full"),
            }
        }
        assert_eq!(outlet.send(waiting), Sent { taken: 0, all: false }, "nothing overtakes what waits");
        outlet.add(Parcel { bytes: b"last".to_vec(), ends: vec![4], binary: Vec::new() });
        let write = async {
            while outlet.write().await.unwrap() {}
            drop(outlet);
        };
        let mut all = Vec::new();
        let read = async { near.read_to_end(&mut all).await.unwrap() };
        timeout(Duration::from_secs(20), async { tokio::join!(write, read) }).await.unwrap();
        let frame = [&[0x81, 126, 0x27, 0x10], message.as_bytes()].concat();
        assert_eq!(all.len(), sent * frame.len() + 6);
        assert!(all.chunks(frame.len()).take(sent).all(|chunk| chunk == frame));
        assert_eq!(&all[sent * frame.len()..], b"\x81\x04last");
        drop(reader);
    }
}
