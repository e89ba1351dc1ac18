//! The shell around the area agents: gives them time, pages and connections, and carries out the effects of `agents`.
//! It works only while there are agents: without them it has no timer and no link to the hub.

use super::page::{self, Page};
use super::runs::{Runs, progress_members};
use super::talk::Outgoing;
use crate::agents::{AgentId, Effect, Event, Millis, Presence, Roster, Socket, Task};
use crate::refusal::{Kind, Refusal};
use eye_protocol::local::{Identity, LocalAgent, LocalHub};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;
use tokio::time::sleep_until;

/// The name of the shell in the hub, and for subscribers of a topic.
const NAME: &str = "geometry";
/// Progress messages that may wait. Further ones are dropped.
const PROGRESS_LEN_MAX: usize = 8;

/// All area agents of a hub, with their connections and tasks.
#[derive(Debug)]
pub struct Crew {
    hub: OnceLock<Box<dyn LocalHub>>,
    runs: Arc<Runs>,
    began: Instant,
    state: Mutex<State>,
    rearm: Notify,
}

#[derive(Debug, Default)]
struct State {
    roster: Roster,
    link: Option<Arc<dyn LocalAgent>>,
    ears: HashMap<u64, Ear>,
    tasks: HashMap<AgentId, AbortHandle>,
    last_socket: u64,
    kept: bool,
    closed: bool,
}

/// A connection, which gets the reports of the agents that it spawned.
#[derive(Debug)]
struct Ear {
    outgoing: Outgoing,
    deaf: Arc<Notify>,
}

/// A session in the hub's list.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    state: String,
    #[serde(default)]
    origin: String,
    #[serde(default)]
    frame: bool,
}

impl Row {
    fn presence(&self) -> Presence {
        match self.state.as_str() {
            "connected" => Presence::There,
            "away" => Presence::Away,
            _ => Presence::Gone,
        }
    }
}

impl Crew {
    pub fn new(runs: Arc<Runs>) -> Self {
        Self { hub: OnceLock::new(), runs, began: Instant::now(), state: Mutex::default(), rearm: Notify::new() }
    }

    /// Connects the shell with the hub, when the hub is ready.
    pub fn begin(&self, hub: Box<dyn LocalHub>) {
        let _ = self.hub.set(hub);
    }

    fn now(&self) -> Millis {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(Millis::MAX)
    }

    fn hold(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a connection. The notice fires when the peer does not read, and the connection must be closed.
    pub fn enter(&self, outgoing: Outgoing) -> (Socket, Arc<Notify>) {
        let mut state = self.hold();
        state.last_socket += 1;
        let (socket, deaf) = (state.last_socket, Arc::<Notify>::default());
        state.ears.insert(socket, Ear { outgoing, deaf: deaf.clone() });
        (Socket(socket), deaf)
    }

    /// Removes a connection.
    pub fn leave(self: &Arc<Self>, socket: Socket) {
        self.hold().ears.remove(&socket.0);
        let _ = self.on(Event::Closed(socket));
    }

    pub fn row(&self, id: &str) -> Result<Map<String, Value>, Refusal> {
        self.hold().roster.row(self.now(), id)
    }

    /// All agents, or those of one session.
    pub fn rows(&self, session: Option<&str>) -> Vec<Map<String, Value>> {
        self.hold().roster.rows(self.now(), session)
    }

    /// The number of agents that have not ended.
    pub fn alive(&self) -> usize {
        self.hold().roster.alive()
    }

    /// The session for a new agent: the named one, else the only page of the connection's origin, else the only page.
    pub async fn session(&self, named: Option<&str>, origin: Option<&str>) -> Result<Arc<str>, Refusal> {
        let rows = self.sessions().await?;
        let there = || rows.iter().filter(|row| row.presence() != Presence::Gone);
        if let Some(named) = named {
            let found = there().find(|row| row.id == named);
            let missing = || Refusal::invalid(format!("there is no page with the session {named}"));
            return found.map(|row| row.id.as_str().into()).ok_or_else(missing);
        }
        let pages = || there().filter(|row| !row.frame);
        let of_origin: Vec<&str> =
            pages().filter(|row| Some(row.origin.as_str()) == origin).map(|row| row.id.as_str()).collect();
        let pages = if of_origin.is_empty() { pages().map(|row| row.id.as_str()).collect() } else { of_origin };
        match pages[..] {
            [only] => Ok(only.into()),
            [] => Err(Refusal::new(Kind::BackendUnavailable, "no page is connected; open the geometry app first")),
            [..] => {
                Err(Refusal::invalid(format!("several pages are connected; name one as session: {}", pages.join(", "))))
            }
        }
    }

    async fn sessions(&self) -> Result<Vec<Row>, Refusal> {
        #[derive(Deserialize)]
        struct Sessions {
            sessions: Vec<Row>,
        }
        let unavailable = |why: String| Refusal::new(Kind::BackendUnavailable, why);
        let link = self.link().ok_or_else(|| unavailable("the hub is not there".into()))?;
        let answer = link.request("session/list", "{}", None).await.map_err(|error| unavailable(error.message))?;
        let rows: Sessions = serde_json::from_str(answer.get()).map_err(|error| unavailable(error.to_string()))?;
        Ok(rows.sessions)
    }

    /// The shell's agent connection to the hub. Kept while there are agents.
    fn link(&self) -> Option<Arc<dyn LocalAgent>> {
        let kept = self.hold().link.clone();
        kept.or_else(|| self.enter_hub())
    }

    fn enter_hub(&self) -> Option<Arc<dyn LocalAgent>> {
        let who = Identity { name: Some(NAME.to_owned()), ..Identity::default() };
        self.hub.get().map(|hub| hub.enter(who, "inside"))
    }

    /// Handles an event and carries out its effects.
    pub fn on(self: &Arc<Self>, event: Event) -> Result<(), Refusal> {
        let now = self.now();
        let mut effects = Vec::new();
        let mut state = self.hold();
        if state.closed && matches!(event, Event::Spawn { .. }) {
            return Err(Refusal::new(Kind::BackendUnavailable, "the hub ends"));
        }
        let outcome = state.roster.on(now, event, &mut effects);
        if state.roster.alive() > 0 && !state.kept {
            state.kept = true;
            state.link = self.enter_hub();
            tokio::spawn(self.clone().keep());
        }
        for effect in effects {
            self.apply(&mut state, effect);
        }
        drop(state);
        self.rearm.notify_one();
        outcome
    }

    fn apply(self: &Arc<Self>, state: &mut State, effect: Effect) {
        match effect {
            Effect::Do { id, session, turn, task } => {
                let Some(link) = state.link.clone() else { return };
                let work = self.clone().work(Page { link, session }, id.clone(), turn, task);
                state.tasks.insert(id, tokio::spawn(work).abort_handle());
            }
            Effect::Abandon { id } => {
                if let Some(task) = state.tasks.remove(&id) {
                    task.abort();
                }
            }
            Effect::Tell { id, socket, message } => {
                if let Some(link) = &state.link {
                    let topic = format!("geometry/agents/{id}");
                    let params = json!({ "topic": topic, "message": message, "queue": false });
                    // The request is sent by the call itself. Its answer is not needed.
                    drop(link.request("topic/publish", &params.to_string(), None));
                }
                let ear = socket.and_then(|socket| state.ears.get(&socket.0));
                if let Some(ear) = ear
                    && ear.outgoing.try_send(message.to_string()).is_err()
                {
                    ear.deaf.notify_one();
                }
            }
            Effect::LookForSessions => {
                tokio::spawn(self.clone().look_for_sessions());
            }
        }
    }

    /// Runs one turn of an agent.
    async fn work(self: Arc<Self>, page: Page, id: AgentId, turn: u32, task: Task) {
        let (sender, mut reports) = mpsc::channel(PROGRESS_LEN_MAX);
        let perform = page::perform(page, self.runs.clone(), task, sender);
        let mut perform = std::pin::pin!(perform);
        let result = loop {
            tokio::select! {
                biased;
                Some(progress) = reports.recv() => {
                    let progress = progress_members(&progress);
                    let _ = self.on(Event::Evolving { id: id.clone(), turn, progress });
                }
                result = &mut perform => break result,
            }
        };
        let _ = self.on(Event::Done { id, turn, result });
    }

    async fn look_for_sessions(self: Arc<Self>) {
        if let Ok(rows) = self.sessions().await {
            let sessions = rows.iter().map(|row| (row.id.clone(), row.presence())).collect();
            let _ = self.on(Event::Sessions(sessions));
        }
    }

    /// Passes time and changes of sessions to the agents, while there are agents.
    async fn keep(self: Arc<Self>) {
        let Some(hub) = self.hub.get() else { return };
        let mut seen = hub.revision();
        // A page that left while its agent was being spawned causes no further change.
        self.clone().look_for_sessions().await;
        loop {
            let wake = {
                let mut state = self.hold();
                if state.roster.alive() == 0 {
                    state.kept = false;
                    state.link = None;
                    state.tasks.clear();
                    return;
                }
                state.roster.next_wake()
            };
            let at = wake.map(|at| self.began + Duration::from_millis(at));
            tokio::select! {
                () = async {
                    match at {
                        Some(at) => sleep_until(at.into()).await,
                        None => std::future::pending().await,
                    }
                } => {
                    let _ = self.on(Event::Tick);
                }
                () = self.rearm.notified() => {}
                revision = hub.changed(seen) => {
                    seen = revision;
                    self.clone().look_for_sessions().await;
                }
            }
        }
    }

    /// Ends all agents, because the hub ends.
    pub fn shut_down(self: &Arc<Self>) {
        self.hold().closed = true;
        let _ = self.on(Event::Shutdown);
    }
}
