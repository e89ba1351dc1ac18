//! The way to other hubs, as the hub sees it.

use eye_core::Effect;
use eye_core::elsewhere::{ChangedInterest, ChangedRow};
use eye_protocol::status::Hubs;
use std::fmt::Debug;

/// The way to other hubs. It is called while the hub's state is held: it takes note and returns.
pub trait Cluster: Debug + Send + Sync {
    /// Something for another hub: a request that is passed on, or what an agent of another hub is told.
    fn effect(&self, effect: Effect);

    /// Rows of pages here that others list.
    fn rows(&self, rows: Vec<ChangedRow>);

    /// What is listened to here from now on, and what no more.
    fn interests(&self, changed: Vec<ChangedInterest>);

    /// Requests that other hubs have not answered.
    fn calls_out(&self) -> usize;

    /// The hubs that are there.
    fn hubs(&self) -> Hubs;

    /// What is wrong with the way to other hubs, for `status`.
    fn problem(&self) -> Option<String>;
}
