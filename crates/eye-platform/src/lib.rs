//! Differences between operating systems behind one interface: `unix/` and `windows/` have the same modules with the
//! same items, so that no other crate needs to know the system. It knows nothing of hubs, pages or agents.
//!
//! What exists only on Linux (`/proc`, `sock_diag`, passing file descriptors) stays where it is used.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use system::{files, local, process, user};
#[cfg(feature = "tokio")]
pub use system::{group, signals};
