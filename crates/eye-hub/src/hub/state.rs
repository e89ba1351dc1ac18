//! The hub's one state: the switchboard, the peers and their outboxes. What a peer says goes in, what follows is
//! written into outboxes while the state is held, so that nothing is reordered.

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
use eye_core::{Conn, Done, Effect, Heavy, Input, Known, Lane, Millis, Switchboard, Work};
use eye_protocol::close::Close;
use eye_protocol::messages::SessionRow;
use eye_protocol::scope::Scope;
use eye_protocol::status::Status;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, Semaphore, mpsc, watch};

/// Large frames that are parsed at a time.
const PARSERS_MAX: usize = 2;

/// One hub.
pub struct Hub {
    state: Mutex<State>,
    pub(crate) facts: Facts,
    started: Instant,
    /// What answers `gateway/…`, set once at the start.
    pub(crate) gateway: OnceLock<Arc<dyn Gateway>>,
    /// Guests that answer requests, by how their methods begin; set once at the start.
    pub(crate) answers: OnceLock<Vec<(&'static str, Arc<dyn Answers>)>>,
    /// The way to other hubs, set once at the start.
    pub(crate) cluster: OnceLock<Arc<dyn Cluster>>,
    /// The hub itself, for answers that come later.
    pub(crate) this: Weak<Self>,
    /// Counts up when pages come, go or change, or their tools do.
    pub(crate) lists: watch::Sender<u64>,
    /// The next deadline came nearer.
    pub rearm: Notify,
    /// The sessions to remember changed.
    pub remember: Notify,
    /// A request to stop the hub.
    pub stop: Notify,
    /// How long it may take until calls under way have ended; 0: they are ended at once.
    pub drain_ms: AtomicU64,
    /// Something was admitted by a named token.
    pub(crate) borne: Notify,
    /// Something was admitted that rests on the list of origins.
    pub(crate) listed: Notify,
    /// The list of origins changed.
    pub(crate) origins: watch::Sender<()>,
    /// The tokens that are valid, told when they change.
    pub(crate) valid: watch::Sender<Arc<Valid>>,
    /// How many large frames are parsed at a time.
    pub(super) parsers: Semaphore,
    /// Where work goes that is too much for this thread.
    pub(super) worker: mpsc::UnboundedSender<Job>,
    /// Its receiving end, until it is taken.
    jobs: Mutex<Option<mpsc::UnboundedReceiver<Job>>>,
    /// Links and keys of consoles.
    pub(crate) console_keys: Mutex<ConsoleKeys>,
}

/// Something that is not done on the hub's thread.
#[derive(Debug)]
pub enum Job {
    /// Work; what comes of it goes to [`Hub::worked`].
    Do(Lane, Box<Work>),
    /// A value that takes long to free.
    Free(Box<dyn Heavy>),
}

/// Everything that changes, behind one lock without contention: one thread owns the hub.
#[derive(Default)]
pub(crate) struct State {
    /// What sessions do.
    pub board: Switchboard,
    /// Files and folders that are served to a browser.
    pub opened: Opened,
    /// Who is connected.
    pub peers: FxHashMap<Conn, Peer>,
    pub(super) traffic: Traffic,
    last_conn: u64,
    /// The time of the step that is being taken, once it was asked for.
    now_us: Option<u64>,
    pub(super) todo: VecDeque<Input>,
    pub(super) effects: Vec<Effect>,
    pub(super) text: String,
    pub(super) armed_at: Option<Millis>,
    stopping: bool,
    /// Peers that hear by a stream and speak by POST.
    pub streams: Streams,
    /// Peers that came since the list of origins was last looked at: the gate may have looked before a change.
    pub origins_due: bool,
    /// Peers that are not read from until work is done.
    paused: Vec<Arc<Signals>>,
    /// What is kept for consoles.
    pub desk: Desk,
    /// What waits until a person lets it go on.
    pub line: Line<Paused>,
    /// The tool call that is being asked, as it would be asked again once a person allows it.
    pub confirmable: Option<Box<Confirmable>>,
}

/// A span of time in whole µs, without the wide numbers of [`Duration::as_micros`]: for every frame several times.
pub fn micros(span: Duration) -> u64 {
    span.as_secs().saturating_mul(1_000_000).saturating_add(u64::from(span.subsec_micros()))
}

impl State {
    /// When something next ends by itself.
    pub(super) fn next_wake(&self) -> Option<Millis> {
        match (self.board.next_wake(), self.line.next_wake()) {
            (Some(board), Some(line)) => Some(board.min(line)),
            (board, line) => board.or(line),
        }
    }
}

impl Hub {
    /// A hub that expects the pages of the one before it.
    pub fn new(facts: Facts, known: Vec<Known>) -> Arc<Self> {
        let mut state = State { opened: Opened::new(&facts.wide_folders), ..State::default() };
        state.board.set_names_key(session_id::key());
        state.board.set_first_calls(facts.first_calls.clone());
        state.board.recall(0, known);
        let (worker, jobs) = mpsc::unbounded_channel();
        Arc::new_cyclic(|this| Self {
            state: Mutex::new(state),
            facts,
            started: Instant::now(),
            gateway: OnceLock::new(),
            answers: OnceLock::new(),
            cluster: OnceLock::new(),
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
            worker,
            jobs: Mutex::new(Some(jobs)),
            console_keys: Mutex::default(),
        })
    }

    pub(crate) fn now(&self) -> Millis {
        self.now_us() / 1000
    }

    /// The same clock in µs.
    pub(crate) fn now_us(&self) -> u64 {
        micros(self.started.elapsed())
    }

    /// The time in µs, which stands still while the state is held: a step is short, and the clock is dear.
    pub(crate) fn now_us_of(&self, state: &mut State) -> u64 {
        *state.now_us.get_or_insert_with(|| self.now_us())
    }

    /// The same in ms.
    pub(crate) fn now_of(&self, state: &mut State) -> Millis {
        self.now_us_of(state) / 1000
    }

    pub(crate) fn hold(&self) -> MutexGuard<'_, State> {
        // The state is changed in whole steps; a panic in one of them must not take every session with it.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.now_us = None;
        state
    }

    /// A peer that the gate let in is there.
    pub fn enter(&self, mut peer: Peer) -> (Conn, Arc<Signals>) {
        let fault = self.bearer_fault(&peer);
        let mut state = self.hold();
        // A driven tab keeps its session wherever it goes.
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

    /// How often one client may ask that speaks BTCP over TCP.
    pub(crate) fn rate(&self) -> Rate {
        self.facts.rate
    }

    /// A peer's connection is closed.
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

    /// Puts a frame into a peer's outbox.
    pub fn tell(&self, conn: Conn, frame: &str) {
        let mut state = self.hold();
        if let Some(peer) = state.peers.get_mut(&conn) {
            peer.outbox.line(frame);
            peer.signals.wake.notify_one();
        }
    }

    /// Waits for something to write. `None`: the peer is gone.
    pub async fn parcel(&self, conn: Conn, signals: &Signals) -> Option<(Parcel, Option<Close>)> {
        loop {
            {
                let mut state = self.hold();
                let peer = state.peers.get_mut(&conn)?;
                if peer.outbox.len_bytes() > 0 || peer.close.is_some() {
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

    /// A peer's writer got something through.
    pub fn progress(&self, conn: Conn) {
        let now = self.now();
        if let Some(peer) = self.hold().peers.get_mut(&conn) {
            peer.writing_since = Some(now);
        }
    }

    /// Waits until a peer may be read from: what it says next would only wait behind work for what it said before.
    pub async fn ready(&self, conn: Conn, signals: &Arc<Signals>) {
        while self.pauses(conn, signals) {
            signals.ready.notified().await;
        }
    }

    /// Whether a peer may not be read from now; then it is told when it may.
    fn pauses(&self, conn: Conn, signals: &Arc<Signals>) -> bool {
        let mut state = self.hold();
        let busy = state.board.is_busy(conn);
        if busy {
            state.paused.push(signals.clone());
        }
        busy
    }

    /// The same for a peer that speaks by POST.
    pub async fn ready_to_hear(&self, conn: Conn) {
        let signals = self.hold().peers.get(&conn).map(|peer| peer.signals.clone());
        if let Some(signals) = signals {
            self.ready(conn, &signals).await;
        }
    }

    /// The jobs that are not for this thread; who takes them does them.
    pub fn take_jobs(&self) -> Option<mpsc::UnboundedReceiver<Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Work is done.
    pub fn worked(&self, lane: Lane, done: Done) {
        let mut state = self.hold();
        self.feed(&mut state, Input::Worked { lane, done });
        for signals in std::mem::take(&mut state.paused) {
            signals.ready.notify_one();
        }
    }

    /// Why a peer is to be closed.
    pub fn closing(&self, conn: Conn) -> Option<Close> {
        self.hold().peers.get(&conn).and_then(|peer| peer.close.clone())
    }

    /// When the next deadline is, as an instant of the timer's clock.
    pub fn next_wake(&self) -> Option<Instant> {
        let mut state = self.hold();
        state.armed_at = state.next_wake();
        state.armed_at.map(|at| self.started + Duration::from_millis(at))
    }

    /// Lets time pass.
    pub fn tick(&self) {
        let mut state = self.hold();
        self.feed(&mut state, Input::Tick);
        self.end_paused(&mut state);
    }

    /// Ends peers that take nothing.
    pub fn end_stalled(&self) {
        let now = self.now();
        let mut state = self.hold();
        let stalled: Vec<Conn> = state.peers.iter().filter(|(_, p)| p.stalled(now)).map(|(conn, _)| *conn).collect();
        for conn in stalled {
            self.give_up(&mut state, conn, "nothing was read for 10 s");
            self.feed_todo(&mut state);
        }
    }

    /// Sessions to remember, if they changed.
    pub fn take_known(&self) -> Option<Vec<Known>> {
        self.hold().board.take_known()
    }

    /// What a token that an agent sends beside allows.
    pub(crate) fn lowered(&self, token: &str) -> Scope {
        self.facts.keys.lowered(token.trim())
    }

    /// All sessions that exist for a scope.
    pub fn rows(&self, scope: &Scope) -> Vec<SessionRow> {
        let now = self.now();
        let mut rows = self.hold().board.rows(now, None);
        rows.retain(|row| scope.sees(&row.origin));
        rows
    }

    /// How it does.
    pub fn status(&self) -> Status {
        self.status_of(&self.hold())
    }

    /// What was counted, of calls and of bytes; and how many tools there are.
    pub fn counts(&self) -> (Tally, Traffic, usize) {
        let state = self.hold();
        (state.board.tally().clone(), state.traffic, state.board.tools())
    }

    /// Notes what a peer sent.
    pub(crate) fn heard(state: &mut State, bytes: usize) {
        state.traffic.bytes_in += bytes as u64;
    }

    /// What was opened under an id.
    pub fn opened(&self, id: &str) -> Option<Target> {
        self.hold().opened.target(id)
    }

    /// Connected peers.
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

    /// Agents that are not the hub's own.
    pub(crate) fn agents_of(&self, state: &State) -> usize {
        state.board.agents().saturating_sub(self.facts.own_agents + state.desk.consoles.len())
    }

    /// Where a browser on this machine finds it by its address. Its own pages are under its name, `localhost`.
    /// On the machine itself it also speaks plain HTTP, and a certificate is for a name.
    pub(crate) fn address_url(&self) -> String {
        let url = self.facts.listen.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]");
        match url.strip_prefix("https://") {
            Some(here) if is_loopback_address(here) => format!("http://{here}"),
            Some(_) | None => url,
        }
    }

    /// The loopback address that it is reached at.
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
