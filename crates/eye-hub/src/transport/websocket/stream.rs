//! The connection of a WebSocket; the bare TCP socket if possible.

use bytes::{Buf, Bytes};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

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
            Ok(parts) => Self::Plain { before: parts.read_buf, socket: parts.io.into_inner() },
            Err(upgraded) => Self::Wrapped(TokioIo::new(upgraded)),
        }
    }
}

impl AsyncRead for Stream {
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

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain { socket, .. } => Pin::new(socket).poll_write(context, bytes),
            Self::Wrapped(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain { socket, .. } => Pin::new(socket).poll_flush(context),
            Self::Wrapped(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain { socket, .. } => Pin::new(socket).poll_shutdown(context),
            Self::Wrapped(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn what_came_behind_the_request_is_read_first() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (near, far) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (mut near, socket) = (near.unwrap(), far.unwrap().0);
        let mut stream = Stream::Plain { before: Bytes::from_static(b"first"), socket };
        near.write_all(b" then").await.unwrap();
        near.shutdown().await.unwrap();
        let mut bytes = [0; 3];
        stream.read_exact(&mut bytes).await.unwrap();
        let mut rest = String::new();
        stream.read_to_string(&mut rest).await.unwrap();
        assert_eq!((&bytes, rest.as_str()), (b"fir", "st then"));
    }
}
