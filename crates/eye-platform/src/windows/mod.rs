//! Windows. Files below a user's folder are accessible to that user alone by their inherited access rights, so no modes
//! are set here.

pub mod files;
#[cfg(feature = "tokio")]
pub mod group;
pub mod local;
pub mod process;
mod proof;
#[cfg(feature = "tokio")]
pub mod signals;
pub mod user;
