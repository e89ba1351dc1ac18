//! Pages that other hubs hold: a row for each. Does not know how hubs reach each other.

use crate::ids::{Conn, Millis};
use crate::task::{Asker, News, Reply};
use eye_protocol::messages::{Presence, SessionRow};
use eye_protocol::scope::Scope;
use eye_protocol::{Ending, Error, SessionId};
use std::sync::Arc;

/// A page that another hub holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageElsewhere {
    /// Its session.
    pub id: SessionId,
    /// The name of the hub that holds it.
    pub hub: Arc<str>,
    /// The origin that holds the session.
    pub origin: Arc<str>,
    /// What a person called it.
    pub name: Option<Box<str>>,
    /// The name its author gave it.
    pub alias: Option<Box<str>>,
    /// Its title.
    pub title: Box<str>,
    /// Its URL.
    pub url: Box<str>,
    /// Where the page is.
    pub presence: Presence,
    /// Whether a person can see it.
    pub visible: bool,
    /// Whether it is a frame inside another page.
    pub frame: bool,
    /// Whether it evaluates code.
    pub eval: bool,
    /// How many tools it offers.
    pub tools: u32,
    /// The highest ref that the page has given to agents.
    pub last_ref: Option<u32>,
    /// When this hub heard of it.
    pub heard_at: Millis,
}

/// A session here whose row may have changed; `None` when it has no page that is there or expected.
pub type ChangedRow = (SessionId, Option<RowHere>);

/// The row of a session here.
#[derive(Clone, Debug)]
pub struct RowHere {
    /// What others list.
    pub row: SessionRow,
    /// The highest ref that its page has given to agents.
    pub last_ref: Option<u32>,
    /// The connection of its page. Another one than before: the page has left and come again.
    pub page: Option<Conn>,
}

/// What changed in the list of pages that other hubs hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// A page is there, or is another than before. The link to other hubs keeps it too: there may be many.
    There(Arc<PageElsewhere>),
    /// A page is there no more.
    Gone(SessionId),
    /// A page is not listed any more, though it may be there.
    LeftOut(SessionId),
    /// Whether all pages of other hubs are listed. Where they are not, others are looked up.
    All(bool),
    /// The hub of this name no longer knows who watches its pages: it lost its link, or took this hub for dead.
    Unwatched(Arc<str>),
}

/// What another hub needs to know of the agent for whom it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its connection here.
    pub agent: Conn,
    /// Its name.
    pub name: Arc<str>,
    /// What its token allows.
    pub scope: Scope,
    /// The frame its calls are evaluated in.
    pub frame: Option<Box<str>>,
}

/// What another hub says of a request that was passed on.
#[derive(Debug)]
pub enum Back {
    /// A call has ended.
    Ended {
        /// Who waits for it.
        asker: Asker,
        /// How it ended.
        ending: Ending,
        /// The change of state that it caused.
        delta: Option<Box<str>>,
        /// When it was passed on.
        asked_at: Millis,
    },
    /// A request that is no call has its result.
    Result {
        /// Where it goes.
        reply: Reply,
        /// What came of it.
        result: Result<String, Error>,
    },
    /// A call got further.
    Progress {
        /// Whose, and which.
        reply: Reply,
        /// How far, as JSON text.
        progress: Box<str>,
    },
    /// An agent hears of a session that it joined or watches.
    News {
        /// Its connection.
        agent: Conn,
        /// Which session.
        session: SessionId,
        /// What.
        news: News,
    },
}

/// A topic that has a listener at a hub.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Interest {
    /// A topic, or a beginning of topics with `*`.
    pub pattern: Box<str>,
    /// Who listens.
    pub listener: HeardBy,
}

/// Who listens to a topic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HeardBy {
    /// An agent.
    Agent,
    /// An agent whose token sees pages of this origin.
    AgentOf(Box<str>),
    /// A page of this origin.
    Page(Box<str>),
    /// A page of this origin that shares the topic with pages of others.
    Sharing(Box<str>),
}

/// An interest that has its first listener here, or has lost its last.
pub type ChangedInterest = (Interest, bool);

/// What another hub listens to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HubInterests {
    /// This, and nothing else.
    All(Vec<Interest>),
    /// What changed since.
    Changed(Vec<ChangedInterest>),
    /// The hub is gone.
    Gone,
}

/// Which pages hear a message. Agents hear all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// No page.
    Agents,
    /// Pages of one origin, and those that share the topic.
    Origin(Box<str>),
    /// Every page.
    Everyone,
}

/// A message that was published at one hub and is heard at another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicMessage {
    /// Its topic.
    pub topic: Box<str>,
    /// What listeners are told, as JSON text.
    pub params: Arc<str>,
    /// The publisher's origin, if it is a page.
    pub origin: Option<Box<str>>,
    /// What the publisher's token allows.
    pub scope: Scope,
    /// Which pages hear it.
    pub audience: Audience,
    /// How long it waits where it has no listener after all. 0: not at all.
    pub wait_ms: u64,
}

/// What another hub says of topics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicsNews {
    /// What it listens to is something else now.
    Interests {
        /// The hub's life.
        hub: Arc<str>,
        /// What it listens to.
        interests: HubInterests,
    },
    /// A message was published there.
    Published(TopicMessage),
}
