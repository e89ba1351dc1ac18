//! One connection to a hub that carries frames, over the Unix socket or over a WebSocket. Blocking on purpose.

pub mod server;
pub mod socket;

use crate::failure::Failure;
use std::time::Duration;

pub use server::ServerLink;
pub use socket::SocketLink;

/// One open connection to a hub.
pub enum Link {
    /// The hub of this user on this machine.
    Socket(SocketLink),
    /// A hub that `EYE_SERVER` names.
    Server(Box<ServerLink>),
}

impl Link {
    /// Sends frames, on the Unix socket all in one write.
    pub fn send(&mut self, frames: &[&str]) -> Result<(), Failure> {
        match self {
            Self::Socket(link) => link.send(frames),
            Self::Server(link) => link.send(frames),
        }
    }

    /// The next frame; `None` when the hub closed the connection.
    pub fn receive(&mut self) -> Result<Option<String>, Failure> {
        match self {
            Self::Socket(link) => link.receive(),
            Self::Server(link) => link.receive(),
        }
    }

    /// How long [`Link::receive`] waits before it takes the hub for hung.
    pub fn set_patience(&mut self, patience: Option<Duration>) -> Result<(), Failure> {
        match self {
            Self::Socket(link) => link.set_patience(patience),
            Self::Server(link) => link.set_patience(patience),
        }
    }
}
