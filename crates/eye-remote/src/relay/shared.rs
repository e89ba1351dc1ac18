//! What all local connections of a relay share.

use super::pool::Pool;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use tokio::sync::{Notify, watch};

/// One relay.
pub struct Relay {
    /// Links to the remote hub.
    pub pool: Pool,
    /// What this machine is called.
    pub machine: String,
    /// The Unix socket that it has.
    pub socket: PathBuf,
    /// Agents that are connected.
    pub agents: AtomicUsize,
    /// An agent asks it to stop.
    pub stop: Notify,
    /// Turns true when the relay ends; every local connection then ends its calls.
    pub ending: watch::Sender<bool>,
}
