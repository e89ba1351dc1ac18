//! Windows. Files below a user's folder are that user's alone by the lists that they inherit, so nothing sets a mode
//! here.

pub mod files;
#[cfg(feature = "tokio")]
pub mod group;
pub mod local;
pub mod process;
mod proof;
#[cfg(feature = "tokio")]
pub mod signals;
pub mod user;
