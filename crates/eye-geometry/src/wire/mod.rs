//! The shell around geometry: the connections of `/evolution` and `/agents`, as text in and text out, and the
//! cartridges. It knows no HTTP and no socket; the program that runs it connects it with a hub ([`LocalHub`]).

mod agents;
mod crew;
mod evolution;
mod message;
mod page;
mod runs;
mod talk;

pub use talk::{Incoming, Outgoing};

use crate::limits::THREADS_MAX;
use crate::store::{Entry, Store};
use crew::Crew;
use eye_protocol::local::LocalHub;
use runs::Runs;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait for runs that were told to stop.
const SETTLE: Duration = Duration::from_millis(500);

/// The answer to a request for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub status: u16,
    pub media_type: &'static str,
    /// Whether the content never changes.
    pub lasting: bool,
    pub bytes: Vec<u8>,
}

/// Everything behind `/evolution`, `/agents` and `/cartridges/`. Clones share the same state.
#[derive(Clone, Debug)]
pub struct Geometry {
    store: Arc<Store>,
    runs: Arc<Runs>,
    crew: Arc<Crew>,
}

impl Geometry {
    /// Stores cartridges in this folder, which need not exist yet.
    pub fn new(folder: PathBuf) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        let store = Arc::new(Store::new(folder));
        let runs = Arc::new(Runs::new(threads, store.clone()));
        let crew = Arc::new(Crew::new(runs.clone()));
        Self { store, runs, crew }
    }

    /// Connects geometry with the hub, when the hub is ready.
    pub fn begin(&self, hub: Box<dyn LocalHub>) {
        self.crew.begin(hub);
    }

    /// Serves one connection of `/evolution`.
    pub async fn evolution(self, incoming: Incoming, outgoing: Outgoing) {
        evolution::talk(self.runs, incoming, outgoing).await;
    }

    /// Serves one connection of `/agents`. `origin` is that of the page that opened it, if a page did.
    pub async fn agents(self, origin: Option<String>, incoming: Incoming, outgoing: Outgoing) {
        agents::talk(self.crew, origin, incoming, outgoing).await;
    }

    /// A cartridge's picture (`ID.rts.png`) or source (`ID.wgsl`); the list of all cartridges for the empty name.
    pub async fn cartridge(self, name: String) -> Given {
        let store = self.store;
        let given = tokio::task::spawn_blocking(move || given(&store, &name)).await;
        given.unwrap_or_else(|_| missing("the cartridges cannot be read"))
    }

    /// The lines for `/metrics`.
    pub fn metrics(&self) -> String {
        let (runs, evaluations) = self.runs.counts();
        let mut out = String::new();
        for (name, kind, help, value) in [
            ("evolutions_total", "counter", "Runs of evolution that ended.", runs),
            ("evaluations_total", "counter", "Shaders that were painted and scored.", evaluations),
            ("area_agents", "gauge", "Area agents that have not ended.", self.crew.alive() as u64),
        ] {
            let _ = writeln!(out, "# HELP eye_{name} {help}\n# TYPE eye_{name} {kind}\neye_{name} {value}");
        }
        out
    }

    /// Ends all agents, with a report of each, and cancels all runs. The future waits for the runs.
    pub fn shut_down(&self) -> impl Future<Output = ()> + Send + use<> {
        self.crew.shut_down();
        self.runs.stop();
        let runs = self.runs.clone();
        async move { runs::settled(&runs, Instant::now() + SETTLE).await }
    }
}

fn given(store: &Store, name: &str) -> Given {
    if name.is_empty() {
        let list: Vec<Value> = store.list().iter().map(row).collect();
        let bytes = Value::Array(list).to_string().into_bytes();
        return Given { status: 200, media_type: "application/json", lasting: false, bytes };
    }
    let found = if let Some(id) = name.strip_suffix(".rts.png") {
        store.png(id).map(|bytes| ("image/png", bytes))
    } else if let Some(id) = name.strip_suffix(".wgsl") {
        store.source(id).map(|source| ("text/plain; charset=utf-8", source.into_bytes()))
    } else {
        None
    };
    match found {
        Some((media_type, bytes)) => Given { status: 200, media_type, lasting: true, bytes },
        None => missing("no such cartridge"),
    }
}

fn missing(error: &str) -> Given {
    let bytes = json!({ "error": error, "hint": "/cartridges/ lists them" }).to_string().into_bytes();
    Given { status: 404, media_type: "application/json", lasting: false, bytes }
}

fn row(entry: &Entry) -> Value {
    let facts = entry.facts.as_ref();
    json!({
        "id": entry.id,
        "url": format!("/cartridges/{}.rts.png", entry.id),
        "source": format!("/cartridges/{}.wgsl", entry.id),
        "metric": facts.map(|facts| facts.metric.name()),
        "fitness": facts.map(|facts| facts.fitness),
        "entropy": facts.map(|facts| facts.entropy),
        "generations": facts.map(|facts| facts.generations),
        "bytes": entry.bytes,
        "created": entry.created_ms,
    })
}
