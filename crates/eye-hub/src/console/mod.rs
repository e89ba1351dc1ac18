//! The data of consoles, without sockets and clock: links and keys, counters of the last hour, pauses, and calls that
//! wait for a person or for the end of a pause. The hub's state holds the [`Desk`]; `hub/console` feeds it and pushes
//! it.

mod book;
mod desk;
mod keys;
mod latency;
mod line;
mod pauses;
mod ring;

pub use book::Counted;
pub use desk::{Desk, HELD_MS, Held};
pub use keys::{ConsoleKeys, KEY_MS_DEFAULT};
pub use line::{Line, Waiting};
pub use pauses::What;
pub use ring::{Gauges, Sample};

/// How a console's connection appears in the audit log.
pub const FACE: &str = "console";
