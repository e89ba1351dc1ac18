//! What a relay tells of itself.

use super::link::Transport;
use serde::{Deserialize, Serialize};

/// The result of `relay/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RelayStatus {
    /// The remote hub.
    pub url: String,
    /// What carries the links to it.
    pub transport: Transport,
    /// Whether it is in reach.
    pub connected: bool,
    /// How long it has been so, or has not.
    pub since_ms: u64,
    /// Idle links that are ready.
    pub warm: usize,
    /// How long the remote hub takes to answer; `None` when it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip_us: Option<u64>,
    /// Why it is out of reach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Local connections.
    pub agents: usize,
    /// The relay's version.
    pub version: String,
    /// The relay's process.
    pub pid: u32,
    /// The local socket.
    pub socket: String,
}
