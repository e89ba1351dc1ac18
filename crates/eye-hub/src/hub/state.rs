//! The hub's one state: the core, the peers and their outboxes. Effects of an event are written into outboxes while the
//! state is locked, so that nothing is reordered.

use super::clock;
use super::cluster::Cluster;
use super::confirmable::Confirmable;
use super::facts::{Facts, Traffic};
use super::gateway::{Answers, Gateway};
use super::opened::{Opened, Target};
use super::outbox::Parcel;
use super::paused::Paused;
use super::peer::{Peer, Side, Signals, Voice};
use super::session_id;
use super::version;
use super::waiting::Streams;
use crate::console::{ConsoleKeys, Desk, Line};
use crate::gate::{Valid, is_loopback_address};
use eye_core::rate::Rate;
use eye_core::tally::Tally;
use eye_core::{BoxedMap, Conn, Done, Effect, Heavy, Input, Known, Lane, Millis, Switchboard, Work};
use eye_protocol::close::Close;
use eye_protocol::messages::SessionRow;
use eye_protocol::scope::Scope;
use eye_protocol::status::Status;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, Semaphore, mpsc, watch};

/// Most large frames that are parsed at the same time.
const PARSERS_MAX: usize = 2;

pub struct Hub {
    state: Mutex<State>,
    pub(crate) facts: Facts,
    started: Instant,
    /// The same on the [`clock`].
    started_us: u64,
    /// Answers `gateway/…`; set once at the start.
    pub(crate) gateway: OnceLock<Arc<dyn Gateway>>,
    /// Guests that answer requests, by method prefix; set once at the start.
    pub(crate) answers: OnceLock<Vec<(&'static str, Arc<dyn Answers>)>>,
    /// The connection to other hubs; set once at the start.
    pub(crate) cluster: OnceLock<Arc<dyn Cluster>>,
    /// Wakes the task that is connected to other hubs.
    pub(super) for_cluster: Arc<Signals>,
    /// The hub itself, for tasks that answer later.
    pub(crate) this: Weak<Self>,
    /// Incremented when pages come, leave or change, or their tools do.
    pub(crate) lists: watch::Sender<u64>,
    /// Signals that the next deadline has become earlier.
    pub rearm: Notify,
    /// Signals that the stored sessions changed.
    pub remember: Notify,
    /// Signals a request to stop the hub.
    pub stop: Notify,
    /// How long open calls may take before they are ended; 0: they are ended at once.
    pub drain_ms: AtomicU64,
    /// Signals that a named token admitted a connection.
    pub(crate) borne: Notify,
    /// Signals a new connection that depends on the list of origins.
    pub(crate) listed: Notify,
    /// Signals a change of the list of origins.
    pub(crate) origins: watch::Sender<()>,
    /// The valid tokens, sent when they change.
    pub(crate) valid: watch::Sender<Arc<Valid>>,
    /// Limits the large frames that are parsed at the same time.
    pub(super) parsers: Semaphore,
    /// Whether work for any peer is under way.
    pub(super) working: AtomicBool,
    /// Queue for work that is too long for this thread.
    pub(super) worker: mpsc::UnboundedSender<Job>,
    /// The receiving end of `worker`, until it is taken.
    jobs: Mutex<Option<mpsc::UnboundedReceiver<Job>>>,
    pub(crate) console_keys: Mutex<ConsoleKeys>,
}

/// A job for other threads than the hub's.
#[derive(Debug)]
pub enum Job {
    /// Work; its result goes to [`Hub::worked`].
    Do(Lane, Box<Work>),
    /// A value that takes long to free.
    Free(Box<dyn Heavy>),
}

/// Everything that changes. One thread owns the hub, so the lock is never contended.
#[derive(Default)]
pub(crate) struct State {
    /// The core.
    pub board: Switchboard,
    /// Files and folders that are served to a browser.
    pub opened: Opened,
    pub peers: BoxedMap<Conn, Peer>,
    pub(super) traffic: Traffic,
    last_conn: u64,
    /// The time of the current step, once it was read.
    now_us: Option<u64>,
    pub(super) todo: VecDeque<Input>,
    pub(super) effects: Vec<Effect>,
    pub(super) text: String,
    pub(super) armed_at: Option<Millis>,
    stopping: bool,
    /// Receivers whose sockets are written to at the end of the current turn.
    pub(super) direct: Vec<Conn>,
    /// Peers that receive on a stream and send by POST.
    pub streams: Streams,
    /// New peers came since the list of origins was last applied: the gate may have checked them before a change.
    pub origins_due: bool,
    /// Peers that are not read from until work is done.
    paused: Vec<Arc<Signals>>,
    /// Data of consoles.
    pub desk: Desk,
    /// Requests that wait for the end of a pause.
    pub line: Line<Paused>,
    /// The number of the last call that the audit log began.
    pub last_begun: u64,
    /// The number of the call that is being dispatched; 0: none.
    pub dispatching: u64,
    /// The tool call that is being dispatched, in the form that runs it once a person allows it.
    pub confirmable: Option<Box<Confirmable>>,
}

impl State {
    /// The next deadline.
    pub(super) fn next_wake(&self) -> Option<Millis> {
        match (self.board.next_wake(), self.line.next_wake()) {
            (Some(board), Some(line)) => Some(board.min(line)),
            (board, line) => board.or(line),
        }
    }
}

impl Hub {
    /// A hub that expects the pages of the previous one.
    pub fn new(facts: Facts, known: Vec<Known>) -> Arc<Self> {
        let mut state = State { opened: Opened::new(&facts.wide_folders), ..State::default() };
        state.board.set_names_key(session_id::key());
        state.board.set_first_calls(facts.first_calls.clone());
        state.board.recall(0, known);
        let (worker, jobs) = mpsc::unbounded_channel();
        let (started, started_us) = clock::instant();
        Arc::new_cyclic(|this| Self {
            state: Mutex::new(state),
            facts,
            started,
            started_us,
            gateway: OnceLock::new(),
            answers: OnceLock::new(),
            cluster: OnceLock::new(),
            for_cluster: Arc::default(),
            this: this.clone(),
            lists: watch::Sender::new(0),
            rearm: Notify::new(),
            remember: Notify::new(),
            stop: Notify::new(),
            drain_ms: AtomicU64::new(0),
            borne: Notify::new(),
            listed: Notify::new(),
            origins: watch::Sender::default(),
            valid: watch::Sender::default(),
            parsers: Semaphore::new(PARSERS_MAX),
            working: AtomicBool::new(false),
            worker,
            jobs: Mutex::new(Some(jobs)),
            console_keys: Mutex::default(),
        })
    }

    pub(crate) fn now(&self) -> Millis {
        self.now_us() / 1000
    }

    pub(crate) fn now_us(&self) -> u64 {
        clock::now_us().saturating_sub(self.started_us)
    }

    /// The time in µs, constant while the state is locked: a step is short, and reading the clock is expensive.
    pub(crate) fn now_us_of(&self, state: &mut State) -> u64 {
        *state.now_us.get_or_insert_with(|| self.now_us())
    }

    pub(crate) fn now_of(&self, state: &mut State) -> Millis {
        self.now_us_of(state) / 1000
    }

    pub(crate) fn hold(&self) -> MutexGuard<'_, State> {
        // The state is changed in whole steps; a panic in one of them must not end every session.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.now_us = None;
        state
    }

    /// Adds a peer that the gate admitted.
    pub fn enter(&self, mut peer: Peer) -> (Conn, Arc<Signals>) {
        let fault = self.bearer_fault(&peer);
        let mut state = self.hold();
        // A driven tab keeps its session, whatever site it visits.
        if let Some(joining) = peer.joining.as_mut().filter(|_| !peer.driven) {
            state.own_session(joining);
        }
        state.last_conn += 1;
        let conn = Conn(state.last_conn);
        let signals = peer.signals.clone();
        let (side, scope) = (peer.side, peer.scope.clone());
        tracing::debug!(conn = conn.0, ?side, face = peer.face, "connected");
        let paced = peer.rpc_only || matches!(peer.voice, Voice::Events(_));
        let stopping = state.stopping;
        state.peers.insert(conn, peer);
        if side == Side::Agent {
            self.feed(&mut state, Input::AgentJoined { agent: conn });
            self.feed(&mut state, Input::AgentScoped { agent: conn, scope });
            if paced {
                self.feed(&mut state, Input::AgentPaced { agent: conn, rate: self.facts.rate });
            }
        }
        self.check_bearer(&mut state, conn, fault.as_deref());
        self.check_listed(&mut state, conn);
        if stopping && let Some(peer) = state.peers.get_mut(&conn) {
            peer.retire();
        }
        (conn, signals)
    }

    /// How often one BTCP client over TCP may send calls.
    pub(crate) fn rate(&self) -> Rate {
        self.facts.rate
    }

    /// Removes a peer whose connection is closed.
    pub fn leave(&self, conn: Conn) {
        let mut state = self.hold();
        self.paused_left(&mut state, conn);
        let Some(mut peer) = state.peers.remove(&conn) else { return };
        self.left(&mut state, conn, &mut peer);
        let input = peer.side.gone(conn);
        self.feed(&mut state, input);
        self.stream_left(&mut state, conn, &peer);
        if let Some(joined) = peer.joined {
            self.scene_left(&mut state, &joined);
        }
        self.console_left(&mut state, conn);
    }

    /// Puts a line frame into a peer's outbox.
    pub fn tell(&self, conn: Conn, frame: &str) {
        let mut state = self.hold();
        if let Some(peer) = state.peers.get_mut(&conn) {
            peer.outbox.line(frame);
            peer.signals.wake.notify_one();
        }
    }

    /// Waits for something to write. Empty where only the rest of a direct write is left. `None`: the peer is gone.
    pub async fn parcel(&self, conn: Conn, signals: &Signals) -> Option<(Parcel, Option<Close>)> {
        loop {
            {
                let mut state = self.hold();
                let peer = state.peers.get_mut(&conn)?;
                let unsent = std::mem::take(&mut peer.unsent);
                if peer.outbox.len_bytes() > 0 || peer.close.is_some() || unsent {
                    peer.writing_since = Some(self.now());
                    let (parcel, close) = (peer.outbox.take(), peer.close.clone());
                    state.traffic.bytes_out += parcel.bytes.len() as u64;
                    return Some((parcel, close));
                }
                peer.writing_since = None;
            }
            signals.wake.notified().await;
        }
    }

    /// Notes that a peer's writer made progress.
    pub fn progress(&self, conn: Conn) {
        let now = self.now();
        if let Some(peer) = self.hold().peers.get_mut(&conn) {
            peer.writing_since = Some(now);
        }
    }

    /// Waits until a peer may be read from: its next message would only wait behind the work for its earlier ones.
    pub async fn ready(&self, conn: Conn, signals: &Arc<Signals>) {
        while self.pauses(conn, signals) {
            signals.ready.notified().await;
        }
    }

    /// Whether a peer must not be read from now. If so, it is signalled when it may be again.
    fn pauses(&self, conn: Conn, signals: &Arc<Signals>) -> bool {
        // Nearly always, and asked for every frame.
        if !self.working.load(Ordering::Relaxed) {
            return false;
        }
        let mut state = self.hold();
        let busy = state.board.is_busy(conn);
        if busy {
            state.paused.push(signals.clone());
        }
        busy
    }

    /// As [`Self::ready`], for a peer that sends by POST.
    pub async fn ready_to_receive(&self, conn: Conn) {
        let signals = self.hold().peers.get(&conn).map(|peer| peer.signals.clone());
        if let Some(signals) = signals {
            self.ready(conn, &signals).await;
        }
    }

    /// The jobs for other threads. The caller must execute them.
    pub fn take_jobs(&self) -> Option<mpsc::UnboundedReceiver<Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Feeds the result of a job.
    pub fn worked(&self, lane: Lane, done: Done) {
        let mut state = self.hold();
        self.feed(&mut state, Input::Worked { lane, done });
        for signals in std::mem::take(&mut state.paused) {
            signals.ready.notify_one();
        }
    }

    /// Why a peer must be closed.
    pub fn closing(&self, conn: Conn) -> Option<Close> {
        self.hold().peers.get(&conn).and_then(|peer| peer.close.clone())
    }

    /// The next deadline, as an instant of the timer's clock.
    pub fn next_wake(&self) -> Option<Instant> {
        let mut state = self.hold();
        state.armed_at = state.next_wake();
        state.armed_at.map(|at| self.started + Duration::from_millis(at))
    }

    /// Applies passed deadlines.
    pub fn tick(&self) {
        let mut state = self.hold();
        self.feed(&mut state, Input::Tick);
        self.end_paused(&mut state);
    }

    /// Closes peers that accept no data.
    pub fn end_stalled(&self) {
        let now = self.now();
        let mut state = self.hold();
        let stalled: Vec<Conn> = state.peers.entries().filter(|(_, p)| p.stalled(now)).map(|(conn, _)| *conn).collect();
        for conn in stalled {
            self.give_up(&mut state, conn, "nothing was read for 10 s");
            self.feed_todo(&mut state);
        }
    }

    /// The sessions to store, if they changed.
    pub fn take_known(&self) -> Option<Vec<Known>> {
        self.hold().board.take_known()
    }

    /// The scope of a token that an agent sends in addition.
    pub(crate) fn lowered(&self, token: &str) -> Scope {
        self.facts.keys.lowered(token.trim())
    }

    /// All sessions that a scope may see.
    pub fn rows(&self, scope: &Scope) -> Vec<SessionRow> {
        let now = self.now();
        let mut rows = self.hold().board.rows(now, None);
        rows.retain(|row| scope.sees(&row.origin));
        rows
    }

    pub fn status(&self) -> Status {
        self.status_of(&self.hold())
    }

    /// Counters of calls and bytes, and the number of tools.
    pub fn counts(&self) -> (Tally, Traffic, usize) {
        let state = self.hold();
        (state.board.tally().clone(), state.traffic, state.board.tools())
    }

    /// Counts received bytes.
    pub(crate) fn count_received(state: &mut State, bytes: usize) {
        state.traffic.bytes_in += bytes as u64;
    }

    /// The opened file or folder with this id.
    pub fn opened(&self, id: &str) -> Option<Target> {
        self.hold().opened.target(id)
    }

    pub fn peers(&self) -> usize {
        self.hold().peers.len()
    }

    /// Ends every call and closes every peer.
    pub fn shut_down(&self) {
        let mut state = self.hold();
        state.stopping = true;
        self.end_all_paused(&mut state);
        self.feed(&mut state, Input::Shutdown);
        for peer in state.peers.values_mut() {
            peer.close_after(Close::shutdown());
        }
    }

    /// Connected agents, without the hub's own and consoles.
    pub(crate) fn agents_of(&self, state: &State) -> usize {
        state.board.agents().saturating_sub(self.facts.own_agents + state.desk.consoles.len())
    }

    /// The hub's URL by address, for browsers on this machine. Its own pages use its name, `localhost`.
    /// Always plain HTTP on loopback, which the hub also serves with TLS: a certificate is issued for a name.
    pub(crate) fn address_url(&self) -> String {
        let url = self.facts.listen.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]");
        match url.strip_prefix("https://") {
            Some(here) if is_loopback_address(here) => format!("http://{here}"),
            Some(_) | None => url,
        }
    }

    /// The hub's loopback address.
    pub(crate) fn address(&self) -> &'static str {
        if self.facts.listen.contains('[') { "[::1]" } else { "127.0.0.1" }
    }

    pub(crate) fn status_of(&self, state: &State) -> Status {
        Status {
            version: version::HUB.into(),
            pid: std::process::id(),
            uptime_ms: self.now(),
            listen: self.facts.listen.clone(),
            socket: self.facts.socket.clone(),
            auth: self.facts.auth.into(),
            pages: state.board.pages(),
            sessions: state.board.sessions(),
            agents: self.agents_of(state),
            pending: state.board.pending(),
            problems: self
                .facts
                .origins
                .problem()
                .into_iter()
                .chain(self.facts.audit.problem())
                .chain(self.cluster.get().and_then(|cluster| cluster.problem()))
                .collect(),
            cluster: self.cluster.get().map(|cluster| cluster.hubs()),
        }
    }
}
