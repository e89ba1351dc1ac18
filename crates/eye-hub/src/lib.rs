//! The hub: sockets and HTTP around `eye-core`, dialects, the gate, and the hub's own site.
//!
//! Does not read the environment or print; the program that runs it sets all paths ([`Config`]) and mounts the guests
//! ([`mount`]). Modules, each depending only on those before it: `dialect`, `gate`, `console`, `hub`, `transport`,
//! `http`, `mount`, `guests`.

mod audit;
mod config;
mod console;
mod dialect;
mod error;
pub mod gate;
pub mod guests;
mod http;
mod hub;
mod listening;
pub mod mount;
mod private;
pub mod rotated;
mod seldom;
mod server;
pub mod sockets;
mod transport;

pub use audit::AuditMode;
pub use config::{Config, RATE_DEFAULT, Ready, random_first_calls};
pub use error::HubError;
pub use eye_core::rate::Rate;
pub use gate::{Auth, Token, origins, pattern};
pub use http::door::Door;
pub use hub::cluster::Cluster;
pub use hub::elsewhere::ClusterLink;
pub use hub::gateway::{Answers, Gateway, Later, Stream};
pub use hub::links::Links;
pub use mount::Guest;
pub use server::{run, stop_signal};
pub use transport::locked_socket::LockedSocket;
pub use transport::tls::Tls;
