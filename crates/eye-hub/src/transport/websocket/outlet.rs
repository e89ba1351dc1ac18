//! The outgoing half of a WebSocket: frames that are not written yet, and the socket. The task of the connection and
//! direct writes both use it; frames keep their order.

use super::encoder::Outgoing;
use crate::hub::outbox::{Parcel, Waiting};
use crate::hub::outlet::{Outlet, Sent};
use eye_protocol::close::Close;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncWrite, WriteHalf};
use tokio::net::tcp::OwnedWriteHalf;

/// Frames, and their way out.
#[derive(Debug)]
pub struct FrameOutlet {
    socket: Socket,
    outgoing: Mutex<Outgoing>,
}

/// The half of a connection that is written to.
#[derive(Debug)]
pub enum Socket {
    /// A bare socket.
    Plain(OwnedWriteHalf),
    /// Any other, such as TLS.
    Wrapped(Mutex<WriteHalf<TokioIo<Upgraded>>>),
}

impl FrameOutlet {
    /// Nothing waits yet.
    pub fn new(socket: Socket) -> Self {
        Self { socket, outgoing: Mutex::default() }
    }

    /// Whether it takes bytes without waiting.
    pub fn is_direct(&self) -> bool {
        matches!(self.socket, Socket::Plain(_))
    }

    /// Adds messages.
    pub fn add(&self, parcel: Parcel) {
        self.outgoing().add(parcel);
    }

    /// Adds the answer to a ping.
    pub fn pong(&self, payload: &[u8]) {
        self.outgoing().pong(payload);
    }

    /// Adds the end of the connection.
    pub fn close(&self, close: &Close) {
        self.outgoing().close(close);
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.outgoing().next().is_none()
    }

    /// Writes a part of what waits. `false`: nothing did.
    pub async fn write(&self) -> io::Result<bool> {
        poll_fn(|context| self.poll_write(context)).await
    }

    /// Lets what was written leave.
    pub async fn flush(&self) -> io::Result<()> {
        poll_fn(|context| match &self.socket {
            Socket::Plain(_) => Poll::Ready(Ok(())),
            Socket::Wrapped(socket) => Pin::new(&mut *lock(socket)).poll_flush(context),
        })
        .await
    }

    /// Says that nothing follows. A bare socket does so when it is dropped.
    pub async fn shutdown(&self) -> io::Result<()> {
        poll_fn(|context| match &self.socket {
            Socket::Plain(_) => Poll::Ready(Ok(())),
            Socket::Wrapped(socket) => Pin::new(&mut *lock(socket)).poll_shutdown(context),
        })
        .await
    }

    fn poll_write(&self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let mut outgoing = self.outgoing();
        let Some(next) = outgoing.next() else { return Poll::Ready(Ok(false)) };
        let count = match &self.socket {
            Socket::Plain(socket) => loop {
                ready!(socket.as_ref().poll_write_ready(context))?;
                match socket.try_write(next) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    written => break written?,
                }
            },
            Socket::Wrapped(socket) => ready!(Pin::new(&mut *lock(socket)).poll_write(context, next))?,
        };
        if count == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        outgoing.wrote(count);
        Poll::Ready(Ok(true))
    }

    fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        lock(&self.outgoing)
    }
}

impl Outlet for FrameOutlet {
    fn send(&self, waiting: Waiting<'_>) -> Sent {
        let mut outgoing = self.outgoing();
        let Socket::Plain(socket) = &self.socket else { return Sent { taken: 0, all: false } };
        if outgoing.next().is_some() {
            // The task of the connection is writing that.
            return Sent { taken: 0, all: false };
        }
        outgoing.copy(waiting);
        while let Some(next) = outgoing.next() {
            // The task of the connection finds out about errors.
            let Ok(count @ 1..) = socket.try_write(next) else { break };
            outgoing.wrote(count);
        }
        Sent { taken: waiting.bytes.len(), all: outgoing.next().is_none() }
    }
}

/// A panic while it is locked ends the connection; nothing but its end uses it then.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
