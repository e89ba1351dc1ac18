//! One upstream: started when it is needed, watched while it runs, restarted with growing pauses when it crashes.
//! Nothing here knows of other upstreams.

mod about;
mod approval;
mod calls;
mod child;
mod connection;
mod envelope;
mod handshake;
mod http;
mod kept;
mod life;
mod lines;
mod listener;
mod lists;
mod outbox;
mod pipes;
mod reason;
mod results;
mod roots;
mod server;
mod server_requests;
mod sse;
mod tools;

pub use approval::Unapproved;
pub(crate) use calls::is_error;
pub use envelope::Era;
pub use reason::short as short_reason;
pub use roots::{Root, read as read_roots};
pub use server::{Folders, Upstream};
