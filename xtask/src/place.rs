//! Paths in this repository.

use crate::run::TaskError;
use std::fs;
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

/// Does something that may build another `debug/eye`, and puts the one that was there back.
pub fn keeping_eye(work: impl FnOnce() -> Result<(), TaskError>) -> Result<(), TaskError> {
    let (eye, kept) = (target().join("debug/eye"), target().join("debug/eye-kept"));
    let is_there = eye.is_file();
    if is_there {
        fs::copy(&eye, &kept).map_err(TaskError::io("keeping a copy of the program"))?;
    }
    let done = work();
    if is_there {
        fs::rename(&kept, &eye).map_err(TaskError::io("putting the program back"))?;
    }
    done
}
