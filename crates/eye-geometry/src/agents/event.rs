//! The events of area agents, and the effects that follow.

use super::plan::{Plan, Region};
use super::work::{AgentId, Failed, Socket, Work};
use crate::Picture;
use crate::breeding::Breeding;
use serde_json::{Map, Value};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub enum Event {
    Spawn {
        id: AgentId,
        /// The session of the page that it works in.
        session: Arc<str>,
        region: Region,
        /// What the agent does, and its heartbeat interval.
        plan: (Plan, u64),
        /// Whether it starts at once.
        start: bool,
        /// The connection that requested it.
        socket: Socket,
    },
    Pause(AgentId),
    /// A request to start or resume an agent.
    Resume(AgentId),
    Stop(AgentId),
    /// A task has ended.
    Done {
        id: AgentId,
        /// The turn that the task belongs to.
        turn: u32,
        result: Result<Work, Failed>,
    },
    /// Progress of an evolution.
    Evolving {
        id: AgentId,
        /// The turn that it belongs to.
        turn: u32,
        progress: Map<String, Value>,
    },
    /// All sessions of the hub.
    Sessions(Vec<(String, Presence)>),
    /// A connection has closed. Its agents continue, and report to their topics.
    Closed(Socket),
    Tick,
    /// The hub ends.
    Shutdown,
}

/// Whether the page of a session is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The page is connected.
    There,
    /// The page may come back.
    Away,
    /// The hub no longer expects the page.
    Gone,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Starts a task. Its end arrives as [`Event::Done`].
    Do {
        id: AgentId,
        /// The session of the page.
        session: Arc<str>,
        /// The turn that the task belongs to.
        turn: u32,
        task: Task,
    },
    /// Gives up the task in progress.
    Abandon { id: AgentId },
    /// Sends a message to the agent's topic, and to the connection that spawned it.
    Tell {
        id: AgentId,
        /// The connection that spawned it, while it is open.
        socket: Option<Socket>,
        message: Value,
    },
    /// Requests the list of sessions.
    LookForSessions,
}

/// The work of one turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Read the region's pixels and compare them.
    Look {
        region: Region,
        /// The picture to compare with.
        before: Option<Arc<Picture>>,
    },
    /// Run a program in the page.
    Execute {
        program: String,
        /// The region's x, y, width and height, and then the program's own arguments.
        args: Vec<f64>,
    },
    Evolve {
        /// The region of the seed shader and of the result.
        region: Region,
        /// The seed shader. If absent, the region's own shader.
        seed_shader: Option<String>,
        breeding: Breeding,
        /// Whether to put the result on the map.
        place: bool,
    },
}
