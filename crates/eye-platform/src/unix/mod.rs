//! Linux and macOS.

pub mod files;
#[cfg(feature = "tokio")]
pub mod group;
pub mod local;
pub mod process;
#[cfg(feature = "tokio")]
pub mod signals;
mod turns;
pub mod user;
