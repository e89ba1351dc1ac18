//! How an upstream is, for people and for `gateway/servers`.

use crate::metrics::Counters;
use serde::{Deserialize, Serialize};

/// How far an upstream is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum ServerState {
    /// In the config, never asked.
    Configured,
    /// Not running; its tools are known from before.
    Known,
    /// On its way up.
    Starting,
    /// It answers.
    Ready,
    /// It is down; the next use after the pause starts it again.
    Failed {
        /// What happened, with the end of its stderr.
        why: String,
    },
    /// Switched off in the config.
    Disabled,
    /// An entry of the project's config that the user has not agreed to.
    Untrusted,
}

/// One upstream as a project sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerStatus {
    /// Its name in the config.
    pub name: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the config says it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How it is started: the words of its command, or its URL.
    pub command: Vec<String>,
    /// How far it is.
    #[serde(flatten)]
    pub state: ServerState,
    /// How many tools it has, as far as is known.
    pub tools: usize,
    /// How many of its tools are not as the user approved them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unapproved: usize,
    /// Whether it wants the user to log in: `eye servers login NAME`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wants_login: bool,
    /// The MCP revision it speaks, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// What it has done for this project so far.
    pub counters: Counters,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
