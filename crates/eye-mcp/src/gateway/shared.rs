//! What a gateway is made with, and what its scopes share.

use super::instances::Instances;
use crate::config::Config;
use crate::context::{Change, Project};
use crate::metrics::Metrics;
use crate::pace::Pace;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// What a gateway is made with. Everything that comes from outside the library is here.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Who asks where no caller is named: this process.
    pub project: Project,
    /// The user's config file.
    pub user_config: Option<PathBuf>,
    /// What the command line adds; it stands above every file.
    pub overrides: Config,
    /// Where tool lists are kept. `None` keeps none.
    pub state_folder: Option<PathBuf>,
    /// Where tokens of logins are kept. `None` uses none.
    pub login_folder: Option<PathBuf>,
    /// How patient it is with servers.
    pub pace: Pace,
}

/// What scopes share. It knows no scope, so that a gateway ends with its last holder.
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
    /// A number that nothing else of this gateway has.
    pub fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }
}
