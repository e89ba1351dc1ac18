//! Fixtures for tests and benchmarks: a hermetic home, a real hub (as the real program, or with feature `inside` in the
//! test's process), a scripted page, a real Chromium, a real nats-server.
//!
//! Nothing here depends on the internals of a hub: it uses the wire of `docs/wire.md` and the `eye` program.
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
pub use hub::HubProcess;
pub use nats::{Nats, NatsPeer};
pub use page::{Held, HeldTool, PageSetup, Reply, ScriptedPage, ToolReply};
pub use port::free_port;
