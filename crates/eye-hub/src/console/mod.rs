//! What a console is made of, without sockets and without a clock: links and keys, counters of the last hour, who is
//! paused, and calls that wait for a person or until they may go on. The hub's state holds it ([`Desk`]); `hub/console`
//! feeds it and pushes it.

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

/// How a console is connected, for the audit log.
pub const FACE: &str = "console";
