//! For tests and benchmarks: a hermetic home, a real hub through the real binary or (feature `inside`) in the process
//! of the test, a page that follows a script, a real Chromium, a real nats-server.
//!
//! Nothing here knows the inside of a hub: it speaks the wire of `docs/wire.md` and calls the `eye` program.
#![allow(clippy::missing_panics_doc, reason = "a stage that cannot be set up fails its test, and a panic is how")]

mod chromium;
mod deadline;
mod home;
mod hub;
#[cfg(feature = "inside")]
pub mod inside;
mod nats;
mod page;
mod port;
pub mod process;

pub use chromium::{Chromium, chromium, chromium_or_skip};
pub use deadline::DEADLINE;
pub use home::{Home, Ran, Running};
pub use hub::Hub;
pub use nats::{Nats, NatsPeer};
pub use page::{Held, HeldTool, PageSetup, Reply, ScriptedPage, ToolReply};
pub use port::free_port;
