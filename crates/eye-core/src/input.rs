//! What happens to the switchboard.

use crate::elsewhere::{Back, Listed, TopicsNews};
use crate::handover::{Handover, Heir};
use crate::ids::Conn;
use crate::lasting::{GivenMail, Recalled};
use crate::newcomer::Newcomer;
use crate::page_event::PageEvent;
use crate::rate::Rate;
use crate::snapshots::Snapshotting;
use crate::state::StateQuery;
use crate::task::{Mode, Reply, ReplyForm, Task, ToolQuery};
use crate::work::{Done, Lane};
use eye_protocol::messages::Hello;
use eye_protocol::rpc::RpcId;
use eye_protocol::scope::Scope;
use eye_protocol::topics::Publish;
use eye_protocol::{Error, SessionId};

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
        who: Box<Newcomer>,
    },
    /// What a joined page does, and what happens to it.
    Page {
        /// Its connection.
        conn: Conn,
        /// What.
        event: PageEvent,
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
        /// It watched the page at another hub before, and may have missed something.
        renewed: bool,
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
    Released {
        /// Which.
        session: SessionId,
        /// Who gets what was kept of it here, if anyone does.
        heir: Option<Heir>,
    },
    /// What the hub kept that held a session before, or what could not be given to the one that holds it now.
    HandedOver(Box<Handover>),
    /// What came of looking for a state that outlived its hub.
    Recalled(Box<Recalled>),
    /// The states and letters of all pages here are to be given out, so that they outlive this hub.
    StatesWanted,
    /// Letters cannot be read again: the agent that asked gets them.
    MailGiven(Box<GivenMail>),
    /// The pages that other hubs hold are others now.
    Listed(Vec<Listed>),
    /// A word that stands for a page was looked up. What it may mean has been listed.
    LookedUp {
        /// Which word.
        word: Box<str>,
        /// Whether that is all; otherwise it cannot be known now.
        known: bool,
    },
    /// The page of a session has come from another hub, which is known only now.
    CameOver(SessionId),
    /// Another hub says something of what was passed on to it.
    Back(Box<Back>),
    /// Another hub says something of topics.
    Topics(Box<TopicsNews>),
    /// Time has passed.
    Tick,
    /// The hub is about to end: every wait ends now.
    Shutdown,
}

impl Input {
    /// What a joined page does, and what happens to it.
    pub const fn page(conn: Conn, event: PageEvent) -> Self {
        Self::Page { conn, event }
    }

    /// The connection that it came from.
    pub fn conn(&self) -> Option<Conn> {
        match self {
            Self::PageJoined { page, .. } => Some(*page),
            Self::Page { conn, .. } | Self::Publish { conn, .. } | Self::Subscribe { conn, .. } => Some(*conn),
            Self::AgentJoined { agent }
            | Self::AgentHello { agent, .. }
            | Self::AgentScoped { agent, .. }
            | Self::AgentPaced { agent, .. }
            | Self::AgentLeft { agent }
            | Self::AgentRevoked { agent, .. }
            | Self::Ask { agent, .. }
            | Self::Join { agent, .. }
            | Self::Cancel { agent, .. } => Some(*agent),
            Self::GetState { reply, .. }
            | Self::Snapshot { reply, .. }
            | Self::Watch { reply, .. }
            | Self::ReadMail { reply, .. }
            | Self::AskBatch { reply, .. }
            | Self::Tools { reply, .. }
            | Self::Leave { reply }
            | Self::Info { reply, .. }
            | Self::Collect { reply, .. }
            | Self::List { reply }
            | Self::Use { reply, .. }
            | Self::Forget { reply, .. } => Some(reply.agent),
            Self::Worked { .. }
            | Self::Released { .. }
            | Self::HandedOver(_)
            | Self::Recalled(_)
            | Self::StatesWanted
            | Self::MailGiven(_)
            | Self::Listed(_)
            | Self::LookedUp { .. }
            | Self::CameOver(_)
            | Self::Back(_)
            | Self::Topics(_)
            | Self::Tick
            | Self::Shutdown => None,
        }
    }

    /// Where it is answered; `None`: nowhere.
    pub(crate) fn reply(&self) -> Option<Reply> {
        match self {
            Self::Ask { agent, form, .. } | Self::Join { agent, form, .. } => {
                form.clone().map(|form| Reply { agent: *agent, form })
            }
            Self::GetState { reply, .. }
            | Self::Snapshot { reply, .. }
            | Self::Watch { reply, .. }
            | Self::ReadMail { reply, .. }
            | Self::AskBatch { reply, .. }
            | Self::Tools { reply, .. }
            | Self::Info { reply, .. }
            | Self::Use { reply, .. }
            | Self::Forget { reply, .. } => Some(reply.clone()),
            _ => None,
        }
    }

    /// Who asks for which page; without a word for it, for the agent's own.
    pub(crate) fn asks(&self) -> Option<(Conn, Option<&str>)> {
        match self {
            Self::Ask { agent, page, .. } => Some((*agent, page.as_deref())),
            Self::AskBatch { reply, page, .. }
            | Self::Tools { reply, page, .. }
            | Self::GetState { reply, page, .. }
            | Self::Snapshot { reply, page, .. }
            | Self::Watch { reply, page, .. }
            | Self::ReadMail { reply, page, .. }
            | Self::Info { reply, session: page } => Some((reply.agent, page.as_deref())),
            Self::Join { agent, session, .. } => Some((*agent, Some(session))),
            Self::Use { reply, page, .. } | Self::Forget { reply, page } => Some((reply.agent, Some(page))),
            _ => None,
        }
    }

    /// What it takes to let it wait: the parts that may be large.
    pub fn len_bytes(&self) -> usize {
        match self {
            Self::Page { event, .. } => event.len_bytes(),
            Self::Publish { message, .. } => message.message.get().len(),
            Self::Ask { task, .. } => task.len_bytes(),
            Self::AskBatch { tasks, .. } => tasks.iter().map(|(task, _)| task.len_bytes()).sum(),
            Self::Collect { ids, .. } => ids.iter().map(|id| id.len()).sum(),
            Self::HandedOver(handover) => handover.len_bytes(),
            Self::Recalled(recalled) => recalled.len_bytes(),
            Self::PageJoined { .. }
            | Self::GetState { .. }
            | Self::Snapshot { .. }
            | Self::Watch { .. }
            | Self::ReadMail { .. }
            | Self::Subscribe { .. }
            | Self::AgentJoined { .. }
            | Self::AgentHello { .. }
            | Self::AgentScoped { .. }
            | Self::AgentPaced { .. }
            | Self::AgentLeft { .. }
            | Self::AgentRevoked { .. }
            | Self::Tools { .. }
            | Self::Join { .. }
            | Self::Leave { .. }
            | Self::Info { .. }
            | Self::Cancel { .. }
            | Self::List { .. }
            | Self::Use { .. }
            | Self::Forget { .. }
            | Self::Worked { .. }
            | Self::Released { .. }
            | Self::StatesWanted
            | Self::MailGiven(_)
            | Self::Listed(_)
            | Self::LookedUp { .. }
            | Self::CameOver(_)
            | Self::Back(_)
            | Self::Topics(_)
            | Self::Tick
            | Self::Shutdown => 0,
        }
    }
}
