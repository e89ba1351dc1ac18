//! Events of one session, and their outcomes.

use crate::effect::Effect;
use crate::handover::Handover;
use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::lasting::{LastingLetter, LastingState};
use crate::newcomer::Newcomer;
use crate::page_event::PageEvent;
use crate::state::StateQuery;
use crate::task::{Asker, Reply, Task};
use crate::then::Then;
use crate::work::{Done, Work};
use eye_protocol::messages::PageInfo;
use eye_protocol::{Ending, Error};

#[derive(Debug)]
pub(crate) enum Event {
    /// A page claims the session.
    Joined {
        page: Conn,
        who: Newcomer,
        /// When a driven tab shows another origin: the agents whose tokens cover it.
        seen_by: Vec<Conn>,
    },
    /// An event of a joined page.
    Page {
        page: Conn,
        event: PageEvent,
        /// What only the switchboard knows of the event.
        given: Given,
    },
    /// An agent requests the list of snapshots.
    SnapshotsWanted { reply: Reply },
    /// An agent requests the state.
    StateWanted {
        reply: Reply,
        /// Whether the page is asked first.
        fresh: bool,
        query: StateQuery,
    },
    /// An agent reads the page's mailbox.
    MailWanted {
        reply: Reply,
        /// How long to wait for the first letter.
        timeout_ms: Option<u64>,
    },
    /// A call that navigated away from this session's origin arrived under another session.
    ArrivedElsewhere {
        /// The info of the page there.
        info: PageInfo,
    },
    /// Another hub holds the session: hands over what was kept of it here.
    GivenAway {
        /// The other hub's claim.
        claim: u64,
    },
    /// What another hub kept of the session has come.
    TakenOver(Box<Handover>),
    /// Its state is due to be written, so that it outlives this hub.
    StateDue,
    /// The state that outlived the session's former hub was read, or there is none.
    Recalled {
        /// The state.
        found: Option<Box<LastingState>>,
        /// The letters of its session, if they were looked for.
        letters: Option<Vec<LastingLetter>>,
    },
    /// Work that this session began is done.
    Worked {
        done: Done,
        /// What the work was for.
        then: Then,
        /// Bytes that the session's tools may take.
        room_bytes: usize,
    },
    /// An agent cancelled its request.
    Cancelled { reply: Reply },
    /// An agent's connection closed.
    AgentLeft {
        agent: Conn,
        /// The error that its calls end with, if it is still connected.
        error: Option<Error>,
    },
    /// Time has passed.
    Tick,
    /// The hub is about to end.
    Shutdown,
}

/// An agent's call of the page.
#[derive(Debug)]
pub(crate) struct SessionCall {
    pub asker: Asker,
    pub task: Task,
    /// `None`: the agent set no limit.
    pub timeout_ms: Option<u64>,
    /// Why its arguments do not fit, if they were checked and do not.
    pub unfit: Option<Box<Error>>,
}

/// What the switchboard adds to an event of a page.
#[derive(Debug)]
pub(crate) enum Given {
    Nothing,
    /// Bytes that the tools may take, for [`PageEvent::Offers`].
    RoomBytes(usize),
    /// The page's name as a sender, for [`PageEvent::Puts`].
    Sender(Box<str>),
}

impl Event {
    /// An event of a joined page, to which the switchboard adds nothing.
    pub const fn page(page: Conn, event: PageEvent) -> Self {
        Self::Page { page, event, given: Given::Nothing }
    }

    /// Whether the event may change the session's row in the list.
    pub fn changes_row(&self) -> bool {
        match self {
            Self::Page { event, .. } => event.changes_row(),
            _ => matches!(self, Self::Joined { .. } | Self::TakenOver(_) | Self::Worked { .. } | Self::Tick),
        }
    }
}

/// What follows from an event. Endings go through the switchboard, which knows shelves and order.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Passed on unchanged.
    Effect(Effect),
    /// A call ended.
    Ended {
        asker: Asker,
        ending: Ending,
        asked_at: Millis,
        /// The change of state that the call caused, when the agent asked for it and it is known.
        delta: Option<Box<str>>,
    },
    /// The tools changed.
    Tools,
    /// The state changed.
    State { revision: u64, news: StateNews },
    /// Work begins. The session's lane waits for it.
    Work {
        work: Work,
        /// What the work is for.
        then: Then,
    },
    /// Letters for an agent, which receives them when no other hub can read them.
    MailGiven {
        reply: Reply,
        /// The result for the agent, as JSON text.
        result: String,
    },
    /// An input to be handled again once the work under way is done.
    Later(Input),
}

impl Outcome {
    /// The effect, if it is one.
    pub fn into_effect(self) -> Option<Effect> {
        match self {
            Self::Effect(effect) => Some(effect),
            Self::Ended { .. }
            | Self::Tools
            | Self::State { .. }
            | Self::Work { .. }
            | Self::MailGiven { .. }
            | Self::Later(_) => None,
        }
    }
}

/// What is new in a state.
#[derive(Debug)]
pub(crate) enum StateNews {
    /// The patch that led to the new revision.
    Patch(Box<str>),
    /// The whole state.
    Whole(Box<str>),
}
