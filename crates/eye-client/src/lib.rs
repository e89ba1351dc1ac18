//! For Rust programs that are agents or pages of eye.
//!
//! An [`Agent`] asks: it evaluates code in pages, calls their tools, and hears when those change. A [`Page`] provides:
//! it offers tools of its own and answers their calls, as a web page does. Both block, both need no async runtime, and
//! an agent may be cloned and used from any number of threads: all of them share one connection.
//!
//! Every call has exactly one ending. It comes from the hub, or, when the connection is gone, from here, at once.
//!
//! Nothing is read from the environment: the program says where the hub is ([`Address`]). A [`connection`] carries
//! frames and nothing more, for programs that speak the wire themselves.
//!
//! ```no_run
#![doc = include_str!("../examples/calculator.rs")]
//! ```
//!
//! The example is a program (`cargo run --example calculator -- SOCKET`), and a test runs it against a real hub.

mod address;
mod agent;
mod call;
mod calls;
pub mod connection;
mod error;
mod link;
mod mailbox;
mod news;
mod page;
mod progress;
mod tool;
mod trust;
mod workers;

pub use address::{Address, Server};
pub use agent::{Agent, AgentSetup, EvalOptions};
pub use call::{Call, CallOptions, Canceller};
pub use error::Error;
pub use news::{Notification, Notifications};
pub use page::{Page, PageBuilder};
pub use progress::Progress;
pub use tool::{ToolCall, ToolError};
pub use trust::{Trust, system_roots};

pub use eye_protocol::answer::Bytes;
pub use eye_protocol::messages::SessionRow;
pub use eye_protocol::{Code, Value};
