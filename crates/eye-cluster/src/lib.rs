//! Joins several hubs into one service over NATS.
//!
//! [`core`] makes the decisions: a function of time and event, without NATS. [`wire`] holds the messages between hubs.
//! Only [`nats`] knows NATS. This crate reaches the hub through [`HubHandle`] and does not know `eye-hub`.

#[cfg(feature = "nats")]
pub mod cluster;
pub mod core;
#[cfg(feature = "nats")]
pub mod nats;
pub mod packet;
pub mod parts;
#[cfg(feature = "nats")]
mod queue;
pub mod row;
pub mod settings;
pub mod wire;

pub use eye_core;
use eye_core::elsewhere::{ChangedInterest, ChangedRow};
use eye_core::{Conn, Effect, Input, Millis, PlainQuestion};
use eye_protocol::messages::Hello;
use eye_protocol::scope::Scope;
use eye_protocol::shared_token::{OwnTokens, SharedToken};
use std::fmt::Debug;
use std::task::{Context, Poll};

/// The operations of the local hub that the cluster needs.
pub trait HubHandle: Debug + Send + Sync {
    /// Connects an agent of another hub.
    fn enter(&self, scope: Scope, hello: Hello) -> Conn;
    /// Disconnects an agent of another hub.
    fn leave(&self, conn: Conn);
    /// Passes an input to the hub.
    fn feed(&self, input: Input);
    /// Sends code to a page at once, if nothing has to be waited or looked for. `false`: nothing has happened.
    fn ask_plainly(&self, agent: Conn, asked: &PlainQuestion<'_>) -> bool;
    /// Runs a turn of the cluster's task. What it feeds may be written to peers' sockets when the turn ends.
    fn turn(&self, work: &mut dyn FnMut());
    /// Ready if the hub has queued something for the cluster's task since the last time. Otherwise that task is woken.
    fn poll_queued(&self, context: &Context<'_>) -> Poll<()>;
    /// The hub's clock.
    fn now(&self) -> Millis;
    /// From now on the hub sends the rows of its pages, starting with all of them.
    fn want_rows(&self);
    /// The named tokens that are valid or revoked. `None` if they cannot have changed since the last request.
    fn changed_tokens(&self) -> Option<OwnTokens>;
    /// Takes tokens that other hubs made or revoked.
    fn take_tokens(&self, tokens: Vec<SharedToken>);
}

/// What the local hub sends to the cluster task.
#[derive(Debug)]
pub enum FromHub {
    /// A request for another hub, or a message for an agent of another hub.
    Effect(Effect),
    /// Changed rows of local pages, for the lists of the other hubs.
    Rows(Vec<ChangedRow>),
    /// Topic subscriptions that were added or removed here.
    Interests(Vec<ChangedInterest>),
}
