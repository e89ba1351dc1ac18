//! The hub's own tasks from its start to its end: deadlines, storing sessions, stopping.

use crate::audit::Audit;
use crate::config::{Config, Ready};
use crate::error::HubError;
use crate::gate::{Auth, Gate, Keys, Origins};
use crate::http::{self, door::Door};
use crate::hub::direct;
use crate::hub::facts::Facts;
use crate::hub::links::Links;
use crate::hub::memory::Memory;
use crate::hub::state::{Hub, Job};
use crate::listening::{Routers, Site, accept_agents, accept_pages, listen, listen_twin};
use crate::mount::{Guest, once_settled};
use crate::seldom::Seldom;
use crate::transport::locked_socket::LockedSocket;
use crate::transport::tls;
use axum::Router;
use eye_core::Done;
use eye_platform::local::Listener;
use eye_platform::process::{self, Turns};
pub use eye_platform::signals::stop_signal;
use eye_protocol::limits::{GUESTS_END_MS, SHUTDOWN_MS};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, sleep_until, timeout};

/// How long after SIGTERM a stuck hub is killed.
const STUCK_AFTER: Duration = Duration::from_secs(5);
const WORKER_STACK_BYTES: usize = 8 << 20;
/// Interval of the checks for stalled peers and of the counters' samples.
const STALL_CHECK: Duration = Duration::from_secs(1);
/// How far workers yield to the hub's thread if there are too few cores for both. They are the only threads that the
/// runtime starts, and they may wait for the hub's thread, never the other way round.
const WORKER_NICENESS: i32 = 5;
/// How often a stopping hub checks whether all peers have left.
const LEAVE_CHECK: Duration = Duration::from_millis(2);
/// Delay, so that changes which come close together are saved together.
const REMEMBER_PAUSE: Duration = Duration::from_millis(20);

/// Runs a hub until a signal or an agent stops it.
///
/// One current-thread runtime owns all sockets and sessions: a second thread makes a round trip slower, not faster.
pub fn run(config: Config, ready: impl FnOnce(&Ready)) -> Result<(), HubError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_unpark(direct::thread_waited)
        // Data from pages is nested, and the work on it is recursive.
        .thread_stack_size(WORKER_STACK_BYTES)
        .on_thread_start(|| {
            process::stand_back(WORKER_NICENESS);
            process::take_turns(Turns::Working);
        })
        .build()
        .map_err(HubError::io("starting the runtime"))?;
    end_if_stuck()?;
    // Every agent that waits for an answer waits for this thread.
    process::take_turns(Turns::Short);
    runtime.block_on(serve(config, ready))
}

async fn serve(config: Config, ready: impl FnOnce(&Ready)) -> Result<(), HubError> {
    check_exposure(&config)?;
    process::raise_file_limit();
    let acceptor = config.tls.as_ref().map(tls::acceptor).transpose()?;
    let (socket, agents) = LockedSocket::take(&config.socket)?;
    let pages = listen(config.listen).await?;
    let listen = pages.local_addr().map_err(HubError::io("asking for the port"))?;
    let twin = listen_twin(config.listen, listen).await?;
    let scheme = if acceptor.is_some() { "https" } else { "http" };
    let facts = Facts {
        listen: format!("{scheme}://{listen}"),
        socket: config.socket.display().to_string(),
        auth: match config.auth {
            Auth::Token(_) => "token",
            Auth::None => "none",
        },
        own_agents: config.guests.iter().map(|guest| guest.own_agents()).sum(),
        wide_folders: config.wide_folders,
        rate: config.rate,
        first_calls: config.first_calls,
        keys: Keys::new(config.auth.clone(), &config.origins_file),
        origins: Origins::new(config.origins_file.clone()),
        audit: Audit::start(config.audit, &config.state_dir).map_err(HubError::io("starting a thread"))?,
    };
    let memory = Memory::new(&config.state_dir);
    let hub = Hub::new(facts, memory.load());
    introduce(&hub, &config.guests);
    let mut hosts = config.hosts;
    if !listen.ip().is_loopback() && !listen.ip().is_unspecified() {
        // DNS cannot rebind an address, so the hub can safely answer to the configured one.
        hosts.push(match listen {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        });
    }
    // A program may send any origin, so eye's own pages get access only if no other machine reaches the hub.
    let here_only = listen.ip().is_loopback() || config.published;
    let gate = |page_tokens| {
        let origins = Origins::new(config.origins_file.clone());
        let gate = Gate::new(config.auth.clone(), hosts.clone(), origins)
            .with_own_pages(here_only.then_some(listen.port()))
            .with_proxies(config.published, config.proxy_users.clone());
        gate.with_page_tokens(page_tokens)
    };
    for guest in &config.guests {
        guest.begin(Links::new(hub.clone()));
    }
    let here = Door {
        hub: hub.clone(),
        gate: Arc::new(gate(false).with_console(listen.port())),
        metrics: metrics(&config.guests),
    };
    let elsewhere = Door { gate: Arc::new(gate(!here_only)), ..here.clone() };
    let both = |door: Door| Site {
        hub: router(&config.guests, door.clone()),
        console: http::console_routes().with_state(door),
    };
    let router = Routers { here: both(here), elsewhere: both(elsewhere) };
    tracing::info!(%listen, tls = acceptor.is_some(), version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "the hub serves");
    ready(&Ready { listen, tls: acceptor.is_some() });
    let tasks = own_tasks(&hub, &agents, &memory);
    tokio::pin!(tasks);
    tokio::select! {
        () = once_settled(&config.guests, accept_pages(&hub, pages, acceptor.clone(), router.clone())) => {}
        () = once_settled(&config.guests, async {
            match twin {
                Some(twin) => accept_pages(&hub, twin, acceptor.clone(), router.clone()).await,
                None => std::future::pending().await,
            }
        }) => {}
        () = &mut tasks => {}
        () = hub.stop.notified() => {}
        () = stop_signal() => {}
    }
    wait_for_calls(&hub, tasks).await;
    // New connections no longer find this hub; agents that have already connected learn that it retires.
    socket.withdraw();
    tracing::info!(peers = hub.peers(), "the hub ends");
    // The hub's last messages come before its guests end: for example states that must outlive the hub.
    hub.shut_down();
    let guests_left: Vec<_> = config.guests.iter().map(|guest| guest.shut_down()).collect();
    let guests_left = async {
        let all = async {
            for left in guests_left {
                left.await;
            }
        };
        let _ = timeout(Duration::from_millis(GUESTS_END_MS), all).await;
    };
    let peers_left = async {
        let _ = timeout(Duration::from_millis(SHUTDOWN_MS), all_left(&hub)).await;
    };
    tokio::select! {
        () = accept_agents(&hub, &agents) => {}
        ((), ()) = async { tokio::join!(guests_left, peers_left) } => {}
    }
    if let Some(known) = hub.take_known() {
        let _ = memory.save(known);
    }
    hub.audit().finish();
    drop(socket);
    Ok(())
}

/// The hub's permanent tasks, besides accepting TCP connections.
async fn own_tasks(hub: &Arc<Hub>, agents: &Listener, memory: &Memory) {
    tokio::select! {
        () = accept_agents(hub, agents) => {}
        () = keep_time(hub) => {}
        () = remember(hub, memory) => {}
        () = work(hub) => {}
        () = hub.watch_tokens() => {}
        () = hub.watch_origins() => {}
    }
}

/// Lets open calls end, for as long as the request to stop allows. The hub no longer accepts TCP connections, so a load
/// balancer sends pages to other hubs.
async fn wait_for_calls(hub: &Hub, tasks: impl Future<Output = ()>) {
    let Some(patience) = hub.drain_for() else { return };
    tracing::info!(?patience, "the hub waits for calls that are under way");
    tokio::select! {
        drained = timeout(patience, hub.drain()) => if drained.is_err() {
            tracing::warn!("calls were under way for too long, and are ended");
        },
        () = tasks => {}
        () = hub.stop.notified() => {}
        () = stop_signal() => {}
    }
}

/// Registers the guests' handlers with the hub.
fn introduce(hub: &Hub, guests: &[Arc<dyn Guest>]) {
    if let Some(gateway) = guests.iter().find_map(|guest| guest.gateway()) {
        let _ = hub.gateway.set(gateway);
    }
    if let Some(cluster) = guests.iter().find_map(|guest| guest.cluster()) {
        let _ = hub.cluster.set(cluster);
    }
    let _ = hub.answers.set(guests.iter().filter_map(|guest| guest.answers()).collect());
}

/// The hub's own paths and those of its guests.
fn router(guests: &[Arc<dyn Guest>], door: Door) -> Router {
    let routes = guests.iter().fold(http::routes(), |routes, guest| routes.merge(guest.routes()));
    routes.with_state(door)
}

fn metrics(guests: &[Arc<dyn Guest>]) -> Arc<dyn Fn() -> String + Send + Sync> {
    let guests = guests.to_vec();
    Arc::new(move || guests.iter().map(|guest| guest.metrics()).collect())
}

/// Runs jobs that are too long for the hub's thread, in order of arrival, on at most all cores but one. Freeing a value
/// does not wait: a queue of dropped documents would take memory beyond the budget.
async fn work(hub: &Arc<Hub>) {
    let Some(mut jobs) = hub.take_jobs() else { return std::future::pending().await };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let places = Arc::new(Semaphore::new(cores.saturating_sub(1).max(1)));
    while let Some(job) = jobs.recv().await {
        match job {
            Job::Do(lane, work) => {
                let (hub, places) = (hub.clone(), places.clone());
                tokio::spawn(async move {
                    let Ok(place) = places.acquire().await else { return };
                    let done = spawn_blocking(move || work.run(process::give_way)).await.unwrap_or(Done::Failed);
                    drop(place);
                    hub.worked(lane, done);
                });
            }
            Job::Free(value) => drop(spawn_blocking(move || value.free(process::give_way))),
        }
    }
}

/// Starts a thread that kills the process some time after SIGTERM, whatever the hub's thread is doing.
fn end_if_stuck() -> Result<(), HubError> {
    let watch = || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            stop_signal().await;
            sleep(STUCK_AFTER).await;
            process::end_now();
        });
    };
    let thread = std::thread::Builder::new().name("stop".into());
    thread.spawn(watch).map(|_| ()).map_err(HubError::io("starting a thread"))
}

async fn all_left(hub: &Hub) {
    loop {
        sleep(LEAVE_CHECK).await;
        if hub.peers() == 0 {
            return;
        }
    }
}

/// Allows listening beyond loopback only with a token and TLS, or with the explicit flag for a published port.
fn check_exposure(config: &Config) -> Result<(), HubError> {
    let listen = config.listen;
    if listen.ip().is_loopback() {
        return Ok(());
    }
    if matches!(config.auth, Auth::None) {
        return Err(HubError::Exposed { listen, needs: "a token: leave out `--auth none`" });
    }
    if config.tls.is_none() && !config.published {
        let needs = "TLS: `--tls` or `--tls-cert` and `--tls-key`, or `--published` where a container publishes the port to loopback only";
        return Err(HubError::Exposed { listen, needs });
    }
    Ok(())
}

/// One timer for all deadlines.
async fn keep_time(hub: &Hub) {
    let mut stall_check = tokio::time::interval(STALL_CHECK);
    loop {
        let wake = hub.next_wake();
        tokio::select! {
            () = async {
                match wake {
                    Some(at) => sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            } => hub.tick(),
            () = hub.rearm.notified() => {}
            _ = stall_check.tick() => {
                hub.end_stalled();
                hub.sample();
            }
        }
    }
}

/// Logged failures per minute.
static NOT_SAVED: Seldom = Seldom::new(2);

async fn remember(hub: &Hub, memory: &Memory) {
    loop {
        hub.remember.notified().await;
        sleep(REMEMBER_PAUSE).await;
        if let Some(known) = hub.take_known() {
            let memory = memory.clone();
            // A slow or full disk must not stop the hub; the sessions are then not stored.
            let saved = spawn_blocking(move || memory.save(known)).await;
            if let Ok(Err(error)) = saved
                && let Some(left_out) = NOT_SAVED.take()
            {
                tracing::error!(%error, left_out, "the list of sessions cannot be saved; a restarted hub will not know them");
            }
        }
    }
}
