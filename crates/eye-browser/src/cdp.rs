//! CDP framing: commands with ids, events, and sessions of targets. It does not know the single commands.

mod connection;
mod message;
mod session;
mod state;

pub use connection::{Attached, Connection, News, connect};
pub use message::{Event, TargetInfo};
pub use session::{COMMAND_MS, Events, Sent, Session, read};
pub use state::Outcome;
