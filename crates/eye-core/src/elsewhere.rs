//! Types for what hubs exchange: pages, passed requests and topics. Does not know how hubs reach each other.

use crate::ids::{Conn, Millis};
use crate::task::{Asker, News, Reply};
use eye_protocol::messages::{Presence, SessionRow};
use eye_protocol::scope::Scope;
use eye_protocol::{Ending, Error, SessionId};
use std::sync::Arc;

/// A page that another hub holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageElsewhere {
    pub id: SessionId,
    /// The name of the hub that holds the page.
    pub hub: Arc<str>,
    /// The origin that holds the session.
    pub origin: Arc<str>,
    /// The name that a person gave the page.
    pub name: Option<Box<str>>,
    /// The name its author gave it.
    pub alias: Option<Box<str>>,
    pub title: Box<str>,
    pub url: Box<str>,
    pub presence: Presence,
    /// Whether a person can see it.
    pub visible: bool,
    /// Whether it is a frame inside another page.
    pub frame: bool,
    /// Whether it evaluates code.
    pub eval: bool,
    pub tools: u32,
    /// The highest ref that the page has given to agents.
    pub last_ref: Option<u32>,
    /// When this hub learned of the page.
    pub heard_at: Millis,
}

/// A session here whose row may have changed; `None` when it has no page that is there or expected.
pub type ChangedRow = (SessionId, Option<RowHere>);

/// The row of a session here.
#[derive(Clone, Debug)]
pub struct RowHere {
    /// The row that other hubs list.
    pub row: SessionRow,
    /// The highest ref that its page has given to agents.
    pub last_ref: Option<u32>,
    /// The connection of its page. If it differs from the one before, the page has left and come again.
    pub page: Option<Conn>,
}

/// What changed in the list of pages that other hubs hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// A page is new or has changed. The link to other hubs shares the row: there may be many.
    There(Arc<PageElsewhere>),
    Gone(SessionId),
    /// A page is not listed any more, though it may be there.
    LeftOut(SessionId),
    /// Whether all pages of other hubs are listed. If not, an unlisted page is looked up when it is named.
    All(bool),
    /// The hub of this name no longer knows which agents watch its pages: it lost its link, or took this hub for dead.
    Unwatched(Arc<str>),
}

/// What another hub needs to know of the agent that makes a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The agent's connection at the hub that it is connected to.
    pub agent: Conn,
    pub name: Arc<str>,
    pub scope: Scope,
    /// The frame the agent's calls are evaluated in.
    pub frame: Option<Box<str>>,
}

/// A report of another hub on a request that was passed on.
#[derive(Debug)]
pub enum Back {
    /// A call has ended.
    Ended {
        asker: Asker,
        ending: Ending,
        /// The change of state that the call caused.
        delta: Option<Box<str>>,
        /// When the call was passed on.
        asked_at: Millis,
    },
    /// The result of a request that is not a call.
    Result { reply: Reply, result: Result<String, Error> },
    /// Progress of a call.
    Progress {
        reply: Reply,
        /// JSON text.
        progress: Box<str>,
    },
    /// News for an agent of a session that it joined or watches.
    News { agent: Conn, session: SessionId, news: News },
}

/// A topic that has a listener at a hub.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Interest {
    /// A topic, or a prefix of topics followed by `*`.
    pub pattern: Box<str>,
    pub listener: HeardBy,
}

/// Which kind of connection listens to a topic.
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

/// An interest that has its first listener here (`true`), or has lost its last (`false`).
pub type ChangedInterest = (Interest, bool);

/// The interests of another hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HubInterests {
    /// The complete list.
    All(Vec<Interest>),
    /// Changes since the last report.
    Changed(Vec<ChangedInterest>),
    /// The hub is gone.
    Gone,
}

/// Which pages receive a message. It does not limit agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// No page.
    Agents,
    /// Pages of one origin, and those that share the topic.
    Origin(Box<str>),
    /// Every page.
    Everyone,
}

/// A message that was published at one hub and has listeners at another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicMessage {
    pub topic: Box<str>,
    /// The params of the notification that listeners receive, as JSON text.
    pub params: Arc<str>,
    /// The publisher's origin, if it is a page.
    pub origin: Option<Box<str>>,
    /// What the publisher's token allows.
    pub scope: Scope,
    pub audience: Audience,
    /// How long the message is queued where it turns out to have no listener. 0: not at all.
    pub wait_ms: u64,
}

/// A report of another hub on topics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicsNews {
    /// The interests of the other hub changed.
    Interests {
        /// Id of the hub, new with each run.
        hub: Arc<str>,
        interests: HubInterests,
    },
    /// A message was published at the other hub.
    Published(TopicMessage),
}
