//! For tests: a hermetic home, a real hub through the real binary, and a page that follows a script.
//!
//! Nothing here knows the inside of a hub: it speaks the wire of `docs/wire.md` and calls the `eye` program.
#![allow(clippy::missing_panics_doc, reason = "a stage that cannot be set up fails its test, and a panic is how")]

mod deadline;
mod home;
mod hub;
mod nats;
mod page;

pub use deadline::DEADLINE;
pub use home::{Home, Ran, Running};
pub use hub::Hub;
pub use nats::{Nats, NatsPeer};
pub use page::{Held, HeldTool, PageSetup, Reply, ScriptedPage, ToolReply};
