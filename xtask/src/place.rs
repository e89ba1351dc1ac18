//! Where things are in this repository.

use std::path::PathBuf;

/// The repository's root.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or(here.clone(), PathBuf::from)
}

/// Where Cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The page client that the hub carries.
pub fn client_asset() -> PathBuf {
    root().join("crates/eye-hub/assets/eye.js")
}
