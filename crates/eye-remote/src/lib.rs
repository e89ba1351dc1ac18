//! Links to a hub elsewhere, for the side that asks: dialing with TLS, the relay behind the local socket, and single
//! fetches.
//!
//! It knows the wire (`eye-protocol`) and nothing of the hub that runs here; the program that runs a relay brings its
//! socket.

pub mod dial;
pub mod fetch;
pub mod relay;
mod secret;

pub use dial::{Fault, Remote};
pub use secret::Secret;
