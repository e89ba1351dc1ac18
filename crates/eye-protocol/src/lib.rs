//! What crosses a wire of eye: line frames, typed answers, batches, compact JSON, JSON-RPC, and every limit.
//!
//! Everything here is a function from text to values and back, except [`local`], which declares the way into a hub
//! without a wire and implements nothing. This crate opens no socket, reads no clock and keeps no state beyond a
//! decoder's own buffer. `docs/wire.md` is the same contract for people.

pub mod answer;
pub mod audit;
pub mod batch;
pub mod binary;
pub mod close;
pub mod compact;
#[cfg(feature = "ts")]
pub mod declarations;
pub mod error;
pub mod extension;
pub mod frame;
pub mod id;
pub mod limits;
pub mod line;
pub mod local;
pub mod messages;
pub mod operations;
pub mod page_hint;
pub mod path_cost;
pub mod rpc;
pub mod scan;
pub mod schema;
pub mod scope;
pub mod shared_token;
pub mod signature;
pub mod state;
pub mod status;
pub mod stream;
mod text;
pub mod tools;
pub mod topics;
pub mod visible;

pub use answer::{Ending, Value};
pub use error::{Code, Error, Kind};
pub use frame::Frame;
pub use id::SessionId;
