//! The hub itself: its one state, the peers in it, and what they say and are told.

pub mod auditing;
mod claiming;
pub mod cluster;
mod confirmable;
pub mod consoles;
mod control;
mod disallowing;
pub mod draining;
pub mod elsewhere;
pub mod facts;
mod feeding;
pub mod gateway;
pub mod hearing;
mod holding;
pub mod letterbox;
pub mod links;
mod lists;
pub mod media;
pub mod memory;
pub mod opened;
pub mod outbox;
pub mod pages;
mod paused;
mod pausing;
pub mod peer;
mod reading;
mod revoking;
mod scene;
pub mod session_id;
mod speaking;
pub mod state;
pub mod streams;
pub mod turn;
pub mod version;
mod waiting;

pub use reading::{is_large, parse_post};
