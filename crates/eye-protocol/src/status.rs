//! The status of a hub, and of the hubs that form one service with it.

use crate::messages::is_false;
use serde::{Deserialize, Serialize};

/// Result of `hub/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Status {
    /// The hub's own version.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// Since its start, in ms.
    pub uptime_ms: u64,
    /// Where it listens for HTTP and `WebSocket`s.
    pub listen: String,
    /// Its Unix socket.
    pub socket: String,
    /// `token` or `none`.
    pub auth: String,
    /// Connected pages.
    pub pages: usize,
    /// Sessions, connected or not.
    pub sessions: usize,
    /// Connected agents, the asking one included.
    pub agents: usize,
    /// Calls under way.
    pub pending: usize,
    /// What is wrong with the hub's own files, one sentence each; left out when nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<String>>"))]
    pub problems: Vec<String>,
    /// The hubs of its cluster; left out by a hub that is alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Hubs>,
}

/// The hubs of a cluster, as one of them sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Hubs {
    /// The cluster's name.
    pub cluster: String,
    /// What this hub is called in it.
    pub own: String,
    /// Whether the way to the others is open.
    pub up: bool,
    /// The others, by their names.
    pub others: Vec<OtherHub>,
    /// They hold more pages than this hub lists: those are looked up when they are asked for.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
}

/// Another hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct OtherHub {
    /// What it is called.
    pub name: String,
    /// Pages that it holds.
    pub pages: usize,
}
