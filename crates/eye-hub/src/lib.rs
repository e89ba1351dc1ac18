//! The hub: sockets and HTTP around `eye-core`, the gate, and what the hub serves.

pub mod config;
pub mod origins;
pub mod token;

pub use config::{Auth, Config, HubError, Ready, Tls};
pub use token::Token;

/// Runs a hub until it is told to stop.
pub fn run(_config: Config, _ready: impl FnOnce(&Ready)) -> Result<(), HubError> {
    Ok(())
}
