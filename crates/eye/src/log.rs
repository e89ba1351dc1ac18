//! Where the hub's log lines go: to standard error, which is the log file (`hub.log`) of a hub in the background.

use std::io;
use tracing::Level;

/// Writes warnings and errors from now on. The first call in a process counts.
pub fn begin() {
    let lines = tracing_subscriber::fmt().with_writer(io::stderr).with_ansi(false).with_target(false);
    let subscriber = lines.with_max_level(Level::WARN).finish();
    let _ = tracing::subscriber::set_global_default(subscriber);
}
