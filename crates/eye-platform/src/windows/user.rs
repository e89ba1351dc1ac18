//! Users and owners. Windows has no user numbers: files below a user's folder are that user's.

use std::fs::Metadata;

/// The environment variable with the path of the user's folder.
pub const HOME: &str = "USERPROFILE";

/// Always `None`: users have no numbers.
pub fn id() -> Option<u32> {
    None
}

/// Always `None`: users have no numbers.
pub fn owner(_: &Metadata) -> Option<u32> {
    None
}

/// Always false.
pub fn is_root() -> bool {
    false
}
