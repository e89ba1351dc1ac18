//! Tasks for pages, what waits for their endings, and where answers go.

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
    pub agent: Conn,
    pub form: ReplyForm,
}

/// An agent's own id of a request, by which the answer is addressed.
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
    /// No id: the answer's place in the order of the requests. Only the switchboard makes these.
    Place(u64),
}

/// What waits for a call's ending.
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
        /// What the agent's token allows.
        scope: Scope,
    },
    /// An agent, for one part of an outline that includes frames.
    Framed {
        reply: Reply,
        outline: u64,
        /// Position of the part; the first is the page itself.
        at: usize,
    },
    /// One call of a `tools/callBatch`.
    Batch {
        agent: Conn,
        batch: u64,
        /// Position of the call in the batch.
        at: usize,
    },
    /// An agent that requested the state, or the session itself after it missed a change.
    State {
        /// `None`: the session itself.
        reply: Option<Reply>,
        query: StateQuery,
    },
    /// No answer is wanted.
    Fired {
        /// What the agent's token allows.
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

    /// Where the answer goes, if this is one request of an agent.
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Agent(reply) | Self::Framed { reply, .. } => Some(reply),
            Self::Batch { .. } | Self::State { .. } | Self::Shelf { .. } | Self::Fired { .. } => None,
        }
    }

    /// Whether it is a frame's part of an outline, which takes no longer than the time that it is given.
    pub fn is_frame(&self) -> bool {
        matches!(self, Self::Framed { at: 1.., .. })
    }

    /// Whether the agent may see pages of an origin. `seen_by`: the connected agents that may.
    pub fn sees(&self, origin: &str, seen_by: &[Conn]) -> bool {
        match self {
            Self::Shelf { scope, .. } | Self::Fired { scope } => scope.sees(origin),
            Self::Agent(_) | Self::Framed { .. } | Self::Batch { .. } | Self::State { .. } => {
                self.agent().is_some_and(|agent| seen_by.contains(&agent))
            }
        }
    }
}

/// What happens to a call's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It goes to the asker.
    Answer,
    /// There is none. With a reply, the agent learns that the call was dispatched.
    Fire,
    /// It is kept, under this id if one is given.
    Keep(Option<Box<str>>),
}

/// What a call requires and reports of the state of its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Whether the answer is to carry the change of state that the call caused.
    pub delta: bool,
    /// The revision that the state must have, or else nothing is done. It is the session's number; on its way to the
    /// page, the page's own.
    pub if_revision: Option<u64>,
}

/// A task for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Evaluate code.
    Eval {
        code: String,
        /// A frame of the page; `None` for the page itself.
        frame: Option<Box<str>>,
        terms: Terms,
    },
    /// Call a tool.
    Tool {
        name: Box<str>,
        /// JSON text.
        arguments: Box<str>,
        /// Whether a person confirmed the call, where the policy asks for that.
        confirmed: bool,
        terms: Terms,
    },
    /// Run one of the page client's verbs.
    Verb {
        /// A method, such as `page/look`.
        method: Box<str>,
        /// The text of a JSON object.
        params: Box<str>,
        /// Whether it may run twice: then it outlives a reload.
        again: bool,
        terms: Terms,
    },
    /// Send the state.
    State,
}

impl Task {
    /// Bytes that the task takes while it waits.
    pub fn len_bytes(&self) -> usize {
        match self {
            Self::Eval { code, .. } => code.len(),
            Self::Tool { name, arguments, .. } => name.len() + arguments.len(),
            Self::Verb { method, params, .. } => method.len() + params.len(),
            Self::State => 0,
        }
    }

    pub fn terms(&self) -> Terms {
        match self {
            Self::Eval { terms, .. } | Self::Tool { terms, .. } | Self::Verb { terms, .. } => *terms,
            Self::State => Terms::default(),
        }
    }

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

/// What an agent requests about tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolQuery {
    /// All, or those whose name or description holds the text.
    List(Option<String>),
    /// One, by its name.
    Get(String),
}

/// News of a session, for agents that joined or watch it.
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
        revision: u64,
        /// Whether `json` is a patch. `false`: the whole document.
        patch: bool,
        json: String,
    },
}
