//! The connection to other hubs, as a trait. How hubs are reached is not known here.

use eye_core::Effect;
use eye_core::elsewhere::{ChangedInterest, ChangedRow};
use eye_protocol::status::Hubs;
use std::fmt::Debug;

/// The connection to other hubs. Called while the hub's state is locked: it must queue the data and return. The hub
/// then wakes the task that takes it out of the queue, through
/// [`ClusterLink::poll_queued`](super::elsewhere::ClusterLink::poll_queued).
pub trait Cluster: Debug + Send + Sync {
    /// An effect for another hub: a forwarded request, or a message for an agent of another hub. Returns how much waits
    /// in the queue.
    fn effect(&self, effect: Effect) -> usize;

    /// Changed rows of this hub's pages, which other hubs list.
    fn rows(&self, rows: Vec<ChangedRow>);

    /// Topics that this hub subscribed to or unsubscribed from.
    fn interests(&self, changed: Vec<ChangedInterest>);

    /// Requests that other hubs have not answered, and what waits in the queue.
    fn calls_out(&self) -> usize;

    fn hubs(&self) -> Hubs;

    /// What is wrong with the connection to other hubs, for `status`.
    fn problem(&self) -> Option<String>;
}
