//! The audit log: one row for each call of an agent. The hub's thread queues entries; a separate thread hashes, formats
//! and writes them in batches, so that no disk delays a call. Dropped entries are counted, and the log records how
//! many.

mod calls;
mod entry;
mod log;
mod members;
mod queue;
mod reading;
mod rows;
mod writing;

pub use calls::{Calls, Noted, RequestKey};
pub use entry::{Ended, Entry, dropped_line as dropped};
pub use log::Audit;
pub use queue::AuditMode;
pub use reading::read;
