//! One upstream: started when it is needed, watched while it lives, started again with growing pauses when it crashes.
//! Nothing here knows of another upstream.

mod approval;
mod asked;
mod calls;
mod child;
mod connection;
mod envelope;
mod handshake;
mod http;
mod kept;
mod lines;
mod lists;
mod outbox;
mod reason;
mod results;
mod roots;
mod sse;
mod tools;

pub use approval::Unapproved;
pub(crate) use calls::is_error;
pub use envelope::Era;
pub use reason::short as short_reason;
pub use roots::{Root, read as read_roots};

use crate::catalogue::{Entry, Standing};
use crate::config::{Spec, Transport};
use crate::error::RpcError;
use crate::gateway::{CallContext, Change, ChangeKind, ServerState};
use crate::limits::{BACK_OFF_MIN, FAREWELL, LIST};
use crate::metrics::Metrics;
use crate::oauth::Bearer;
use crate::pace::Pace;
use approval::Approvals;
use connection::{Connection, Failed, Wire};
use eye_protocol::{Code, Error};
use handshake::Greeting;
use kept::Kept;
use results::Results;
use roots::ClientRoots;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A call waits out a pause that is no longer than this; beyond it, it is told.
const PAUSE_WAITED_MAX: Duration = Duration::from_secs(2);
/// Several changes of a list in a row are one.
const LIST_SETTLES: Duration = Duration::from_millis(50);

type Start = Option<Result<Arc<Connection>, RpcError>>;

enum State {
    Idle,
    Starting(watch::Receiver<Start>),
    Ready(Arc<Connection>),
    Down { why: String, until: Instant, failures: u32 },
}

#[derive(Debug, Default)]
struct About {
    /// Whether the list is known, from now or from before.
    listed: bool,
    /// All of its tools.
    all: Arc<Vec<Arc<Entry>>>,
    /// Those that agents may see and call.
    entries: Arc<Vec<Arc<Entry>>>,
    /// Those that are not as the user approved them.
    unapproved: Arc<Vec<Unapproved>>,
    greeting: Option<Greeting>,
    protocol: Option<String>,
    instructions: Option<String>,
}

/// An upstream of one project.
pub struct Upstream {
    /// What the config says.
    pub spec: Spec,
    /// Which instance this is; none ever has the number of another.
    pub instance: u64,
    env: BTreeMap<String, String>,
    pace: Pace,
    file: Option<PathBuf>,
    /// The token of the user's login, for a server over HTTP.
    bearer: Option<Arc<Bearer>>,
    state: Mutex<State>,
    about: Mutex<About>,
    approvals: Approvals,
    /// Whether an agent was told of changed definitions.
    changes_told: AtomicBool,
    results: Mutex<Results>,
    roots: Arc<ClientRoots>,
    changes: broadcast::Sender<Change>,
    metrics: Metrics,
    used: Mutex<Instant>,
    /// What the last of its processes wrote on stderr.
    stderr: Mutex<child::Murmur>,
    /// How many lives were begun: only the last one goes on.
    lives: AtomicU64,
    stopped: CancellationToken,
    tasks: TaskTracker,
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upstream").field("name", &self.spec.name).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Upstream {
    /// An upstream that has not started. What is known of it from before is read from its folder.
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
        let approvals = Approvals::new(file.as_deref().map(approval::file), spec.asks_for_tools);
        let mut about = About::default();
        if let Some(Kept { tools, protocol, instructions }) = file.as_deref().and_then(kept::read) {
            about = About { listed: true, protocol, instructions, ..About::default() };
            about.set(tools::Sorted::new(lists::entries(&tools, &spec, &Standing::Known), &approvals));
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
            changes_told: AtomicBool::new(false),
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

    /// The end of what its process wrote on stderr, the last one's where it has ended.
    pub fn stderr(&self) -> String {
        self.spec.redact(&lock(&self.stderr).text())
    }

    /// How far it is.
    pub fn state(&self) -> ServerState {
        match &*lock(&self.state) {
            State::Idle if self.is_listed() => ServerState::Known,
            State::Idle => ServerState::Configured,
            State::Starting(_) => ServerState::Starting,
            State::Ready(_) => ServerState::Ready,
            State::Down { why, .. } => ServerState::Failed { why: why.clone() },
        }
    }

    /// Its revision of MCP, once it is known.
    pub fn protocol(&self) -> Option<String> {
        lock(&self.about).protocol.clone()
    }

    /// How it wants to be used.
    pub fn instructions(&self) -> Option<String> {
        lock(&self.about).instructions.clone()
    }

    /// What it says it can do, while it is there.
    pub fn capabilities(&self) -> Option<serde_json::Value> {
        lock(&self.about).greeting.as_ref().map(|greeting| greeting.capabilities.clone())
    }

    /// When it was last used, and whether something is under way.
    pub fn is_idle_since(&self) -> Option<Instant> {
        let pending = match &*lock(&self.state) {
            // In the modern era one request stands as long as the connection: the one that listens.
            State::Ready(connection) => {
                connection.pending().saturating_sub(usize::from(connection.era() == Era::Modern))
            }
            State::Starting(_) => 1,
            State::Idle | State::Down { .. } => 0,
        };
        (pending == 0).then(|| *lock(&self.used))
    }

    /// The connection, once the upstream is up. Everybody who asks meanwhile waits for the same start.
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
            // The starter always tells, unless the runtime is going down with it.
            let told = start.wait_for(Option::is_some).await;
            return match told.ok().and_then(|told| (*told).clone()) {
                // It began before the user logged in; the next start has the login.
                Some(Err(_)) if self.was_down_for_login() => continue,
                Some(outcome) => outcome,
                None => Err(self.down("it was shut down").into()),
            };
        }
    }

    fn begin(self: &Arc<Self>) -> Begun {
        let mut state = lock(&self.state);
        if self.stopped.is_cancelled() {
            return Begun::Refused(self.down("it was shut down").into());
        }
        let now = Instant::now();
        let failures = match &*state {
            State::Ready(connection) if !connection.has_ended() => return Begun::Ready(Arc::clone(connection)),
            // Its task is about to notice.
            State::Ready(_) => return Begun::Pause(now + Duration::from_millis(1)),
            State::Starting(start) => return Begun::Start(start.clone()),
            // What it waited for is there.
            State::Down { why, .. } if self.has_new_login(why) => 0,
            State::Down { until, .. } if *until > now && *until - now <= PAUSE_WAITED_MAX => {
                return Begun::Pause(*until);
            }
            State::Down { why, until, .. } if *until > now => {
                let seconds = (*until - now).as_secs() + 1;
                let error = self.down(why);
                let again = format!("it is tried again when it is used in {seconds} s");
                return Begun::Refused(if reason::is_login(why) { error } else { error.hint(again) }.into());
            }
            State::Down { failures, .. } => *failures,
            State::Idle => 0,
        };
        let (tell, start) = watch::channel(None);
        *state = State::Starting(start.clone());
        drop(state);
        let life = self.lives.fetch_add(1, Ordering::Relaxed) + 1;
        self.tasks.spawn(Arc::clone(self).live(life, tell, failures));
        Begun::Start(start)
    }

    fn down(&self, why: &str) -> Error {
        let name = &self.spec.name;
        if reason::is_login(why) {
            let error = Error::new(Code::DENIED, format!("the server {name} wants a login"));
            return error.hint(format!("eye servers login {name}"));
        }
        Error::new(Code::CONNECTION, format!("the server {name} is down: {why}"))
            .hint(format!("`eye servers test {name}` tells more"))
    }

    /// One life: start, serve, end; and the next one after a pause.
    async fn live(self: Arc<Self>, life: u64, tell: watch::Sender<Start>, mut failures: u32) {
        let mut tell = Some(tell);
        loop {
            let began = Instant::now();
            let connected = tokio::select! {
                () = self.stopped.cancelled() => Err("it was shut down".to_owned()),
                connected = self.connect() => connected,
            };
            let why = match connected {
                Ok((connection, greeting, tools)) => {
                    self.is_up(&connection, greeting, tools).await;
                    if let Some(tell) = tell.take() {
                        let _ = tell.send(Some(Ok(Arc::clone(&connection))));
                    }
                    self.attend(&connection).await;
                    connection.why_ended().to_owned()
                }
                Err(why) => why,
            };
            let why = self.spec.redact(&why);
            failures = if began.elapsed() >= self.pace.steady { 1 } else { failures + 1 };
            let (now, pause) = (Instant::now(), self.pace.pause(failures));
            reason::log(&self.spec.name, self.stopped.is_cancelled(), failures, &why);
            self.is_down(&why, now + pause.min(self.pace.use_pause_max), failures);
            if let Some(tell) = tell.take() {
                let _ = tell.send(Some(Err(self.down(&why).into())));
            }
            // What is down is tried again for as long as an agent wanted it lately: it may come up by itself.
            if self.stopped.is_cancelled() || lock(&self.used).elapsed() >= self.pace.wanted {
                return;
            }
            tokio::select! {
                () = self.stopped.cancelled() => return,
                () = tokio::time::sleep_until(now + pause) => {}
            }
            let mut state = lock(&self.state);
            // A call may have begun another life meanwhile.
            if self.lives.load(Ordering::Relaxed) != life || !matches!(&*state, State::Down { .. }) {
                return;
            }
            let (next, start) = watch::channel(None);
            tell = Some(next);
            *state = State::Starting(start);
        }
    }

    async fn connect(self: &Arc<Self>) -> Result<(Arc<Connection>, Greeting, Vec<Box<RawValue>>), String> {
        let open = |root, wire| {
            let (name, roots, changes) = (&self.spec.name, Arc::clone(&self.roots), self.changes.clone());
            Arc::new(Connection::new(name, self.instance, root, roots, wire, changes))
        };
        let connection = match &self.spec.transport {
            Transport::Child { cwd, .. } => {
                let started = child::start(&self.spec, &self.env)?;
                let wire = child::ChildWire::default();
                lock(&self.stderr).clone_from(&wire.murmur);
                let connection = open(Some(cwd.clone()), Wire::Child(wire));
                self.tasks.spawn(started.carry(Arc::clone(&connection)));
                connection
            }
            Transport::Http { .. } => {
                if let Some(bearer) = &self.bearer {
                    bearer.note_attempt();
                }
                let wire = http::HttpWire::new(&self.spec.transport, self.bearer.clone())?;
                open(None, Wire::Http(Box::new(wire)))
            }
        };
        // A caller that gives up on this start leaves no child behind.
        let given_up = connection.closed.clone().drop_guard();
        let greeted = tokio::time::timeout(self.pace.start, handshake::greet(&connection, self.spec.era)).await;
        let greeting = greeted.unwrap_or_else(|_| Err(too_slow(&connection, self.pace.start))).map_err(|why| {
            let withheld = self.spec.withheld(&self.env, &why);
            withheld.map_or(why.clone(), |withheld| format!("{why}; {withheld}"))
        })?;
        let tools = if greeting.capabilities.get("tools").is_some_and(|tools| !tools.is_null()) {
            lists::tools(&connection)
                .await
                .map_err(|why| if connection.has_ended() { connection.why_ended().to_owned() } else { why })?
        } else {
            Vec::new()
        };
        given_up.disarm();
        Ok((connection, greeting, tools))
    }

    async fn is_up(self: &Arc<Self>, connection: &Arc<Connection>, greeting: Greeting, tools: Vec<Box<RawValue>>) {
        *lock(&self.state) = State::Ready(Arc::clone(connection));
        {
            let mut about = lock(&self.about);
            about.protocol = Some(greeting.version.clone());
            about.instructions.clone_from(&greeting.instructions);
            about.greeting = Some(greeting);
        }
        lock(&self.results).clear();
        self.list(connection, tools).await;
    }

    fn tell(&self, kind: ChangeKind) {
        // There may be no listener.
        let _ = self.changes.send(Change { server: self.spec.name.clone(), kind, of: self.instance });
    }

    /// Follows a connection until it ends: its list may change, and it may be told to end.
    async fn attend(self: &Arc<Self>, connection: &Arc<Connection>) {
        let listening = async {
            self.listen(connection).await;
            std::future::pending::<()>().await;
        };
        let following = async {
            loop {
                connection.tools_changed.notified().await;
                tokio::time::sleep(LIST_SETTLES).await;
                if let Ok(tools) = lists::tools(connection).await {
                    self.list(connection, tools).await;
                }
            }
        };
        tokio::select! {
            () = connection.closed.cancelled() => {}
            () = self.stopped.cancelled() => connection.end("it was shut down"),
            () = listening => {}
            () = following => {}
        }
        if let Wire::Http(wire) = &connection.wire {
            wire.farewell().await;
        }
    }

    /// Hears what it says unasked, where that needs asking.
    async fn listen(&self, connection: &Arc<Connection>) {
        match (&connection.wire, connection.era()) {
            (Wire::Http(wire), Era::Legacy) => wire.listen(connection).await,
            (Wire::Child(_), Era::Legacy) => {}
            (Wire::Child(_) | Wire::Http(_), Era::Modern) => {
                let capabilities = self.capabilities().unwrap_or_default();
                let tells = |list: &str| capabilities[list]["listChanged"] == true;
                let wanted = json!({ "notifications": {
                    "toolsListChanged": tells("tools"),
                    "resourcesListChanged": tells("resources"),
                    "promptsListChanged": tells("prompts"),
                } });
                let Ok(wanted) = to_raw_value(&wanted) else { return };
                while ["tools", "resources", "prompts"].iter().any(|list| tells(list)) {
                    let forever = Duration::from_hours(24);
                    let context = CallContext::default();
                    let ended =
                        connection.request("subscriptions/listen", Some(wanted.clone()), &context, forever).await;
                    if matches!(&ended, Err(Failed::Rpc(error)) if error.is(Code::METHOD)) {
                        return;
                    }
                    tokio::time::sleep(BACK_OFF_MIN).await;
                }
            }
        }
    }

    /// Takes the roots of a client, or forgets them, and tells the server if its list is another now.
    pub fn set_roots(&self, client: u64, roots: Option<&Arc<Vec<Root>>>) {
        if self.roots.set(client, roots)
            && let State::Ready(connection) = &*lock(&self.state)
            && connection.era() == Era::Legacy
            && connection.root.is_some()
        {
            connection.notify("notifications/roots/list_changed", &json!({}));
        }
    }

    /// The era it speaks, once it is up.
    pub fn era(&self) -> Option<Era> {
        match &*lock(&self.state) {
            State::Ready(connection) => Some(connection.era()),
            State::Idle | State::Starting(_) | State::Down { .. } => None,
        }
    }

    /// Lets it end, without waiting for it.
    pub fn stop(&self) {
        self.stopped.cancel();
        self.metrics.forget_instance(self.instance);
    }

    /// Ends it, and returns once its processes are gone.
    pub async fn shut_down(&self) {
        self.stopped.cancel();
        self.tasks.close();
        // Every step of an end has its own limit; this is their sum.
        let _ = tokio::time::timeout(FAREWELL * 3 + LIST, self.tasks.wait()).await;
    }
}

/// Where things are kept; `None` keeps none.
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

fn too_slow(connection: &Connection, start: Duration) -> String {
    let said = match &connection.wire {
        Wire::Child(wire) => wire.murmur.text(),
        Wire::Http(_) => String::new(),
    };
    let why = format!("it did not answer within {} s of its start", start.as_secs());
    if said.is_empty() { why } else { format!("{why}; it said: {said}") }
}
