//! What happens to area agents, and what follows from it.

use super::plan::{Plan, Region};
use super::work::{AgentId, Failed, Socket, Work};
use crate::Picture;
use crate::breeding::Breeding;
use serde_json::{Map, Value};
use std::sync::Arc;

/// What happens.
#[derive(Clone, Debug)]
pub enum Event {
    /// A request for a new agent.
    Spawn {
        /// What it is to be called.
        id: AgentId,
        /// Whose page it works in.
        session: Arc<str>,
        /// Where.
        region: Region,
        /// What it is for, and the pause between two heartbeats.
        plan: (Plan, u64),
        /// Whether it begins at once.
        start: bool,
        /// Who wants it.
        socket: Socket,
    },
    /// A request to pause it.
    Pause(AgentId),
    /// A request to start or resume it.
    Resume(AgentId),
    /// A request to stop it.
    Stop(AgentId),
    /// A task came to an end.
    Done {
        /// Whose it was.
        id: AgentId,
        /// Which of its turns.
        turn: u32,
        /// What it led to.
        result: Result<Work, Failed>,
    },
    /// How far an evolution is.
    Evolving {
        /// Whose it is.
        id: AgentId,
        /// Which of its turns.
        turn: u32,
        /// How far.
        progress: Map<String, Value>,
    },
    /// The sessions there are.
    Sessions(Vec<(String, Presence)>),
    /// A connection is gone; its agents stay, and tell their topics.
    Closed(Socket),
    /// Time passed.
    Tick,
    /// The hub ends.
    Shutdown,
}

/// Whether a session's page is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is.
    There,
    /// It may come back.
    Away,
    /// It was given up.
    Gone,
}

/// What follows.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Begin a task; its end is [`Event::Done`].
    Do {
        /// Whose it is.
        id: AgentId,
        /// In whose page.
        session: Arc<str>,
        /// Which of its turns.
        turn: u32,
        /// What to do.
        task: Task,
    },
    /// Let go of the task under way.
    Abandon {
        /// Whose it is.
        id: AgentId,
    },
    /// Tell its topic, and the connection that spawned it.
    Tell {
        /// Whose it is.
        id: AgentId,
        /// The connection, while it is there.
        socket: Option<Socket>,
        /// What to tell.
        message: Value,
    },
    /// Look which sessions there are.
    LookForSessions,
}

/// What an agent wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Read the region's pixels, and compare them.
    Look {
        /// Where.
        region: Region,
        /// With what.
        before: Option<Arc<Picture>>,
    },
    /// Run a program in the page.
    Execute {
        /// Its text.
        program: String,
        /// Its arguments: x, y, width and height of the region, and then its own.
        args: Vec<f64>,
    },
    /// Breed a shader.
    Evolve {
        /// Where it is from, and where it goes.
        region: Region,
        /// The shader to begin with; without one, the region's own.
        seed_shader: Option<String>,
        /// How.
        breeding: Breeding,
        /// Whether the result is put on the map.
        place: bool,
    },
}
