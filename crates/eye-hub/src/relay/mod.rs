//! A relay: it has the place of a local hub and passes what agents say to a remote one. It holds no sessions of its own.

pub(crate) mod dial;
mod events;
mod link;
mod local;
mod pool;
mod post;
mod screen;
mod status;
mod ws;

pub use dial::Remote;
pub use link::Transport;
pub use status::RelayStatus;

use crate::config::HubError;
use crate::place::Place;
use crate::server::told_to_stop;
use dial::Fault;
use eye_protocol::limits::{CONNECTIONS_MAX, SHUTDOWN_MS};
use link::Link;
use pool::Pool;
use rustix::process::getuid;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::UnixListener;
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

/// What happens to a relay.
#[derive(Debug)]
pub enum RelayNews<'a> {
    /// The first link is up and the socket is taken.
    Ready(Transport),
    /// The remote hub is out of reach.
    Lost(&'a str),
    /// It is back.
    Back,
}

/// Why a relay did not start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
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
    /// The local place cannot be taken.
    #[error(transparent)]
    Place(#[from] HubError),
}

impl RelayError {
    fn of(remote: &Remote, fault: Fault) -> Self {
        let url = remote.url();
        match fault {
            Fault::Unreachable(why) | Fault::Blocked(why) => Self::Unreachable { url, why },
            Fault::Refused { why, hint } => Self::Refused { url, why, hint },
        }
    }
}

/// What all local connections share.
pub(crate) struct Relay {
    pool: Pool,
    machine: String,
    socket: PathBuf,
    agents: AtomicUsize,
    stop: Notify,
    /// Turns true when the relay ends; every local connection then ends its calls.
    ending: watch::Sender<bool>,
}

/// Runs a relay until it is told to stop: by a signal, or by an agent.
///
/// The socket is taken only once a link is up, so that a relay that cannot connect disturbs nobody. `make_room` runs
/// between the two.
pub fn run(
    config: RelayConfig,
    make_room: impl FnOnce(),
    mut news: impl FnMut(&RelayNews<'_>),
) -> Result<(), RelayError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| HubError::io("starting the runtime")(error))?;
    runtime.block_on(serve(config, make_room, &mut news))
}

async fn serve(
    config: RelayConfig,
    make_room: impl FnOnce(),
    news: &mut impl FnMut(&RelayNews<'_>),
) -> Result<(), RelayError> {
    let RelayConfig { socket, remote, transport, machine } = config;
    let link = Link::first(transport, &remote).await.map_err(|fault| RelayError::of(&remote, fault))?;
    let transport = link.transport();
    make_room();
    let (place, agents) = Place::take(&socket)?;
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
        () = told_to_stop() => {}
    }
    place.withdraw();
    drop(agents);
    relay.ending.send_replace(true);
    // Each local connection holds a receiver until it has told its agent.
    let _ = timeout(Duration::from_millis(SHUTDOWN_MS), relay.ending.closed()).await;
    drop(place);
    Ok(())
}

async fn accept(relay: &Arc<Relay>, listener: &UnixListener) {
    let uid = getuid().as_raw();
    loop {
        let Ok((socket, _)) = listener.accept().await else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // The folder keeps others out; this holds even where somebody loosened it.
        let same_user = socket.peer_cred().is_ok_and(|peer| peer.uid() == uid);
        if same_user && relay.agents.load(Ordering::Relaxed) < CONNECTIONS_MAX {
            tokio::spawn(local::serve(relay.clone(), socket, relay.ending.subscribe()));
        }
    }
}
