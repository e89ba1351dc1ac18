//! Facts that a hub knows from its start, and its traffic counters.

use crate::audit::Audit;
use crate::gate::{Keys, Origins};
use eye_core::calls::FirstCalls;
use eye_core::rate::Rate;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Facts {
    /// The hub's tokens. A token in an agent's `hello` may lower its scope.
    pub keys: Keys,
    /// The listening address.
    pub listen: String,
    /// The path of the Unix socket.
    pub socket: String,
    /// `token` or `none`.
    pub auth: &'static str,
    /// The hub's own agents, such as the one that keeps the mailbox as files.
    pub own_agents: usize,
    /// Folders in which only single files are served.
    pub wide_folders: Vec<PathBuf>,
    /// How often one BTCP client over TCP may send calls.
    pub rate: Rate,
    /// First call ids of sessions.
    pub first_calls: FirstCalls,
    /// The list of allowed origins. Its problems are reported as the hub's.
    pub origins: Origins,
    pub audit: Arc<Audit>,
}

/// Traffic since the hub started.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// Peers that were closed because they did not keep up.
    pub closed_slow: u64,
}
