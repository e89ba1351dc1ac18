//! Several hubs as one service over NATS.
//!
//! [`core`] decides: a function of time and event, without NATS. [`wire`] is what hubs send each other, [`nats`] the
//! only file that knows NATS. The hub is reached through [`Hub`]; this crate does not know `eye-hub`.

#[cfg(feature = "nats")]
pub mod cluster;
pub mod core;
#[cfg(feature = "nats")]
pub mod nats;
pub mod packet;
pub mod parts;
pub mod row;
pub mod settings;
pub mod wire;

pub use eye_core;
use eye_core::elsewhere::{ChangedInterest, ChangedRow};
use eye_core::{Conn, Effect, Input, Millis};
use eye_protocol::messages::Hello;
use eye_protocol::scope::Scope;
use eye_protocol::shared_token::{OwnTokens, SharedToken};
use std::fmt::Debug;

/// The hub, as a cluster sees it.
pub trait Hub: Debug + Send + Sync {
    /// Lets an agent of another hub in.
    fn enter(&self, scope: Scope, hello: Hello) -> Conn;
    /// An agent of another hub leaves.
    fn leave(&self, conn: Conn);
    /// Something happened.
    fn feed(&self, input: Input);
    /// The hub's time.
    fn now(&self) -> Millis;
    /// From now on the rows of its pages are wanted, all of them at first.
    fn want_rows(&self);
    /// The named tokens that are valid or were taken back, if they may have changed since this was last asked.
    fn changed_tokens(&self) -> Option<OwnTokens>;
    /// Other hubs made tokens, or took some back.
    fn take_tokens(&self, tokens: Vec<SharedToken>);
}

/// What the hub hands over.
#[derive(Debug)]
pub enum FromHub {
    /// A request for another hub, or what an agent of another hub is told.
    Effect(Effect),
    /// Rows of pages that others list.
    Rows(Vec<ChangedRow>),
    /// What is listened to from now on, and what no more.
    Interests(Vec<ChangedInterest>),
}
