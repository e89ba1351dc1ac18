//! The state that all local connections of a relay share.

use super::pool::Pool;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use tokio::sync::{Notify, watch};

pub struct Relay {
    pub pool: Pool,
    /// The name of this machine, which prefixes agents' names.
    pub machine: String,
    pub socket: PathBuf,
    /// The number of connected agents.
    pub agents: AtomicUsize,
    /// Notified when an agent ends the relay.
    pub stop: Notify,
    /// Turns true when the relay ends; every local connection then ends its calls.
    pub ending: watch::Sender<bool>,
}
