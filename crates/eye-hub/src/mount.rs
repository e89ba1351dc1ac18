//! Mounts guests into the hub. The hub does not know them by name: it gets a list, adds their paths to its own, and
//! starts and stops them with itself.

use crate::http::door::Door;
use crate::hub::cluster::Cluster;
use crate::hub::gateway::{Answers, Gateway, Later};
use crate::hub::links::Links;
use axum::Router;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a starting hub waits for its guests before it accepts TCP connections; these wait in the system's queue.
const SETTLE: Duration = Duration::from_secs(2);

/// A component that the hub serves or runs beside its own endpoints. Each method has a default for guests that do not
/// need it.
pub trait Guest: Debug + Send + Sync {
    /// Its paths. Every handler must first pass the gate of its [`Door`].
    fn routes(&self) -> Router<Door> {
        Router::new()
    }

    /// Called when the hub starts to serve; `links` connect to the hub.
    fn begin(&self, links: Links) {
        drop(links);
    }

    /// Handles requests `gateway/…` and announced streams. The first guest that has one provides it.
    fn gateway(&self) -> Option<Arc<dyn Gateway>> {
        None
    }

    /// Agents' requests that it answers: their method prefix, and the handler.
    fn answers(&self) -> Option<(&'static str, Arc<dyn Answers>)> {
        None
    }

    /// The connection to other hubs. The first guest that has one provides it.
    fn cluster(&self) -> Option<Arc<dyn Cluster>> {
        None
    }

    /// A starting hub waits for this, up to a limit, before it lets pages in.
    fn settled(&self) -> Later<()> {
        Box::pin(std::future::ready(()))
    }

    /// Its own agents in the hub. They do not prevent an old hub from retiring for a newer one.
    fn own_agents(&self) -> usize {
        0
    }

    /// More lines for `/metrics`.
    fn metrics(&self) -> String {
        String::new()
    }

    /// Called before the hub ends. Must notify pages and agents at once, while they are still connected.
    fn shut_down(&self) -> Later<()> {
        Box::pin(std::future::ready(()))
    }
}

/// Runs `then` once the guests have settled, or their time is over.
pub async fn once_settled(guests: &[Arc<dyn Guest>], then: impl Future<Output = ()>) {
    let all = async {
        for guest in guests {
            guest.settled().await;
        }
    };
    let _ = timeout(SETTLE, all).await;
    then.await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::Semaphore;
    use tokio::time::Instant;

    #[derive(Debug)]
    struct Slow(Arc<Semaphore>);

    impl Guest for Slow {
        fn settled(&self) -> Later<()> {
            let settled = self.0.clone();
            Box::pin(async move { settled.acquire().await.expect("it stays open").forget() })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn pages_wait_for_what_guests_know_but_not_forever() {
        let settled = Arc::new(Semaphore::new(0));
        let guests: Vec<Arc<dyn Guest>> = vec![Arc::new(Slow(settled.clone()))];
        let begun = Instant::now();
        once_settled(&guests, async {}).await;
        assert_eq!(begun.elapsed(), SETTLE);
        settled.add_permits(1);
        once_settled(&guests, async {}).await;
        assert_eq!(begun.elapsed(), SETTLE);
    }
}
