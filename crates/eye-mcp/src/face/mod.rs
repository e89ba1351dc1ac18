//! The MCP faces of eye: stdio through the hub's Unix socket, and Streamable HTTP, each in both eras.
//!
//! Nothing here opens sockets or runs an HTTP server: requests, byte streams and a way into the hub are passed in.

mod agents;
mod answer;
mod ask;
mod ask_hub;
mod audited;
mod begin;
mod call;
mod called;
mod catalogue;
mod client;
mod content;
mod era;
mod errand;
mod faces;
mod fresh;
#[cfg(target_os = "linux")]
pub mod handover;
mod held;
mod hold;
mod http;
mod in_turn;
mod keeping;
mod limits;
mod listing;
mod members;
mod message;
mod methods;
mod offers;
mod original;
mod outcome;
mod parking;
mod pieces;
mod prompts;
mod pump;
mod resources;
mod seal;
mod select;
mod sessions;
mod shared;
mod stdio;
mod tools;
mod unread;
mod verbs;

pub use call::{Call, Outlet, Provider, Stop};
pub use era::{Era, missing_capability};
pub use faces::Face;
pub use http::Body;
pub use offers::{Change, List, Offers};
pub use outcome::Outcome;
pub use stdio::Announcement;
pub use tools::{INSTRUCTIONS, TOOLS};
