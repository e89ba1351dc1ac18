//! The settings of a gateway, and the state that its scopes share.

use super::instances::Instances;
use crate::config::Config;
use crate::context::{Change, Project};
use crate::metrics::Metrics;
use crate::pace::Pace;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// The settings of a gateway: all input from outside the library.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The folder and environment of this process, for callers that name none.
    pub project: Project,
    pub user_config: Option<PathBuf>,
    /// Servers from the command line; they override every file.
    pub overrides: Config,
    /// Where tool lists are stored; `None` stores none.
    pub state_folder: Option<PathBuf>,
    /// Where tokens of logins are stored; `None` disables logins.
    pub login_folder: Option<PathBuf>,
    pub pace: Pace,
}

/// The state that scopes share. It holds no scope, so that a gateway ends with its last handle.
#[derive(Debug)]
pub(super) struct Shared {
    pub settings: Settings,
    pub metrics: Metrics,
    pub changes: broadcast::Sender<Change>,
    pub instances: Instances,
    pub numbers: AtomicU64,
    pub stopped: CancellationToken,
}

impl Shared {
    /// A number that is unique in this gateway.
    pub fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }
}
