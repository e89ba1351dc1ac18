//! Runs a relay: opens the first link, takes the socket, and shuts down in order.

use super::link::{RelayLink, Transport};
use super::local;
use super::news::RelayNews;
use super::pool::Pool;
use super::shared::Relay;
use crate::dial::{Fault, Remote};
use eye_platform::local::Listener;
use eye_protocol::limits::{CONNECTIONS_MAX, SHUTDOWN_MS};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

/// After a failed accept (no file descriptors left), others get time to close theirs.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The configuration of a relay.
#[derive(Clone, Debug)]
pub struct RelayConfig {
    /// The Unix socket to take.
    pub socket: PathBuf,
    pub remote: Remote,
    /// The only transport to use; `None` tries all in order.
    pub transport: Option<Transport>,
    /// The name of this machine; it prefixes agents' names at the remote hub.
    pub machine: String,
}

/// The listener, and a function that removes its path. The place stays taken until the function is dropped.
pub type Taken<W> = (Listener, W);

/// Why a relay did not start. `E` is the error of taking the local socket.
#[derive(Debug, thiserror::Error)]
pub enum RelayError<E> {
    #[error("cannot reach {url}: {why}")]
    Unreachable {
        /// Without secrets.
        url: String,
        why: String,
    },
    /// The remote hub refused.
    #[error("{url} refused this agent: {why}")]
    Refused {
        url: String,
        /// The hub's message.
        why: String,
        /// The hub's hint.
        hint: Option<String>,
    },
    /// The local socket cannot be taken.
    #[error("{0}")]
    Socket(E),
    /// The runtime did not start.
    #[error("starting the runtime: {0}")]
    Runtime(io::Error),
}

impl<E> RelayError<E> {
    fn of(remote: &Remote, fault: Fault) -> Self {
        let url = remote.url();
        match fault {
            Fault::Unreachable(why) | Fault::Blocked(why) => Self::Unreachable { url, why },
            Fault::Refused { why, hint } => Self::Refused { url, why, hint },
        }
    }
}

/// Runs a relay until `stop` resolves or an agent ends it. Blocks.
///
/// The socket is taken, by `take`, only when a link is up, so that a relay that cannot connect disturbs nothing.
pub fn run<E, W: FnMut()>(
    config: RelayConfig,
    take: impl FnOnce(&Path) -> Result<Taken<W>, E>,
    stop: impl Future<Output = ()>,
    mut news: impl FnMut(&RelayNews<'_>),
) -> Result<(), RelayError<E>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RelayError::Runtime)?;
    runtime.block_on(serve(config, take, stop, &mut news))
}

async fn serve<E, W: FnMut()>(
    config: RelayConfig,
    take: impl FnOnce(&Path) -> Result<Taken<W>, E>,
    stop: impl Future<Output = ()>,
    news: &mut impl FnMut(&RelayNews<'_>),
) -> Result<(), RelayError<E>> {
    let RelayConfig { socket, remote, transport, machine } = config;
    let link = RelayLink::first(transport, &remote).await.map_err(|fault| RelayError::of(&remote, fault))?;
    let transport = link.transport();
    let (agents, mut withdraw) = take(&socket).map_err(RelayError::Socket)?;
    let relay = Arc::new(Relay {
        pool: Pool::new(remote, transport, link),
        machine,
        socket,
        agents: AtomicUsize::new(0),
        stop: Notify::new(),
        ending: watch::Sender::new(false),
    });
    news(&RelayNews::Ready(transport));
    tokio::select! {
        () = accept(&relay, &agents) => {}
        () = relay.pool.keep(news) => {}
        () = relay.stop.notified() => {}
        () = stop => {}
    }
    withdraw();
    drop(agents);
    relay.ending.send_replace(true);
    // Each local connection holds a receiver until it has sent its agent the last frames.
    let _ = timeout(Duration::from_millis(SHUTDOWN_MS), relay.ending.closed()).await;
    drop(withdraw);
    Ok(())
}

async fn accept(relay: &Arc<Relay>, listener: &Listener) {
    loop {
        let Ok(arrived) = listener.accept().await else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        if relay.agents.load(Ordering::Relaxed) < CONNECTIONS_MAX {
            let (relay, ending) = (relay.clone(), relay.ending.subscribe());
            tokio::spawn(async move {
                if let Some(socket) = arrived.admit().await {
                    local::serve(relay, socket, ending).await;
                }
            });
        }
    }
}
