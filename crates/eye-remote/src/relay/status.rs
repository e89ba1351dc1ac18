//! The status that a relay reports.

use super::link::Transport;
use serde::{Deserialize, Serialize};

/// The result of `relay/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RelayStatus {
    /// The remote hub's URL.
    pub url: String,
    pub transport: Transport,
    /// Whether the remote hub is reachable.
    pub connected: bool,
    /// How long `connected` has had this value, in milliseconds.
    pub since_ms: u64,
    /// The number of idle links.
    pub warm: usize,
    /// In microseconds; `None` while the remote hub does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip_us: Option<u64>,
    /// Why the remote hub is unreachable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The number of local connections.
    pub agents: usize,
    pub version: String,
    /// The relay's process id.
    pub pid: u32,
    /// The path of the local socket.
    pub socket: String,
}
