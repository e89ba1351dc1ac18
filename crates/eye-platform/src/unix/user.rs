//! Users and owners.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// The environment variable with the path of the user's folder.
pub const HOME: &str = "HOME";

/// The number of this user; `None` where users have no numbers.
pub fn id() -> Option<u32> {
    Some(rustix::process::getuid().as_raw())
}

/// The number of a file's owner; `None` where users have no numbers.
pub fn owner(about: &Metadata) -> Option<u32> {
    Some(about.uid())
}

/// Whether this process has root's rights.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
