//! What a hub knows of itself from its start, and what it counts of its wires.

use crate::audit::Audit;
use crate::gate::{Keys, Origins};
use eye_core::calls::FirstCalls;
use eye_core::rate::Rate;
use std::path::PathBuf;
use std::sync::Arc;

/// What a hub tells of itself beside its counts.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The tokens that lower an agent.
    pub keys: Keys,
    /// Where it listens.
    pub listen: String,
    /// Its Unix socket.
    pub socket: String,
    /// `token` or `none`.
    pub auth: &'static str,
    /// Agents that are the hub's own: the one that keeps the mailbox as files.
    pub own_agents: usize,
    /// Folders of which only single files are served.
    pub wide_folders: Vec<PathBuf>,
    /// How often one client may ask that speaks BTCP over TCP.
    pub rate: Rate,
    /// Where the call ids of sessions begin.
    pub first_calls: FirstCalls,
    /// The list of allowed origins, whose problems are the hub's.
    pub origins: Origins,
    /// What agents ask is noted here.
    pub audit: Arc<Audit>,
}

/// What went over the wires since the hub began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    /// Bytes that peers sent.
    pub bytes_in: u64,
    /// Bytes that were written to peers.
    pub bytes_out: u64,
    /// Peers that were closed because they did not keep up.
    pub closed_slow: u64,
}
