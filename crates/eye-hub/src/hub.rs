//! The hub's one state: the switchboard, the peers and their outboxes. What a peer says goes in, what follows is
//! written into outboxes while the state is held, so that nothing is reordered.

use crate::dialect::{FromAgent, FromPage, eye, original, tools};
use crate::outbox::Parcel;
use crate::peer::{Joining, Peer, Side, Signals, Voice};
use crate::{session_id, version};
use eye_core::{Conn, Effect, Input, Known, Millis, Newcomer, ReplyForm, Switchboard, Task};
use eye_protocol::answer::{write_plain, write_typed};
use eye_protocol::batch::{self, Element};
use eye_protocol::close::Close;
use eye_protocol::id::split_call_id;
use eye_protocol::limits::{FRAME_BYTES_MAX, OUTBOX_BYTES_MAX};
use eye_protocol::messages::{Hello, PROTOCOL_VERSION, PageInfo, Retiring, SessionRow, Status, Welcome};
use eye_protocol::rpc::{self, Message, json};
use eye_protocol::tools::NameSession;
use eye_protocol::{Code, Error, SessionId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::Notify;

/// The id of the greeting of BTCP, as JSON text.
const WELCOME: &str = "\"welcome\"";

/// What a hub tells of itself beside its counts.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Where it listens.
    pub listen: String,
    /// Its Unix socket.
    pub socket: String,
    /// `token` or `none`.
    pub auth: &'static str,
}

/// One hub.
pub struct Hub {
    state: Mutex<State>,
    facts: Facts,
    started: Instant,
    /// The next deadline came nearer.
    pub rearm: Notify,
    /// The sessions to remember changed.
    pub remember: Notify,
    /// Somebody wants the hub to stop.
    pub stop: Notify,
}

#[derive(Default)]
struct State {
    board: Switchboard,
    peers: FxHashMap<Conn, Peer>,
    last_conn: u64,
    todo: VecDeque<Input>,
    effects: Vec<Effect>,
    text: String,
    armed_at: Option<Millis>,
    stopping: bool,
}

impl Hub {
    /// A hub that expects the pages of the one before it.
    pub fn new(facts: Facts, known: Vec<Known>) -> Self {
        let mut state = State::default();
        state.board.recall(0, known);
        Self {
            state: Mutex::new(state),
            facts,
            started: Instant::now(),
            rearm: Notify::new(),
            remember: Notify::new(),
            stop: Notify::new(),
        }
    }

    fn now(&self) -> Millis {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(Millis::MAX)
    }

    fn hold(&self) -> MutexGuard<'_, State> {
        // The state is changed in whole steps; a panic in one of them must not take every session with it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A peer that the gate let in is there.
    pub fn enter(&self, peer: Peer) -> (Conn, Arc<Signals>) {
        let mut state = self.hold();
        state.last_conn += 1;
        let conn = Conn(state.last_conn);
        let signals = peer.signals.clone();
        let side = peer.side;
        let stopping = state.stopping;
        state.peers.insert(conn, peer);
        if side == Side::Agent {
            self.feed(&mut state, Input::AgentJoined { agent: conn });
        }
        if stopping && let Some(peer) = state.peers.get_mut(&conn) {
            retire(peer);
        }
        (conn, signals)
    }

    /// A peer's connection is closed.
    pub fn leave(&self, conn: Conn) {
        let mut state = self.hold();
        let Some(peer) = state.peers.remove(&conn) else { return };
        let input = gone(peer.side, conn);
        self.feed(&mut state, input);
    }

    /// Puts a frame into a peer's outbox.
    pub fn tell(&self, conn: Conn, frame: &str) {
        let mut state = self.hold();
        if let Some(peer) = state.peers.get_mut(&conn) {
            peer.outbox.line(frame);
            peer.signals.wake.notify_one();
        }
    }

    /// A page said hello in another way than by a frame: the original's.
    pub fn join(&self, conn: Conn, info: PageInfo) {
        let mut state = self.hold();
        self.page_joins(&mut state, conn, info);
    }

    /// Takes one text message of a peer. An error closes it.
    pub fn hear(&self, conn: Conn, text: &str) -> Result<(), Close> {
        let mut state = self.hold();
        let Some(peer) = state.peers.get(&conn) else { return Ok(()) };
        if peer.deaf {
            return Ok(());
        }
        match (peer.side, peer.voice) {
            (Side::Agent, _) if peer.batched => {
                for element in read_batch(text)? {
                    match element {
                        Element::Line(line) => self.agent_said(&mut state, conn, &line),
                        Element::Rpc(json) => self.agent_said(&mut state, conn, json),
                    }
                }
            }
            (Side::Agent, _) => self.agent_said(&mut state, conn, text),
            (Side::Page, Voice::Eye { typed }) if peer.batched => {
                for element in read_batch(text)? {
                    let said = match element {
                        Element::Line(line) => eye::page_line(conn, typed, &line),
                        Element::Rpc(json) => eye::page_rpc(conn, json),
                    };
                    self.page_said(&mut state, conn, said);
                }
            }
            (Side::Page, Voice::Eye { typed }) => {
                let rpc = text.starts_with('{');
                let said = if rpc { eye::page_rpc(conn, text) } else { eye::page_line(conn, typed, text) };
                self.page_said(&mut state, conn, said);
            }
            (Side::Page, Voice::Original) => {
                if text == "ping" {
                    self.feed(&mut state, Input::PageAlive { page: conn });
                }
                self.page_said(&mut state, conn, original::from_page(conn, text));
            }
        }
        Ok(())
    }

    /// Waits for something to write. `None`: the peer is gone.
    pub async fn parcel(&self, conn: Conn, signals: &Signals) -> Option<(Parcel, Option<Close>)> {
        loop {
            {
                let now = self.now();
                let mut state = self.hold();
                let peer = state.peers.get_mut(&conn)?;
                if peer.outbox.len_bytes() > 0 || peer.close.is_some() {
                    peer.writing_since = Some(now);
                    return Some((peer.outbox.take(), peer.close.clone()));
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

    /// Why a peer is to be closed.
    pub fn closing(&self, conn: Conn) -> Option<Close> {
        self.hold().peers.get(&conn).and_then(|peer| peer.close.clone())
    }

    /// When the next deadline is, as an instant of the timer's clock.
    pub fn next_wake(&self) -> Option<Instant> {
        let mut state = self.hold();
        state.armed_at = state.board.next_wake();
        state.armed_at.map(|at| self.started + std::time::Duration::from_millis(at))
    }

    /// Lets time pass.
    pub fn tick(&self) {
        let mut state = self.hold();
        self.feed(&mut state, Input::Tick);
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

    /// All sessions.
    pub fn rows(&self) -> Vec<SessionRow> {
        let now = self.now();
        self.hold().board.rows(now, None)
    }

    /// Whether any page is there or expected.
    pub fn has_page(&self) -> bool {
        self.hold().board.pages() > 0
    }

    /// How it does.
    pub fn status(&self) -> Status {
        self.status_of(&self.hold())
    }

    /// Connected peers.
    pub fn peers(&self) -> usize {
        self.hold().peers.len()
    }

    /// Ends every call and closes every peer, with a reason.
    pub fn shut_down(&self) {
        let mut state = self.hold();
        state.stopping = true;
        self.feed(&mut state, Input::Shutdown);
        for peer in state.peers.values_mut() {
            peer.close_after(Close::shutdown());
        }
    }

    fn agent_said(&self, state: &mut State, conn: Conn, text: &str) {
        if text.len() > FRAME_BYTES_MAX {
            let typed = state.peers.get(&conn).is_some_and(|peer| peer.voice == Voice::Eye { typed: true });
            return self.reply(state, conn, &too_long(text, typed));
        }
        let mut said = Vec::new();
        eye::from_agent(conn, text, |one| said.push(one));
        for one in said {
            match one {
                FromAgent::Provide => return self.provide(state, conn, text),
                FromAgent::Input(input) => self.feed(state, input),
                FromAgent::Reply(json) => self.reply(state, conn, &json),
                FromAgent::Status(id) => {
                    let status = self.status_of(state);
                    self.reply(state, conn, &rpc::response(&id, Ok(&json(&status))));
                }
                FromAgent::Stop(id) => {
                    self.reply(state, conn, &rpc::response(&id, Ok(r#"{"stopping":true}"#)));
                    self.stop.notify_one();
                }
                FromAgent::Hello { id, hello } => self.agent_hello(state, conn, id.as_deref(), hello),
            }
        }
    }

    /// An agent that begins to provide becomes a page, where its carrier proved who it is: the Unix socket.
    fn provide(&self, state: &mut State, conn: Conn, text: &str) {
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if !peer.may_provide {
            let error = Error::new(Code::REQUEST, "only a page provides").hint("connect with clientType=browser");
            let id = match rpc::parse_one(text) {
                Some(Message::Request { id, .. }) => id,
                _ => "null".into(),
            };
            return self.reply(state, conn, &rpc::response(&id, Err(&error)));
        }
        peer.side = Side::Page;
        let session = wanted_session(text).unwrap_or_else(session_id::fresh);
        peer.joining = Some(Joining { session, origin: "program".into(), eval_allowed: true, confirm: false });
        self.feed(state, Input::AgentLeft { agent: conn });
        let said = eye::page_rpc(conn, text);
        if !matches!(said, Some(FromPage::Hello { .. })) {
            self.page_joins(state, conn, plain_page());
        }
        self.page_said(state, conn, said);
    }

    /// An agent named its page in the query.
    pub fn target(&self, conn: Conn, target: String) {
        let mut state = self.hold();
        let hello = Box::new(Hello { target: Some(target), ..Hello::default() });
        self.feed(&mut state, Input::AgentHello { agent: conn, hello });
    }

    /// Greets a client that speaks plain BTCP: a page joins at once, an agent joins the session it named.
    pub fn greet(&self, conn: Conn, session: Option<&str>) {
        let mut state = self.hold();
        let ids = state.board.session_ids();
        let Some(peer) = state.peers.get(&conn) else { return };
        if let Some(joining) = &peer.joining {
            let id = json(joining.session.as_str());
            let result = format!(r#"{{"sessionId":{id},"message":"Connected to BTCP server"}}"#);
            self.reply(&mut state, conn, &rpc::response(WELCOME, Ok(&result)));
            self.page_joins(&mut state, conn, plain_page());
            return;
        }
        let known = session.and_then(SessionId::parse).filter(|id| state.board.has_session(id));
        match (session, known) {
            (Some(session), None) => {
                let error = Error::new(Code::SESSION, format!("Session not found: {session}"));
                let error = error.hint(format!("there are: {}", ids.join(", ")));
                self.reply(&mut state, conn, &rpc::response(WELCOME, Err(&error)));
                if let Some(peer) = state.peers.get_mut(&conn) {
                    peer.close_after(Close::unknown_session());
                }
            }
            (_, known) => {
                let own = known.as_ref().map_or(String::new(), |id| format!(r#""sessionId":{},"#, json(id.as_str())));
                let message = "Connected to BTCP server (agent)";
                let result = format!(r#"{{{own}"message":"{message}","availableSessions":{}}}"#, json(&ids));
                self.reply(&mut state, conn, &rpc::response(WELCOME, Ok(&result)));
                if let Some(id) = known {
                    self.feed(&mut state, Input::Join { agent: conn, form: None, session: id.as_str().into() });
                }
            }
        }
    }

    fn status_of(&self, state: &State) -> Status {
        Status {
            version: version::HUB.into(),
            pid: std::process::id(),
            uptime_ms: self.now(),
            listen: self.facts.listen.clone(),
            socket: self.facts.socket.clone(),
            auth: self.facts.auth.into(),
            pages: state.board.pages(),
            sessions: state.board.sessions(),
            agents: state.board.agents(),
            pending: state.board.pending(),
        }
    }

    fn agent_hello(&self, state: &mut State, conn: Conn, id: Option<&str>, hello: Box<Hello>) {
        let idle = state.board.pending() == 0 && state.board.agents() <= 1;
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if idle && hello.build.as_deref().is_some_and(version::is_newer) {
            retire(peer);
            self.stop.notify_one();
            return;
        }
        if let Voice::Eye { typed } = &mut peer.voice {
            *typed = hello.typed;
        }
        if hello.batch {
            peer.batched = true;
            peer.outbox.begin_batches();
        }
        self.feed(state, Input::AgentHello { agent: conn, hello });
        if let Some(id) = id {
            self.reply(state, conn, &rpc::response(id, Ok(&welcome(None))));
        }
    }

    fn page_said(&self, state: &mut State, conn: Conn, said: Option<FromPage>) {
        match said {
            None => {}
            Some(FromPage::Input(Input::PageAnswered { page, call, ending: Ok(value) }))
                if value.as_text().len() > FRAME_BYTES_MAX =>
            {
                // Our own client says so itself; this is for pages that are somebody else's.
                let ending = Err(over_limit("the page's answer", value.as_text().len()));
                self.feed(state, Input::PageAnswered { page, call, ending });
            }
            Some(FromPage::Reply(frame)) => self.reply(state, conn, &frame),
            Some(FromPage::Input(input)) => {
                // A page that begins without hello speaks plain BTCP.
                self.page_joins(state, conn, plain_page());
                self.feed(state, input);
            }
            Some(FromPage::Session(id)) => {
                self.page_joins(state, conn, plain_page());
                let session = state.board.session_of(conn).map(|id| json(id.as_str())).unwrap_or_else(|| "null".into());
                let result = format!(r#"{{"sessionId":{session},"expiresAt":null}}"#);
                self.reply(state, conn, &rpc::response(&id, Ok(&result)));
            }
            Some(FromPage::Hello { id, hello }) => self.page_hello(state, conn, id.as_deref(), *hello),
        }
    }

    fn page_hello(&self, state: &mut State, conn: Conn, id: Option<&str>, hello: Hello) {
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        let joining = peer.joining.as_ref().map(|joining| joining.session.clone());
        let session = joining.or_else(|| state.board.session_of(conn).cloned()).map(|id| id.to_string());
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        peer.voice = Voice::Eye { typed: hello.typed };
        if hello.batch {
            peer.batched = true;
            peer.outbox.begin_batches();
        }
        if let Some(id) = id {
            self.reply(state, conn, &rpc::response(id, Ok(&welcome(session))));
        }
        let mut info = hello.page.unwrap_or_default();
        if !hello.typed {
            // Whoever does not ask for typed answers says hello as BTCP does, and evaluates nothing.
            info = PageInfo { title: info.title.or(plain_page().title), ..plain_page() };
        } else if info.eval.is_none() {
            info.eval = Some(true);
        }
        if !self.page_joins(state, conn, info.clone()) {
            self.feed(state, Input::PageChanged { page: conn, info });
        }
        if let Some(capabilities) = hello.capabilities {
            self.feed(state, Input::PageCapable { page: conn, capabilities });
        }
    }

    /// Lets a page join that has not yet. `false`: it has.
    fn page_joins(&self, state: &mut State, conn: Conn, info: PageInfo) -> bool {
        let Some(joining) = state.peers.get_mut(&conn).and_then(|peer| peer.joining.take()) else { return false };
        let Joining { session, origin, eval_allowed, confirm } = joining;
        let who = Newcomer { origin, info, eval_allowed, confirm };
        self.feed(state, Input::PageJoined { page: conn, session, who });
        true
    }

    fn reply(&self, state: &mut State, conn: Conn, json: &str) {
        if let Some(peer) = state.peers.get_mut(&conn) {
            match peer.voice {
                Voice::Eye { .. } => peer.outbox.rpc(json),
                Voice::Original => peer.outbox.line(json),
            }
            self.written(state, conn);
        }
    }

    /// Gives the switchboard what happened, and does what follows.
    fn feed(&self, state: &mut State, input: Input) {
        state.todo.push_back(input);
        self.feed_todo(state);
    }

    /// Events are worked off from a list, never by recursion: a peer that is closed on the way is one more of them.
    fn feed_todo(&self, state: &mut State) {
        let now = self.now();
        while let Some(input) = state.todo.pop_front() {
            let mut effects = std::mem::take(&mut state.effects);
            state.board.on(now, input, &mut effects);
            for effect in effects.drain(..) {
                self.apply(state, effect);
            }
            state.effects = effects;
        }
        let wake = state.board.next_wake();
        if wake.is_some_and(|at| state.armed_at.is_none_or(|armed| at < armed)) {
            state.armed_at = wake;
            self.rearm.notify_one();
        }
        if state.board.known_changed() {
            self.remember.notify_one();
        }
    }

    fn apply(&self, state: &mut State, effect: Effect) {
        let mut text = std::mem::take(&mut state.text);
        text.clear();
        let conn = match &effect {
            Effect::Send { page, .. }
            | Effect::PageResult { page, .. }
            | Effect::Abort { page, .. }
            | Effect::Ping { page }
            | Effect::Replaced { page } => *page,
            Effect::Close { conn, .. } => *conn,
            Effect::Ended { reply, .. } | Effect::Result { reply, .. } | Effect::Progress { reply, .. } => reply.agent,
            Effect::News { agent, .. } => *agent,
        };
        if let Some(peer) = state.peers.get_mut(&conn) {
            speak(peer, effect, &mut text);
            self.written(state, conn);
        }
        state.text = text;
    }

    /// Something was written: its writer is woken, or given up when too much waits.
    fn written(&self, state: &mut State, conn: Conn) {
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if peer.outbox.len_bytes() > OUTBOX_BYTES_MAX {
            self.give_up(state, conn, "more than 64 MiB waited to be read");
        } else {
            peer.signals.wake.notify_one();
        }
    }

    #[expect(clippy::unused_self, reason = "one of the hub's steps, beside its siblings")]
    fn give_up(&self, state: &mut State, conn: Conn, why: &str) {
        if let Some(peer) = state.peers.get_mut(&conn)
            && !peer.deaf
        {
            peer.close_now(Close::too_slow(why));
            state.todo.push_back(gone(peer.side, conn));
        }
    }
}

fn speak(peer: &mut Peer, effect: Effect, text: &mut String) {
    match effect {
        Effect::Send { call, task, .. } => match (peer.voice, &task) {
            (Voice::Eye { .. }, task) if eye::to_page(call, task, text) => peer.outbox.rpc(text),
            (Voice::Eye { .. }, _) => peer.outbox.line(text),
            (Voice::Original, Task::Eval { code, .. }) => {
                original::to_page(call, code, text);
                peer.outbox.line(text);
            }
            // The original's pages offer no tools, so none is ever called there.
            (Voice::Original, Task::Tool { .. }) => {}
        },
        Effect::PageResult { id, result, .. } => peer.outbox.rpc(&rpc::response(&id, result.as_deref())),
        Effect::Progress { reply, progress } => {
            if let Some(frame) = tools::progress_to_agent(&reply.form, &progress) {
                peer.outbox.rpc(&frame);
            }
        }
        Effect::News { session, news, .. } => peer.outbox.rpc(&eye::news(&session, &news)),
        Effect::Abort { call, .. } if peer.voice != Voice::Original => peer.outbox.rpc(&eye::abort(call)),
        Effect::Ping { .. } if peer.voice != Voice::Original => peer.outbox.rpc(eye::ping()),
        Effect::Replaced { .. } if peer.voice != Voice::Original => peer.outbox.rpc(&eye::replaced()),
        // The original page knows none of these; it is simply closed, or sends pings of its own.
        Effect::Abort { .. } | Effect::Ping { .. } | Effect::Replaced { .. } => {}
        Effect::Close { close, .. } => peer.close_after(close),
        Effect::Ended { reply, ending } => match peer.voice {
            Voice::Eye { typed } if eye::to_agent(&reply.form, &ending, typed, text) => peer.outbox.rpc(text),
            Voice::Eye { .. } => peer.outbox.line(text),
            Voice::Original => {
                original::to_agent(&reply.form, &ending, text);
                peer.outbox.line(text);
            }
        },
        Effect::Result { reply, result } => {
            if let ReplyForm::Rpc(id) = &reply.form {
                peer.outbox.rpc(&rpc::response(id, result.as_deref()));
            }
        }
    }
}

/// Whoever comes too late is told that nothing of what it says is done, so that it may safely say it again elsewhere.
fn retire(peer: &mut Peer) {
    if peer.side == Side::Agent && peer.voice != Voice::Original {
        let retiring = Retiring { version: version::HUB.into() };
        peer.outbox.rpc(&rpc::notification("hub/retiring", &retiring));
    }
    peer.deaf = true;
    peer.close_after(Close::shutdown());
}

/// A page that evaluates nothing: it never said that it would.
fn plain_page() -> PageInfo {
    PageInfo {
        title: Some("BTCP page".into()),
        eval: Some(false),
        eval_blocked: Some("it speaks plain BTCP".into()),
        ..PageInfo::default()
    }
}

fn over_limit(what: &str, bytes: usize) -> Error {
    let limit = FRAME_BYTES_MAX >> 20;
    let message = format!("{what} is {} MiB, over the frame limit of {limit} MiB", bytes >> 20);
    Error::new(Code::INTERNAL, message).hint("ask for a part")
}

/// Answers a frame that is not even looked at, under its id when it is a line that has one.
fn too_long(text: &str, typed: bool) -> String {
    let error = over_limit("the frame", text.len());
    let mut frame = String::new();
    match split_call_id(text, b":") {
        Some((id, _, _)) if typed => write_typed(id, &Err(error), &mut frame),
        Some((id, _, _)) => write_plain(id, &Err(error), &mut frame),
        None => frame = rpc::response("null", Err(&error)),
    }
    frame
}

fn wanted_session(text: &str) -> Option<SessionId> {
    let Message::Request { params, .. } = rpc::parse_one(text)? else { return None };
    let NameSession { session_id } = serde_json::from_str(&params).ok()?;
    SessionId::parse(&session_id?)
}

fn gone(side: Side, conn: Conn) -> Input {
    match side {
        Side::Page => Input::PageLeft { page: conn },
        Side::Agent => Input::AgentLeft { agent: conn },
    }
}

fn welcome(session_id: Option<String>) -> String {
    json(&Welcome { session_id, version: PROTOCOL_VERSION.into(), hub: version::HUB.into() })
}

fn read_batch(text: &str) -> Result<Vec<Element<'_>>, Close> {
    batch::parse(text).map_err(|error| Close::unsupported(&error.to_string()))
}
