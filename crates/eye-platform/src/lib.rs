//! What differs between the systems that eye runs on, behind one interface: `unix/` and `windows/` have the same
//! modules with the same items, so that no other crate asks which system it is. It knows nothing of hubs, pages or
//! agents.
//!
//! What only Linux knows (`/proc`, `sock_diag`, handing over files) stays where it is used.

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
