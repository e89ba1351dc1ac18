//! What computes for agents and for eye's own pages: evolution, area agents, and the cartridges they make. The hub admits
//! and hands over; whoever runs it brings the backends.

use crate::agent_link::Links;
use crate::faces::Later;
use std::fmt::Debug;
use tokio::sync::mpsc;

/// What a peer of a backend says, one text message each. It ends when the peer is gone.
pub type Heard = mpsc::Receiver<String>;
/// What a backend says to its peer. A backend that lets go of it closes the connection; who finds it full has a peer that
/// does not read, and lets go of it.
pub type Say = mpsc::Sender<String>;

/// A door to a backend that is a WebSocket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// `/evolution` and `/evo`.
    Evolution,
    /// `/agents`.
    Agents,
}

/// A file that a backend gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The HTTP status.
    pub status: u16,
    /// What it is.
    pub media_type: &'static str,
    /// Whether it never changes, so that a browser may keep it.
    pub lasting: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Who computes. Everything that reaches it has passed the gate.
pub trait Backends: Debug + Send + Sync {
    /// The hub serves from now on; this is the way into it.
    fn begin(&self, links: Links);

    /// A WebSocket, until either side ends it.
    fn talk(&self, room: Room, heard: Heard, say: Say) -> Later<()>;

    /// A GET below `/cartridges/`; the list of them is the empty name.
    fn cartridge(&self, name: String) -> Later<Given>;

    /// More lines for `/metrics`.
    fn metrics(&self) -> String;

    /// The hub is about to end.
    fn shut_down(&self) -> Later<()>;
}
