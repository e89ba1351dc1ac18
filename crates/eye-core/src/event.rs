//! What happens to the switchboard, and what follows from it.

mod input;

use crate::elsewhere::{Back, Listed, TopicsNews};
use crate::newcomer::Newcomer;
use crate::policy::Policy;
use crate::rate::Rate;
use crate::snapshots::Snapshotting;
use crate::state::StateQuery;
use crate::work::{Done, Lane};
use eye_protocol::compact::Form;
use eye_protocol::id::LineId;
use eye_protocol::messages::{Hello, PageInfo};
use eye_protocol::rpc::RpcId;
use eye_protocol::scope::Scope;
use eye_protocol::state::{Change, Whole};
use eye_protocol::topics::Publish;
use eye_protocol::{Ending, Error, SessionId};
use serde_json::value::RawValue;

/// Monotonic milliseconds. They come in with every event.
pub type Millis = u64;

/// The hub's id of a call, unique in its session. Below 2^53, because pages may read it as a JavaScript number.
pub type CallId = u64;

/// One connection. Never used twice in a hub's life, so a replaced page's late frame has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Conn(pub u64);

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
        name: Box<str>,
        /// The id of the kept result.
        id: Box<str>,
        /// What the token of that agent allows.
        scope: Scope,
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
            Self::Agent(reply) => Some(reply.agent),
            Self::Batch { agent, .. } => Some(*agent),
            Self::State { reply, .. } => reply.as_ref().map(|reply| reply.agent),
            Self::Shelf { .. } | Self::Fired { .. } => None,
        }
    }

    /// Whether the agent may see pages of an origin. `seen_by`: those of the connected ones that may.
    pub fn sees(&self, origin: &str, seen_by: &[Conn]) -> bool {
        match self {
            Self::Shelf { scope, .. } | Self::Fired { scope } => scope.sees(origin),
            Self::Agent(_) | Self::Batch { .. } | Self::State { .. } => {
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
    /// The revision that the state must have, else nothing is done: the session's, and on its way to the page the page's.
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

/// What happened.
#[derive(Debug)]
pub enum Input {
    /// A page that the gate let in said who it is.
    PageJoined {
        /// Its connection.
        page: Conn,
        /// The session it claims.
        session: SessionId,
        /// Who it is.
        who: Newcomer,
    },
    /// A page's connection is closed.
    PageLeft {
        /// Its connection.
        page: Conn,
    },
    /// A page's document goes away; its connection follows.
    PageLeaving {
        /// Its connection.
        page: Conn,
    },
    /// A page tells what changed about it.
    PageChanged {
        /// Its connection.
        page: Conn,
        /// Only what changed.
        info: PageInfo,
    },
    /// The user changed what pages of a page's origin may do.
    PageAllowed {
        /// Its connection.
        page: Conn,
        /// What is allowed now.
        policy: Policy,
    },
    /// A page's code answered a ping, or gave any other sign of life.
    PageAlive {
        /// Its connection.
        page: Conn,
    },
    /// A call made its page navigate.
    PageNavigating {
        /// Its connection.
        page: Conn,
        /// The call.
        call: CallId,
        /// Where it goes.
        url: String,
    },
    /// A page answered.
    PageAnswered {
        /// Its connection.
        page: Conn,
        /// The call.
        call: CallId,
        /// How it ended.
        ending: Ending,
    },
    /// A page offers tools.
    PageOffers {
        /// Its connection.
        page: Conn,
        /// Where it wants to be told, when it does.
        id: Option<RpcId>,
        /// Their definitions.
        tools: Vec<Box<RawValue>>,
    },
    /// A page withdraws tools.
    PageWithdraws {
        /// Its connection.
        page: Conn,
        /// Where it wants to be told, when it does.
        id: Option<RpcId>,
        /// Their names.
        names: Vec<String>,
    },
    /// A page says what it is capable of.
    PageCapable {
        /// Its connection.
        page: Conn,
        /// Of what.
        capabilities: Vec<String>,
    },
    /// A page publishes its state, whole.
    PageState {
        /// Its connection.
        page: Conn,
        /// The document, and its revision.
        whole: Whole,
        /// By the calendar.
        wall_ms: u64,
    },
    /// A page publishes a change of its state.
    PageStateChanged {
        /// Its connection.
        page: Conn,
        /// The change, and the revision it leads to.
        change: Change,
        /// By the calendar.
        wall_ms: u64,
    },
    /// An agent wants a page's state.
    GetState {
        /// Where it goes.
        reply: Reply,
        /// Of which page, when not the agent's own.
        page: Option<Box<str>>,
        /// Whether the page is asked first.
        fresh: bool,
        /// What of it.
        query: StateQuery,
    },
    /// An agent keeps the state of a page under a name, asks for those that are kept, or gives one back to the page.
    Snapshot {
        /// Where it goes.
        reply: Reply,
        /// Of which page, when not the agent's own.
        page: Option<Box<str>>,
        /// Which of these.
        wanted: Snapshotting,
    },
    /// An agent wants to hear of every change of a page's state, or no more.
    Watch {
        /// Where it is told.
        reply: Reply,
        /// Of which page, when not the agent's own.
        page: Option<Box<str>>,
        /// Whether it does.
        wanted: bool,
    },
    /// A page has something to say to an agent that may not be there.
    PagePuts {
        /// Its connection.
        page: Conn,
        /// What, as JSON text.
        message: Box<str>,
        /// By the calendar.
        wall_ms: u64,
    },
    /// An agent wants what a page had to say.
    ReadMail {
        /// Where it goes.
        reply: Reply,
        /// Of which page, when not the agent's own.
        page: Option<Box<str>>,
        /// How long to wait for the first.
        timeout_ms: Option<u64>,
    },
    /// A page or an agent publishes a message under a topic.
    Publish {
        /// Its connection.
        conn: Conn,
        /// Where it wants to be told what came of it.
        id: Option<RpcId>,
        /// The message.
        message: Publish,
        /// By the calendar.
        wall_ms: u64,
    },
    /// A page or an agent wants the messages of a topic, or no more.
    Subscribe {
        /// Its connection.
        conn: Conn,
        /// Where it wants to be told.
        id: Option<RpcId>,
        /// Which; one that ends in `*` stands for all that begin so.
        topic: String,
        /// Whether it does.
        wanted: bool,
    },
    /// A page tells how far a call is.
    PageProgress {
        /// Its connection.
        page: Conn,
        /// The call.
        call: CallId,
        /// What it told, as JSON text.
        progress: Box<str>,
    },
    /// What an agent's token allows, before anything else of it counts.
    AgentScoped {
        /// Which agent.
        agent: Conn,
        /// Its scope.
        scope: Scope,
    },
    /// How often an agent may ask, when less than every agent may.
    AgentPaced {
        /// Which agent.
        agent: Conn,
        /// How often.
        rate: Rate,
    },
    /// An agent that the gate let in.
    AgentJoined {
        /// Its connection.
        agent: Conn,
    },
    /// An agent says who it is and what holds for its calls.
    AgentHello {
        /// Its connection.
        agent: Conn,
        /// What it said.
        hello: Box<Hello>,
    },
    /// An agent's connection is closed.
    AgentLeft {
        /// Its connection.
        agent: Conn,
    },
    /// An agent's token is no longer valid: what it waits for ends with this error, and it leaves.
    AgentRevoked {
        /// Its connection.
        agent: Conn,
        /// Why.
        error: Error,
    },
    /// An agent asks a page.
    Ask {
        /// Who asks; `None` for a line frame without an id.
        agent: Conn,
        /// Where the answer goes.
        form: Option<ReplyForm>,
        /// What to do.
        task: Task,
        /// In which page, when not the agent's own.
        page: Option<Box<str>>,
        /// How long it may take.
        timeout_ms: Option<u64>,
        /// What becomes of the answer.
        mode: Mode,
    },
    /// An agent calls several tools of one page at once.
    AskBatch {
        /// Where the results go.
        reply: Reply,
        /// What to do, each with its own timeout.
        tasks: Vec<(Task, Option<u64>)>,
        /// In which page, when not the agent's own.
        page: Option<Box<str>>,
    },
    /// An agent wants to know about tools.
    Tools {
        /// Where it goes.
        reply: Reply,
        /// Of which page, when not the agent's own.
        page: Option<Box<str>>,
        /// What about them.
        query: ToolQuery,
    },
    /// An agent joins a session: its calls go there, and it hears of it.
    Join {
        /// Who.
        agent: Conn,
        /// Where it is told, when it asked.
        form: Option<ReplyForm>,
        /// Which.
        session: Box<str>,
    },
    /// An agent leaves the session it joined.
    Leave {
        /// Where it is told.
        reply: Reply,
    },
    /// An agent wants to know about a session.
    Info {
        /// Where it goes.
        reply: Reply,
        /// Which, when not its own.
        session: Option<Box<str>>,
    },
    /// An agent no longer wants an answer.
    Cancel {
        /// Who asked.
        agent: Conn,
        /// Under which id, as JSON text.
        id: Box<str>,
    },
    /// An agent wants its kept results.
    Collect {
        /// Where they go.
        reply: Reply,
        /// Which; all when empty.
        ids: Vec<Box<str>>,
        /// How long to wait for the pending ones.
        timeout_ms: Option<u64>,
    },
    /// An agent wants the list of sessions.
    List {
        /// Where it goes.
        reply: Reply,
    },
    /// An agent chooses its page.
    Use {
        /// Where the chosen row goes.
        reply: Reply,
        /// How it named the page.
        page: Box<str>,
        /// What it calls the page from now on.
        name: Option<Box<str>>,
    },
    /// An agent wants a session forgotten whose page is not there.
    Forget {
        /// Where it is told.
        reply: Reply,
        /// How it named the page.
        page: Box<str>,
    },
    /// Work is done.
    Worked {
        /// Whose order waited for it.
        lane: Lane,
        /// What came of it.
        done: Done,
    },
    /// Another hub holds a session from now on.
    Released(SessionId),
    /// The pages that other hubs hold are others now.
    Listed(Vec<Listed>),
    /// Another hub says something of what was passed on to it.
    Back(Box<Back>),
    /// Another hub says something of topics.
    Topics(Box<TopicsNews>),
    /// Time has passed.
    Tick,
    /// The hub is about to end: every wait ends now.
    Shutdown,
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
