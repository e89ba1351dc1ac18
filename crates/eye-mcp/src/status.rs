//! The status of an upstream, for people and for `gateway/servers`.

use crate::metrics::Counters;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum ServerState {
    /// In the config, never started, tools unknown.
    Configured,
    /// Not running; its tools are known from before.
    Known,
    Starting,
    Ready,
    /// Down; the next use after the pause starts it again.
    Failed {
        /// The reason, with the end of its stderr.
        why: String,
    },
    /// Switched off in the config.
    Disabled,
    /// From the project's config, without the user's consent.
    Untrusted,
}

/// One upstream as a project sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerStatus {
    /// The name in the config.
    pub name: String,
    /// For people to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// From the config.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The words of its command, or its URL.
    pub command: Vec<String>,
    #[serde(flatten)]
    pub state: ServerState,
    /// The number of its tools, as far as known.
    pub tools: usize,
    /// The number of tools that differ from what the user approved.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unapproved: usize,
    /// Whether it requires a login: `eye servers login NAME`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wants_login: bool,
    /// The MCP revision, once known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Sums for this project.
    pub counters: Counters,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
