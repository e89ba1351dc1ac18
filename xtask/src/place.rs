//! Paths in this repository.

use std::path::PathBuf;

pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or(here.clone(), PathBuf::from)
}

/// Cargo's target folder.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The page client that the hub contains.
pub fn client_asset() -> PathBuf {
    root().join("crates/eye-hub/assets/eye.js")
}
