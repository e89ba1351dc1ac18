//! One upstream: its state, and the way to its connection. Nothing here knows of other upstreams.

use super::about::{About, Sorted};
use super::approval::{self, Approvals};
use super::connection::Connection;
use super::envelope::Era;
use super::kept::{self, Kept};
use super::lists;
use super::pipes::StderrTail;
use super::reason::Reason;
use super::results::Results;
use super::roots::{ClientRoots, Root};
use crate::catalogue::Standing;
use crate::config::{Spec, Transport};
use crate::context::Change;
use crate::error::RpcError;
use crate::limits::{FAREWELL, LIST};
use crate::metrics::Metrics;
use crate::oauth::Bearer;
use crate::pace::Pace;
use crate::status::ServerState;
use eye_protocol::{Code, Error};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A call waits for a pause up to this long; for a longer one it fails at once.
const PAUSE_WAITED_MAX: Duration = Duration::from_secs(2);

/// The outcome of a start; `None` while it is in progress.
pub(super) type Start = Option<Result<Arc<Connection>, RpcError>>;

pub(super) enum State {
    Idle,
    Starting(watch::Receiver<Start>),
    Ready(Arc<Connection>),
    Down { why: Reason, until: Instant, failures: u32 },
}

/// An upstream of one project.
pub struct Upstream {
    pub spec: Spec,
    /// A unique number.
    pub instance: u64,
    pub(super) env: BTreeMap<String, String>,
    pub(super) pace: Pace,
    pub(super) file: Option<PathBuf>,
    /// The token of the user's login, for a server over HTTP.
    pub(super) bearer: Option<Arc<Bearer>>,
    pub(super) state: Mutex<State>,
    pub(super) about: Mutex<About>,
    pub(super) approvals: Approvals,
    /// Whether an agent was already told of changed definitions.
    pub(super) changes_shown: AtomicBool,
    pub(super) results: Mutex<Results>,
    pub(super) roots: Arc<ClientRoots>,
    pub(super) changes: broadcast::Sender<Change>,
    pub(super) metrics: Metrics,
    pub(super) used: Mutex<Instant>,
    /// The stderr of its latest process.
    pub(super) stderr: Mutex<StderrTail>,
    /// The number of lives so far: only the latest one continues.
    pub(super) lives: AtomicU64,
    pub(super) stopped: CancellationToken,
    pub(super) tasks: TaskTracker,
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upstream").field("name", &self.spec.name).finish_non_exhaustive()
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Upstream {
    /// Creates an upstream without starting it. Reads what is stored of it.
    pub fn new(
        spec: Spec,
        instance: u64,
        env: BTreeMap<String, String>,
        pace: Pace,
        folders: Folders<'_>,
        changes: broadcast::Sender<Change>,
        metrics: Metrics,
    ) -> Self {
        let file = folders.state.map(|folder| kept::file(folder, &spec));
        let bearer = match &spec.transport {
            Transport::Http { url, .. } => folders.logins.and_then(|folder| Bearer::new(folder, url)).map(Arc::new),
            Transport::Child { .. } => None,
        };
        let approvals = Approvals::new(file.as_deref().map(approval::file), spec.approves_tools);
        let mut about = About::default();
        if let Some(Kept { tools, protocol, instructions }) = file.as_deref().and_then(kept::read) {
            about = About { listed: true, protocol, instructions, ..About::default() };
            about.set(Sorted::new(lists::entries(&tools, &spec, &Standing::Known), &approvals));
        }
        Self {
            spec,
            instance,
            env,
            pace,
            file,
            bearer,
            state: Mutex::new(State::Idle),
            about: Mutex::new(about),
            approvals,
            changes_shown: AtomicBool::new(false),
            results: Mutex::default(),
            roots: Arc::default(),
            changes,
            metrics,
            used: Mutex::new(Instant::now()),
            stderr: Mutex::default(),
            lives: AtomicU64::new(0),
            stopped: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// The end of its process's stderr; after the process has ended, the last one's.
    pub fn stderr(&self) -> String {
        self.spec.redact(&lock(&self.stderr).text())
    }

    pub fn state(&self) -> ServerState {
        match &*lock(&self.state) {
            State::Idle if self.is_listed() => ServerState::Known,
            State::Idle => ServerState::Configured,
            State::Starting(_) => ServerState::Starting,
            State::Ready(_) => ServerState::Ready,
            State::Down { why, .. } => ServerState::Failed { why: why.to_string() },
        }
    }

    /// The MCP revision, once known.
    pub fn protocol(&self) -> Option<String> {
        lock(&self.about).protocol.clone()
    }

    /// The server's own instructions for using it.
    pub fn instructions(&self) -> Option<String> {
        lock(&self.about).instructions.clone()
    }

    /// The capabilities of the connected server.
    pub fn capabilities(&self) -> Option<serde_json::Value> {
        lock(&self.about).greeting.as_ref().map(|greeting| greeting.capabilities.clone())
    }

    /// The time of the last use; `None` while calls are in progress.
    pub fn is_idle_since(&self) -> Option<Instant> {
        let pending = match &*lock(&self.state) {
            // In the modern era, one request lasts as long as the connection: `subscriptions/listen`.
            State::Ready(connection) => {
                connection.pending().saturating_sub(usize::from(connection.era() == Era::Modern))
            }
            State::Starting(_) => 1,
            State::Idle | State::Down { .. } => 0,
        };
        (pending == 0).then(|| *lock(&self.used))
    }

    /// The connection, once the upstream is up. Concurrent requests wait for the same start.
    pub async fn ready(self: &Arc<Self>) -> Result<Arc<Connection>, RpcError> {
        *lock(&self.used) = Instant::now();
        loop {
            let mut start = match self.begin() {
                Begun::Ready(connection) => return Ok(connection),
                Begun::Refused(error) => return Err(error),
                Begun::Pause(until) => {
                    tokio::time::sleep_until(until).await;
                    continue;
                }
                Begun::Start(start) => start,
            };
            // The starter always sends an outcome, unless the runtime shuts down.
            let started = start.wait_for(Option::is_some).await;
            return match started.ok().and_then(|started| (*started).clone()) {
                // This start began before the user logged in; the next one has the login.
                Some(Err(_)) if self.was_down_for_login() => continue,
                Some(outcome) => outcome,
                None => Err(self.down(&"it was shut down".into()).into()),
            };
        }
    }

    fn begin(self: &Arc<Self>) -> Begun {
        let mut state = lock(&self.state);
        if self.stopped.is_cancelled() {
            return Begun::Refused(self.down(&"it was shut down".into()).into());
        }
        let now = Instant::now();
        let failures = match &*state {
            State::Ready(connection) if !connection.has_ended() => return Begun::Ready(Arc::clone(connection)),
            // The connection has ended; its task is about to update the state.
            State::Ready(_) => return Begun::Pause(now + Duration::from_millis(1)),
            State::Starting(start) => return Begun::Start(start.clone()),
            // The login that it waited for is there.
            State::Down { why, .. } if self.has_new_login(why) => 0,
            State::Down { until, .. } if *until > now && *until - now <= PAUSE_WAITED_MAX => {
                return Begun::Pause(*until);
            }
            State::Down { why, until, .. } if *until > now => {
                let seconds = (*until - now).as_secs() + 1;
                let error = self.down(why);
                let again = format!("it is tried again when it is used in {seconds} s");
                return Begun::Refused(if why.is_login() { error } else { error.hint(again) }.into());
            }
            State::Down { failures, .. } => *failures,
            State::Idle => 0,
        };
        let (started, start) = watch::channel(None);
        *state = State::Starting(start.clone());
        drop(state);
        let life = self.lives.fetch_add(1, Ordering::Relaxed) + 1;
        self.tasks.spawn(Arc::clone(self).live(life, started, failures));
        Begun::Start(start)
    }

    pub(super) fn down(&self, why: &Reason) -> Error {
        let name = &self.spec.name;
        if why.is_login() {
            let error = Error::new(Code::DENIED, format!("the server {name} wants a login"));
            return error.hint(format!("eye servers login {name}"));
        }
        Error::new(Code::CONNECTION, format!("the server {name} is down: {why}"))
            .hint(format!("`eye servers test {name}` tells more"))
    }

    /// Sets or removes a client's roots, and notifies the server if its list changes.
    pub fn set_roots(&self, client: u64, roots: Option<&Arc<Vec<Root>>>) {
        if self.roots.set(client, roots)
            && let State::Ready(connection) = &*lock(&self.state)
            && connection.era() == Era::Legacy
            && connection.root.is_some()
        {
            connection.notify("notifications/roots/list_changed", &json!({}));
        }
    }

    /// The era, while the upstream is up.
    pub fn era(&self) -> Option<Era> {
        match &*lock(&self.state) {
            State::Ready(connection) => Some(connection.era()),
            State::Idle | State::Starting(_) | State::Down { .. } => None,
        }
    }

    /// Tells the upstream to end, without waiting.
    pub fn stop(&self) {
        self.stopped.cancel();
        self.metrics.forget_instance(self.instance);
    }

    /// Ends the upstream, and returns when its processes are gone.
    pub async fn shut_down(&self) {
        self.stopped.cancel();
        self.tasks.close();
        // Every step of ending has its own limit; this is their sum.
        let _ = tokio::time::timeout(FAREWELL * 3 + LIST, self.tasks.wait()).await;
    }
}

/// The storage folders; `None` stores nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Folders<'a> {
    /// Tool lists and approvals.
    pub state: Option<&'a std::path::Path>,
    /// Tokens of logins.
    pub logins: Option<&'a std::path::Path>,
}

enum Begun {
    Ready(Arc<Connection>),
    Start(watch::Receiver<Start>),
    Pause(Instant),
    Refused(RpcError),
}
