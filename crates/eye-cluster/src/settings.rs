//! What a hub is told of its cluster, and what it tells of it.

use serde::Serialize;
use std::path::PathBuf;

/// How a hub joins a cluster.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Servers of NATS, such as `nats://host:4222`.
    pub servers: Vec<String>,
    /// The name of the cluster: hubs of one name are one service.
    pub cluster: String,
    /// The name of this hub.
    pub hub: String,
    /// A file of credentials, or of an nkey's seed.
    pub credentials: Option<PathBuf>,
    /// Pages of other hubs that this one lists. Further ones are looked up when they are asked for.
    pub pages_max: usize,
}

/// How the link does, for people.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The cluster's name.
    pub cluster: String,
    /// This hub's name.
    pub hub: String,
    /// Whether the link is up.
    pub up: bool,
    /// Whether the directory has been read since the link is up.
    pub read: bool,
    /// Whether other hubs hold pages that this one does not list.
    pub partial: bool,
    /// The server's version, once it was reached.
    pub server: String,
    /// What is wrong.
    pub problem: Option<String>,
    /// The other hubs that are there.
    pub hubs: Vec<HubStatus>,
    /// Requests that other hubs have not answered.
    pub calls_out: usize,
    /// Messages of other hubs that are not whole yet.
    pub parts: usize,
}

/// Another hub.
#[derive(Clone, Debug, Serialize)]
pub struct HubStatus {
    /// Its name.
    pub name: String,
    /// The pages that it holds.
    pub pages: usize,
}
