//! Whose something is. Users have no numbers here: what lies below a user's folder is that user's.

use std::fs::Metadata;

/// The variable that holds the path of this user's folder.
pub const HOME: &str = "USERPROFILE";

/// The number of this user, where users have numbers.
pub fn id() -> Option<u32> {
    None
}

/// The number of a file's owner, where users have numbers.
pub fn owner(_: &Metadata) -> Option<u32> {
    None
}

/// Whether this process may do everything.
pub fn is_root() -> bool {
    false
}
