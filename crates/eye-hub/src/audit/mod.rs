//! The audit log: what agents asked, a row each. The hub's thread hands entries over; a thread of its own hashes,
//! formats and writes them in batches, so that no disk delays a call. What cannot be kept is counted, and the log says
//! so.

mod calls;
mod entry;
mod log;
mod members;
mod queue;
mod reading;
mod rows;
mod writing;

pub use calls::{Calls, Noted};
pub use entry::{Ended, Entry, dropped_line as dropped};
pub use log::Audit;
pub use queue::AuditMode;
pub use reading::read;
