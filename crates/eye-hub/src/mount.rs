//! How guests are mounted into the hub. The hub names none of them: it is given a list, adds their paths to its own, and begins and
//! ends them with itself.

use crate::http::door::Door;
use crate::hub::cluster::Cluster;
use crate::hub::gateway::{Answers, Gateway, Later};
use crate::hub::links::Links;
use axum::Router;
use std::fmt::Debug;
use std::sync::Arc;

/// Something that is served or kept beside the hub's own endpoints. Each method has an answer for a guest that does not need it.
pub trait Guest: Debug + Send + Sync {
    /// Its paths. Every handler begins with the gate of its [`Door`].
    fn routes(&self) -> Router<Door> {
        Router::new()
    }

    /// The hub serves from now on; `links` are the way into it.
    fn begin(&self, links: Links) {
        drop(links);
    }

    /// What takes over requests `gateway/…` and announced streams. The first guest that has one gives it.
    fn gateway(&self) -> Option<Arc<dyn Gateway>> {
        None
    }

    /// Requests of agents that it answers: how their methods begin, and what answers them.
    fn answers(&self) -> Option<(&'static str, Arc<dyn Answers>)> {
        None
    }

    /// The way to other hubs. The first guest that has one gives it.
    fn cluster(&self) -> Option<Arc<dyn Cluster>> {
        None
    }

    /// Agents that it keeps in the hub for itself; they do not keep an old hub from making room for a newer one.
    fn own_agents(&self) -> usize {
        0
    }

    /// More lines for `/metrics`.
    fn metrics(&self) -> String {
        String::new()
    }

    /// The hub is about to end. What pages and agents are to be told is told at once, while they are still there.
    fn shut_down(&self) -> Later<()> {
        Box::pin(std::future::ready(()))
    }
}
