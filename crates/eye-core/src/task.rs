//! What an agent asks of a page, who waits for the ending, and where an answer goes.

use crate::ids::Conn;
use crate::state::StateQuery;
use eye_protocol::compact::Form;
use eye_protocol::id::LineId;
use eye_protocol::rpc::RpcId;
use eye_protocol::scope::Scope;
use std::sync::Arc;

/// Where an answer goes: the connection, and the id in the form the agent wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The agent's connection.
    pub agent: Conn,
    /// Its own id.
    pub form: ReplyForm,
}

/// An agent's own id, which is how its answer is addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyForm {
    /// Of a line frame.
    Line(LineId),
    /// Of a compact JSON form.
    Compact(Form),
    /// Of a JSON-RPC request.
    Rpc(RpcId),
    /// Of a JSON-RPC request that called a tool.
    Tool(RpcId),
    /// None: the answer's place in the order of the requests. Only the switchboard makes these.
    Place(u64),
}

/// Who waits for a call's ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asker {
    /// An agent that is connected.
    Agent(Reply),
    /// The shelf of an agent, by its name, under an id.
    Shelf {
        /// The agent's name.
        name: Arc<str>,
        /// The id of the kept result.
        id: Box<str>,
        /// What the token of that agent allows.
        scope: Scope,
    },
    /// An agent, for an outline that gets the lines of frames: this is a part of it.
    Framed {
        /// Where the outline goes.
        reply: Reply,
        /// Which outline.
        outline: u64,
        /// Which part of it; the first is the page itself.
        at: usize,
    },
    /// A `tools/callBatch`, as one of its calls.
    Batch {
        /// The agent's connection.
        agent: Conn,
        /// Which batch.
        batch: u64,
        /// Which of its calls.
        at: usize,
    },
    /// An agent that wants the state, or the session itself, to heal a gap.
    State {
        /// Where it goes; `None` for the session itself.
        reply: Option<Reply>,
        /// What of it.
        query: StateQuery,
    },
    /// No answer is wanted.
    Fired {
        /// What the token of the agent allows.
        scope: Scope,
    },
}

impl Asker {
    /// The connection that waits, if one does.
    pub fn agent(&self) -> Option<Conn> {
        match self {
            Self::Agent(reply) | Self::Framed { reply, .. } => Some(reply.agent),
            Self::Batch { agent, .. } => Some(*agent),
            Self::State { reply, .. } => reply.as_ref().map(|reply| reply.agent),
            Self::Shelf { .. } | Self::Fired { .. } => None,
        }
    }

    /// Where the answer to its request goes, if it is one request of an agent.
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Agent(reply) | Self::Framed { reply, .. } => Some(reply),
            Self::Batch { .. } | Self::State { .. } | Self::Shelf { .. } | Self::Fired { .. } => None,
        }
    }

    /// Whether it waits for a frame's part of an outline, which takes no longer than it is given.
    pub fn is_frame(&self) -> bool {
        matches!(self, Self::Framed { at: 1.., .. })
    }

    /// Whether the agent may see pages of an origin. `seen_by`: those of the connected ones that may.
    pub fn sees(&self, origin: &str, seen_by: &[Conn]) -> bool {
        match self {
            Self::Shelf { scope, .. } | Self::Fired { scope } => scope.sees(origin),
            Self::Agent(_) | Self::Framed { .. } | Self::Batch { .. } | Self::State { .. } => {
                self.agent().is_some_and(|agent| seen_by.contains(&agent))
            }
        }
    }
}

/// What becomes of a call's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It goes to the asker.
    Answer,
    /// There is none. With a reply, the asker learns that the call was handed over.
    Fire,
    /// It is kept, under this id if one is given.
    Keep(Option<Box<str>>),
}

/// What a call has to do with the state of its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Whether the answer is to carry the change of state that it caused.
    pub delta: bool,
    /// The revision that the state must have, else nothing is done: the session's, and on its way to the page the
    /// page's.
    pub if_revision: Option<u64>,
}

/// What a page is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Evaluate code.
    Eval {
        /// The code.
        code: String,
        /// A frame of the page, when not the page itself.
        frame: Option<Box<str>>,
        /// What it has to do with the state.
        terms: Terms,
    },
    /// Call a tool.
    Tool {
        /// Which.
        name: Box<str>,
        /// With what, as JSON text.
        arguments: Box<str>,
        /// That a person wants it, where the policy asks for that.
        confirmed: bool,
        /// What it has to do with the state.
        terms: Terms,
    },
    /// Do what one of the page client's verbs does.
    Verb {
        /// Which, as a method: `page/look`.
        method: Box<str>,
        /// With what, as the text of a JSON object.
        params: Box<str>,
        /// Whether it may run twice: then it outlives a reload.
        again: bool,
        /// What it has to do with the state.
        terms: Terms,
    },
    /// Tell its state.
    State,
}

impl Task {
    /// What it takes to keep it waiting.
    pub fn len_bytes(&self) -> usize {
        match self {
            Self::Eval { code, .. } => code.len(),
            Self::Tool { name, arguments, .. } => name.len() + arguments.len(),
            Self::Verb { method, params, .. } => method.len() + params.len(),
            Self::State => 0,
        }
    }

    /// What it has to do with the state.
    pub fn terms(&self) -> Terms {
        match self {
            Self::Eval { terms, .. } | Self::Tool { terms, .. } | Self::Verb { terms, .. } => *terms,
            Self::State => Terms::default(),
        }
    }

    /// The same, to be changed.
    pub fn terms_mut(&mut self) -> Option<&mut Terms> {
        match self {
            Self::Eval { terms, .. } | Self::Tool { terms, .. } | Self::Verb { terms, .. } => Some(terms),
            Self::State => None,
        }
    }

    /// Whether it outlives a reload of its page.
    pub fn may_run_again(&self) -> bool {
        matches!(self, Self::Verb { again: true, .. })
    }
}

/// What an agent wants to know about tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolQuery {
    /// All, or those whose name or description holds the text.
    List(Option<String>),
    /// One, by its name.
    Get(String),
}

/// What an agent that joined a session hears of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// Its tools changed: all of them, as a JSON array.
    Tools(String),
    /// Its page is gone.
    PageGone,
    /// Its page is back.
    PageBack,
    /// Its state changed: the revision, and the patch or the whole document as JSON text.
    State {
        /// The revision now.
        revision: u64,
        /// Whether `json` is a patch, not the whole.
        patch: bool,
        /// JSON text.
        json: String,
    },
}
