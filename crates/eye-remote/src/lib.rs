//! The client side of links to a remote hub: dialing with TLS, the relay behind the local socket, and single fetches.
//!
//! Depends on the protocol (`eye-protocol`), not on the hub that runs here. The program that runs a relay passes its
//! socket in.

pub mod dial;
pub mod fetch;
pub mod relay;
mod secret;

pub use dial::{Fault, Remote};
pub use secret::Secret;
