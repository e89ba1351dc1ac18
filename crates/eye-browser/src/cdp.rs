//! The protocol's frame: commands with ids, events, sessions of targets. Which commands exist is its users' to know.

mod connection;
mod message;
mod session;
mod state;

pub use connection::{Attached, Connection, News, connect};
pub use message::{Event, TargetInfo};
pub use session::{COMMAND_MS, Events, Sent, Session, read};
pub use state::Outcome;
