//! The inputs of the switchboard.

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

#[derive(Debug)]
pub enum Input {
    /// A page that the gate let in joins a session.
    PageJoined {
        page: Conn,
        /// The session it claims.
        session: SessionId,
        who: Box<Newcomer>,
    },
    /// An event of a joined page.
    Page { conn: Conn, event: PageEvent },
    /// An agent requests a page's state.
    GetState {
        reply: Reply,
        /// `None`: the agent's own page.
        page: Option<Box<str>>,
        /// Whether the page is asked first.
        fresh: bool,
        query: StateQuery,
    },
    /// An agent saves a page's state under a name, lists what is saved, or restores a saved state to the page.
    Snapshot {
        reply: Reply,
        /// `None`: the agent's own page.
        page: Option<Box<str>>,
        wanted: Snapshotting,
    },
    /// An agent starts or stops watching a page's state.
    Watch {
        reply: Reply,
        /// `None`: the agent's own page.
        page: Option<Box<str>>,
        /// `false`: stop.
        wanted: bool,
        /// Whether the agent watched the page at another hub before, and may have missed changes.
        renewed: bool,
    },
    /// An agent reads a page's mailbox.
    ReadMail {
        reply: Reply,
        /// `None`: the agent's own page.
        page: Option<Box<str>>,
        /// How long to wait for the first letter.
        timeout_ms: Option<u64>,
    },
    /// A page or an agent publishes a message under a topic.
    Publish {
        conn: Conn,
        /// The id of the request; `None` if no answer is wanted.
        id: Option<RpcId>,
        message: Publish,
        /// Unix time in milliseconds.
        wall_ms: u64,
    },
    /// A page or an agent subscribes to a topic, or unsubscribes.
    Subscribe {
        conn: Conn,
        /// The id of the request; `None` if no answer is wanted.
        id: Option<RpcId>,
        /// A topic, or a prefix of topics followed by `*`.
        topic: String,
        /// `false`: unsubscribe.
        wanted: bool,
    },
    /// The scope of an agent's token, before any other input of the agent.
    AgentScoped { agent: Conn, scope: Scope },
    /// A rate limit for an agent, lower than every agent's.
    AgentPaced { agent: Conn, rate: Rate },
    /// An agent that the gate let in is connected.
    AgentJoined { agent: Conn },
    /// An agent's hello: its name and the defaults of its calls.
    AgentHello { agent: Conn, hello: Box<Hello> },
    /// An agent's connection is closed.
    AgentLeft { agent: Conn },
    /// An agent's token is no longer valid: its requests end with this error, and it leaves.
    AgentRevoked { agent: Conn, error: Error },
    /// An agent calls a page.
    Ask {
        agent: Conn,
        /// Where the answer goes; `None` for a line frame without an id.
        form: Option<ReplyForm>,
        task: Task,
        /// `None`: the agent's own page.
        page: Option<Box<str>>,
        /// `None`: the agent's default.
        timeout_ms: Option<u64>,
        /// What happens to the answer.
        mode: Mode,
    },
    /// An agent calls several tools of one page at once.
    AskBatch {
        reply: Reply,
        /// Each with its own timeout.
        tasks: Vec<(Task, Option<u64>)>,
        /// `None`: the agent's own page.
        page: Option<Box<str>>,
    },
    /// An agent lists the tools of a page, or requests one.
    Tools {
        reply: Reply,
        /// `None`: the agent's own page.
        page: Option<Box<str>>,
        query: ToolQuery,
    },
    /// An agent joins a session: its calls go there, and it receives the session's news.
    Join {
        agent: Conn,
        /// `None`: no answer is wanted.
        form: Option<ReplyForm>,
        session: Box<str>,
        /// It had joined the page at another hub: it is sent what it may have missed.
        renewed: bool,
    },
    /// An agent leaves the session it joined.
    Leave { reply: Reply },
    /// An agent requests the facts of a session.
    Info {
        reply: Reply,
        /// `None`: the agent's own page.
        session: Option<Box<str>>,
    },
    /// An agent cancels a request.
    Cancel {
        agent: Conn,
        /// The id of the request, as JSON text.
        id: Box<str>,
    },
    /// An agent collects its kept results.
    Collect {
        reply: Reply,
        /// All of them when empty.
        ids: Vec<Box<str>>,
        /// How long to wait for results that are pending.
        timeout_ms: Option<u64>,
    },
    /// An agent requests the list of sessions.
    List { reply: Reply },
    /// An agent chooses its page.
    Use {
        reply: Reply,
        /// The agent's words for the page.
        page: Box<str>,
        /// The new name of the page.
        name: Option<Box<str>>,
    },
    /// An agent forgets a session whose page is not there.
    Forget {
        reply: Reply,
        /// The agent's words for the page.
        page: Box<str>,
    },
    /// The result of [`Effect::Work`](crate::Effect::Work).
    Worked {
        /// The lane that waited for the work.
        lane: Lane,
        done: Done,
    },
    /// Another hub holds a session from now on.
    Released {
        session: SessionId,
        /// Receives what was kept of the session here, if set.
        heir: Option<Heir>,
    },
    /// What the hub that held the session before has kept of it, or a handover of this hub that could not be delivered.
    HandedOver(Box<Handover>),
    /// The result of a recall: what outlived the hub of a session.
    Recalled(Box<Recalled>),
    /// A request to write out the states and letters of all pages here, so that they outlive this hub.
    StatesWanted,
    /// The letters can no longer be read by others: the agent that requested them gets them.
    MailGiven(Box<GivenMail>),
    /// Changes in the list of pages that other hubs hold.
    Listed(Vec<Listed>),
    /// The lookup of a word has ended. Pages that the word may mean are listed now.
    LookedUp {
        word: Box<str>,
        /// Whether the lookup is complete. `false`: it could not be completed now.
        known: bool,
    },
    /// The page of a session has come from another hub, which this hub learned only now.
    CameOver(SessionId),
    /// A report of another hub on what was passed on to it.
    Back(Box<Back>),
    /// A report of another hub on topics.
    Topics(Box<TopicsNews>),
    /// Time has passed.
    Tick,
    /// The hub is about to end: every wait ends now.
    Shutdown,
}

/// Who an input is from, and whether it asks about a page.
enum Source<'a> {
    /// A request of an agent about a page.
    AboutPage {
        agent: Conn,
        /// `None`: no answer is wanted.
        form: Option<&'a ReplyForm>,
        /// The agent's words for the page. `None`: its own page.
        words: Option<&'a str>,
    },
    /// Anything else that a page or an agent sent or did.
    Peer(Conn),
    /// The hub itself, or another hub.
    Hub,
}

impl<'a> Source<'a> {
    fn about_page(reply: &'a Reply, words: Option<&'a str>) -> Self {
        Self::AboutPage { agent: reply.agent, form: Some(&reply.form), words }
    }
}

impl Input {
    pub const fn page(conn: Conn, event: PageEvent) -> Self {
        Self::Page { conn, event }
    }

    /// The connection that the input came from.
    pub fn conn(&self) -> Option<Conn> {
        match self.source() {
            Source::AboutPage { agent, .. } => Some(agent),
            Source::Peer(conn) => Some(conn),
            Source::Hub => None,
        }
    }

    /// Where a request about a page is answered. `None`: it wants no answer, or is about no page.
    pub(crate) fn reply(&self) -> Option<Reply> {
        match self.source() {
            Source::AboutPage { agent, form, .. } => form.cloned().map(|form| Reply { agent, form }),
            Source::Peer(_) | Source::Hub => None,
        }
    }

    /// The agent, and its words for a page. Without words it means its own page.
    pub(crate) fn page_request(&self) -> Option<(Conn, Option<&str>)> {
        match self.source() {
            Source::AboutPage { agent, words, .. } => Some((agent, words)),
            Source::Peer(_) | Source::Hub => None,
        }
    }

    /// Whether a word may mean another page afterwards. Calls and their answers change neither pages nor names.
    pub(crate) fn may_rename(&self) -> bool {
        !matches!(self, Self::Ask { .. } | Self::AskBatch { .. } | Self::Back(_))
    }

    /// Sorts every input into its group.
    fn source(&self) -> Source<'_> {
        match self {
            Self::Ask { agent, form, page, .. } => {
                Source::AboutPage { agent: *agent, form: form.as_ref(), words: page.as_deref() }
            }
            Self::Join { agent, form, session, .. } => {
                Source::AboutPage { agent: *agent, form: form.as_ref(), words: Some(session) }
            }
            Self::AskBatch { reply, page, .. }
            | Self::Tools { reply, page, .. }
            | Self::GetState { reply, page, .. }
            | Self::Snapshot { reply, page, .. }
            | Self::Watch { reply, page, .. }
            | Self::ReadMail { reply, page, .. }
            | Self::Info { reply, session: page } => Source::about_page(reply, page.as_deref()),
            Self::Use { reply, page, .. } | Self::Forget { reply, page } => Source::about_page(reply, Some(page)),
            Self::PageJoined { page: conn, .. }
            | Self::Page { conn, .. }
            | Self::Publish { conn, .. }
            | Self::Subscribe { conn, .. }
            | Self::AgentJoined { agent: conn }
            | Self::AgentHello { agent: conn, .. }
            | Self::AgentScoped { agent: conn, .. }
            | Self::AgentPaced { agent: conn, .. }
            | Self::AgentLeft { agent: conn }
            | Self::AgentRevoked { agent: conn, .. }
            | Self::Cancel { agent: conn, .. } => Source::Peer(*conn),
            Self::Leave { reply } | Self::Collect { reply, .. } | Self::List { reply } => Source::Peer(reply.agent),
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
            | Self::Shutdown => Source::Hub,
        }
    }

    /// Bytes that the input takes while it waits: the parts that may be large.
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
