//! Pushes changes to consoles. The audit thread formats the rows of calls; this thread copies them for each console,
//! ten times a second. Without a console, only the sample of the counters runs here.

use super::state::{Hub, State};
use crate::audit::Audit;
use crate::console::{FACE, Gauges, Sample};
use crate::dialect::wall_ms;
use eye_core::Conn;
use eye_protocol::messages::{Presence, SessionRow};
use eye_protocol::rpc::json;
use eye_protocol::scope::Scope;
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::TryRecvError;

/// Interval of pushes to a console.
const PUSH: Duration = Duration::from_millis(100);
const PUSHES_PER_S: u32 = 10;
/// Servers are queried once in so many pushes.
const SERVERS_EVERY: u32 = 20;
/// Rows in one push; further rows are counted and left out.
const ROWS_PER_PUSH_MAX: usize = 1_000;

/// A page in a console. Times are absolute, so that an idle page does not change.
#[expect(clippy::struct_excessive_bools, reason = "what a page is, each for itself")]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageRow {
    id: String,
    /// The hub that holds the page, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    hub: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<String>,
    title: String,
    url: String,
    origin: String,
    state: Presence,
    visible: bool,
    frame: bool,
    eval: bool,
    /// Whether the page runs in eye's own browser, which gives real input and pictures.
    hands: bool,
    tools: usize,
    pending: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    /// When an agent last called the page, Unix time in s.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    used_by: Option<String>,
}

/// An agent that is connected or has sent calls.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AgentRow {
    name: String,
    face: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// Current connections.
    connections: usize,
    calls: u64,
    errors: u64,
    /// When its last call ended, Unix time in s.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_at: Option<u64>,
}

/// A call that waits for a person.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HeldRow<'a> {
    id: u32,
    agent: &'a str,
    page: &'a str,
    tool: &'a str,
    arguments: &'a str,
    at: u64,
}

impl Hub {
    /// Closes the sample of the last second.
    pub fn sample(&self) {
        let memory_bytes = memory_bytes();
        let mut state = self.hold();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (pages, agents) = (count(state.board.pages()), count(self.agents_of(&state)));
        state.desk.book.sample(wall_ms() / 1000, Gauges { memory_bytes, pages, agents });
        self.end_held(&mut state);
    }

    /// A connection has ended that may have been a console.
    pub(crate) fn console_left(&self, state: &mut State, conn: Conn) {
        state.desk.take_held(|held| held.agent == conn);
        let before = state.desk.consoles.len();
        state.desk.consoles.retain(|console| *console != conn);
        if before != state.desk.consoles.len() {
            self.end_held(state);
        }
    }

    /// Exchanges a link's code for a key. Also returns the key's lifetime in ms.
    pub(crate) fn console_exchange(&self, code: &str) -> std::io::Result<Option<(String, u64)>> {
        self.console_keys.lock().unwrap_or_else(PoisonError::into_inner).exchange(self.now(), code)
    }

    /// Whether a key is valid. Extends its lifetime.
    pub(crate) fn console_admits(&self, key: &str) -> bool {
        self.console_keys.lock().unwrap_or_else(PoisonError::into_inner).renew(self.now(), key)
    }

    /// Makes a connection a console: returns the current data, and pushes changes from then on.
    pub(crate) fn console_watch(&self, state: &mut State, conn: Conn) -> String {
        let mut pushed = Pushed::new(self.audit());
        if state.desk.consoles.contains(&conn) {
            return self.console_now(state, &mut pushed);
        }
        state.desk.consoles.push(conn);
        let now = self.console_now(state, &mut pushed);
        let hub = self.this.clone();
        tokio::spawn(async move {
            let mut every = tokio::time::interval(PUSH);
            every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                every.tick().await;
                let Some(hub) = hub.upgrade() else { return };
                if pushed.ticks.is_multiple_of(SERVERS_EVERY) {
                    pushed.servers = hub.ask_own("gateway/servers").await;
                    pushed.waiting = hub.ask_own("gateway/waiting").await;
                }
                let mut state = hub.hold();
                if !state.peers.contains_key(&conn) {
                    return;
                }
                let params = pushed.next(&hub, &state);
                if params.len() > 2 {
                    let frame = format!(r#"{{"jsonrpc":"2.0","method":"console/feed","params":{params}}}"#);
                    hub.message_to(&mut state, conn, &frame);
                }
            }
        });
        now
    }

    fn console_now(&self, state: &State, pushed: &mut Pushed) -> String {
        let samples: Vec<&Sample> = state.desk.book.hub.samples().collect();
        let (pages, agents, control) = (self.pages_json(state), self.agents_json(state), control_json(state));
        let mode = self.audit().mode().word();
        let text = format!(
            r#"{{"hub":{},"now":{},"audit":"{mode}","samples":{},"pages":{pages},"agents":{agents},"control":{control}}}"#,
            json(&self.status_of(state)),
            wall_ms(),
            json(&samples),
        );
        (pushed.pages, pushed.agents, pushed.version) = (pages, agents, state.desk.version);
        pushed.sampled_s = samples.last().map_or(0, |sample| sample.at_s);
        text
    }

    /// Sends the gateway a request of the hub itself.
    async fn ask_own(&self, method: &str) -> String {
        let Some(gateway) = self.gateway.get() else { return "null".into() };
        let answer = gateway.request(method.to_owned(), "{}".into(), false, Scope::ALL);
        answer.await.unwrap_or_else(|_| "null".into())
    }

    fn pages_json(&self, state: &State) -> String {
        let now = self.now();
        let wall = wall_ms();
        let rows = state.board.rows(now, None).into_iter().map(|row: SessionRow| {
            let (hands, revision) = state.board.hands_and_revision(&row.id);
            PageRow {
                hands,
                revision,
                used_at: row.used_ms.map(|ago| wall.saturating_sub(ago) / 1000),
                used_by: row.used_by,
                id: row.id,
                hub: row.hub,
                name: row.name,
                alias: row.alias,
                title: row.title,
                url: row.url,
                origin: row.origin,
                state: row.state,
                visible: row.visible,
                frame: row.frame,
                eval: row.eval,
                tools: row.tools,
                pending: row.pending,
            }
        });
        json(&rows.collect::<Vec<_>>())
    }

    /// The hubs of the cluster; `null` without a cluster.
    fn hubs_json(&self) -> String {
        self.cluster.get().map_or_else(|| "null".into(), |cluster| json(&cluster.hubs()))
    }

    fn agents_json(&self, state: &State) -> String {
        let (now, wall) = (self.now(), wall_ms());
        let mut rows: Vec<AgentRow> = Vec::new();
        for (name, series) in state.desk.book.agents().filter(|(_, series)| series.face != FACE) {
            rows.push(AgentRow {
                name: name.to_owned(),
                face: series.face,
                token: None,
                connections: 0,
                calls: series.calls,
                errors: series.errors,
                last_at: Some(wall.saturating_sub(now.saturating_sub(series.last)) / 1000),
            });
        }
        for (conn, peer) in state.peers.entries() {
            if peer.side != super::peer::Side::Agent || peer.face == FACE {
                continue;
            }
            let name = state.board.agent_name(*conn);
            let token = peer.scope.name().map(str::to_owned);
            match rows.iter_mut().find(|row| row.name == name) {
                Some(row) => {
                    row.connections += 1;
                    row.token = token;
                }
                None => rows.push(AgentRow {
                    name: name.to_owned(),
                    face: peer.face,
                    token,
                    connections: 1,
                    calls: 0,
                    errors: 0,
                    last_at: None,
                }),
            }
        }
        rows.sort_by(|a, b| (b.last_at, &a.name).cmp(&(a.last_at, &b.name)));
        json(&rows)
    }
}

fn control_json(state: &State) -> String {
    let held = state.desk.held.iter().map(|held| HeldRow {
        id: held.id,
        agent: &held.name,
        page: &held.page,
        tool: &held.tool,
        arguments: &held.arguments,
        at: held.at_ms,
    });
    let held: Vec<HeldRow<'_>> = held.collect();
    let waiting = state.line.len();
    format!(r#"{{"pauses":{},"held":{},"waiting":{waiting}}}"#, json(&state.desk.pauses), json(&held))
}

/// The data that one console received last.
struct Pushed {
    rows: Receiver<Arc<str>>,
    ticks: u32,
    pages: String,
    agents: String,
    servers: String,
    servers_sent: String,
    waiting: String,
    waiting_sent: String,
    hubs: String,
    version: u64,
    sampled_s: u64,
}

impl Pushed {
    fn new(audit: &Audit) -> Self {
        Self {
            rows: audit.watch(),
            ticks: 0,
            pages: String::new(),
            agents: String::new(),
            servers: String::new(),
            servers_sent: String::new(),
            waiting: String::new(),
            waiting_sent: String::new(),
            hubs: String::new(),
            version: 0,
            sampled_s: 0,
        }
    }

    /// The changes since the last push, as a JSON object.
    fn next(&mut self, hub: &Hub, state: &State) -> String {
        let mut out = String::from("{");
        self.write_calls(&mut out);
        if self.version != state.desk.version {
            self.version = state.desk.version;
            member(&mut out, "control", &control_json(state));
        }
        let pages = hub.pages_json(state);
        if pages != self.pages {
            member(&mut out, "pages", &pages);
            self.pages = pages;
        }
        if self.ticks.is_multiple_of(PUSHES_PER_S / 2) {
            let hubs = hub.hubs_json();
            if hubs != self.hubs {
                member(&mut out, "hubs", &hubs);
                self.hubs = hubs;
            }
            let agents = hub.agents_json(state);
            if agents != self.agents {
                member(&mut out, "agents", &agents);
                self.agents = agents;
            }
        }
        if let Some(sample) = state.desk.book.hub.latest().filter(|sample| sample.at_s != self.sampled_s) {
            self.sampled_s = sample.at_s;
            member(&mut out, "sample", &json(sample));
        }
        if self.servers != self.servers_sent {
            self.servers_sent.clone_from(&self.servers);
            member(&mut out, "servers", &self.servers);
        }
        if self.waiting != self.waiting_sent {
            self.waiting_sent.clone_from(&self.waiting);
            member(&mut out, "waiting", &self.waiting);
        }
        self.ticks = self.ticks.wrapping_add(1);
        out.push('}');
        out
    }

    fn write_calls(&mut self, out: &mut String) {
        let (mut text, mut count, mut dropped) = (String::new(), 0, 0);
        loop {
            match self.rows.try_recv() {
                Ok(_) if count >= ROWS_PER_PUSH_MAX => dropped += 1,
                Ok(row) => {
                    text.push_str(if count == 0 { "[" } else { "," });
                    text.push_str(&row);
                    count += 1;
                }
                Err(TryRecvError::Lagged(missed)) => dropped += missed,
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        if count > 0 {
            text.push(']');
            member(out, "calls", &text);
        }
        if dropped > 0 {
            member(out, "dropped", &dropped.to_string());
        }
    }
}

fn member(out: &mut String, name: &str, value: &str) {
    let comma = if out.len() > 1 { "," } else { "" };
    let _ = write!(out, r#"{comma}"{name}":{value}"#);
}

/// Memory of this process; 0 if the system does not report it.
fn memory_bytes() -> u64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: Option<u64> = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
    kib.unwrap_or(0) << 10
}
