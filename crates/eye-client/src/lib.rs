//! A library for Rust programs that are agents or pages of eye.
//!
//! An [`Agent`] evaluates code in pages, calls their tools, and is notified when those change. A [`Page`] offers tools
//! of its own and answers their calls, as a web page does. Both block and need no async runtime. An agent may be cloned
//! and used from any number of threads: all of them share one connection.
//!
//! Every call has exactly one ending. It comes from the hub or, if the connection is gone, at once from this library.
//!
//! Nothing is read from the environment: the program sets the hub's [`Address`]. A [`connection`] only carries frames,
//! for programs that implement the wire protocol themselves.
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
