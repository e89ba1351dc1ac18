//! Whose something is.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// The variable that holds the path of this user's folder.
pub const HOME: &str = "HOME";

/// The number of this user, where users have numbers.
pub fn id() -> Option<u32> {
    Some(rustix::process::getuid().as_raw())
}

/// The number of a file's owner, where users have numbers.
pub fn owner(about: &Metadata) -> Option<u32> {
    Some(about.uid())
}

/// Whether this process may do everything.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
