//! How guests are mounted into the hub. The hub names none of them: it is given a list, adds their paths to its own,
//! and begins and ends them with itself.

use crate::http::door::Door;
use crate::hub::cluster::Cluster;
use crate::hub::gateway::{Answers, Gateway, Later};
use crate::hub::links::Links;
use axum::Router;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a hub that starts waits for its guests before it takes connections over TCP; they wait in the system's
/// queue.
const SETTLE: Duration = Duration::from_secs(2);

/// Something that is served or kept beside the hub's own endpoints. Each method has an answer for a guest that does not
/// need it.
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

    /// What a hub that starts waits for, for a while, before it lets pages in.
    fn settled(&self) -> Later<()> {
        Box::pin(std::future::ready(()))
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

/// Does something once the guests have settled, or have had their time.
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
