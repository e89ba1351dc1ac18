//! Runs a relay: its first link, its socket, and its end.

use super::link::{Link, Transport};
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

/// Everything a relay is told.
#[derive(Clone, Debug)]
pub struct RelayConfig {
    /// The Unix socket to take.
    pub socket: PathBuf,
    /// The hub to pass everything to.
    pub remote: Remote,
    /// The one transport to use; `None` tries them in their order.
    pub transport: Option<Transport>,
    /// What this machine is called; the remote hub's agents are told apart by it.
    pub machine: String,
}

/// A socket that was taken, and what removes it from sight when it is called. It stays taken until that is dropped.
pub type Taken<W> = (Listener, W);

/// Why a relay did not start. `E` is why the local socket could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum RelayError<E> {
    /// The remote hub cannot be reached.
    #[error("cannot reach {url}: {why}")]
    Unreachable {
        /// Where it should be.
        url: String,
        /// What happened.
        why: String,
    },
    /// The remote hub said no.
    #[error("{url} refused this agent: {why}")]
    Refused {
        /// Where it is.
        url: String,
        /// What it said.
        why: String,
        /// What it said to do.
        hint: Option<String>,
    },
    /// The local socket cannot be taken.
    #[error("{0}")]
    Place(E),
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

/// Runs a relay until `stop` is there, or an agent asks it to end.
///
/// The socket is taken only once a link is up, so that a relay that cannot connect disturbs nothing. `take` takes it.
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
    let link = Link::first(transport, &remote).await.map_err(|fault| RelayError::of(&remote, fault))?;
    let transport = link.transport();
    let (agents, mut withdraw) = take(&socket).map_err(RelayError::Place)?;
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
    // Each local connection holds a receiver until it has told its agent.
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
