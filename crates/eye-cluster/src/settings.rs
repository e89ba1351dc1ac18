//! The settings of a hub's cluster link, and the status that the link reports.

use serde::Serialize;
use std::path::PathBuf;

/// How a hub joins a cluster.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Servers of NATS, such as `nats://host:4222`.
    pub servers: Vec<String>,
    /// The name of the cluster. Hubs with the same cluster name form one service.
    pub cluster: String,
    pub hub: String,
    /// A file with credentials, or with the seed of an nkey.
    pub credentials: Option<PathBuf>,
    /// The most pages of other hubs that this hub lists. It looks up further pages on request.
    pub pages_max: usize,
}

/// The status of the link, for people.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub cluster: String,
    pub hub: String,
    pub up: bool,
    /// Whether this hub has read the directory since the link came up.
    pub read: bool,
    /// Whether other hubs hold pages that this hub does not list.
    pub partial: bool,
    /// The version of the NATS server. Empty until the server was reached.
    pub server: String,
    pub problem: Option<String>,
    /// The other hubs that are alive.
    pub hubs: Vec<HubStatus>,
    /// Requests that other hubs have not answered.
    pub calls_out: usize,
    /// Messages of other hubs that have arrived only in part.
    pub parts: usize,
}

/// Another hub.
#[derive(Clone, Debug, Serialize)]
pub struct HubStatus {
    pub name: String,
    /// The number of pages that it holds.
    pub pages: usize,
}
