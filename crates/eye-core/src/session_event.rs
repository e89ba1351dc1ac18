//! What happens to one session, and what follows from it.

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

/// What happens to one session.
#[derive(Debug)]
pub(crate) enum Event {
    /// A page claims the session.
    Joined {
        /// Its connection.
        page: Conn,
        /// Who it is.
        who: Newcomer,
        /// Where a driven tab shows another origin: the agents whose tokens cover it.
        seen_by: Vec<Conn>,
    },
    /// What a page that joined does, and what happens to it.
    Page {
        /// Its connection.
        page: Conn,
        /// What.
        event: PageEvent,
        /// What only the switchboard knows of it.
        given: Given,
    },
    /// An agent asks for the states that are kept.
    SnapshotsWanted {
        /// Where it goes.
        reply: Reply,
    },
    /// An agent reads the state.
    StateWanted {
        /// Where it goes.
        reply: Reply,
        /// Whether the page is asked first.
        fresh: bool,
        /// What of it.
        query: StateQuery,
    },
    /// An agent reads the page's messages.
    MailWanted {
        /// Where it goes.
        reply: Reply,
        /// How long to wait for the first.
        timeout_ms: Option<u64>,
    },
    /// A call that navigated away from this session's origin arrived under another session.
    ArrivedElsewhere {
        /// What the page there says of itself.
        info: PageInfo,
    },
    /// An agent asks the page.
    Asked {
        /// Who waits for the answer.
        asker: Asker,
        /// What to do.
        task: Task,
        /// How long it may take, where the agent set a limit.
        timeout_ms: Option<u64>,
        /// Why its arguments do not fit, if they were checked and do not.
        unfit: Option<Error>,
    },
    /// Another hub holds the session: what was kept of it here goes there.
    GivenAway {
        /// The other hub's claim.
        claim: u64,
    },
    /// What another hub kept of the session has come.
    TakenOver(Box<Handover>),
    /// Its state is to be given out, so that it outlives this hub.
    StateDue,
    /// What outlived the hub that held the session has come, or there is nothing.
    Recalled {
        /// The state.
        found: Option<Box<LastingState>>,
        /// The letters of its session.
        letters: Vec<LastingLetter>,
    },
    /// Work that this session began is done.
    Worked {
        /// What came of it.
        done: Done,
        /// What it was for.
        then: Then,
        /// What tools may take.
        room_bytes: usize,
    },
    /// The asker no longer wants the answer.
    Cancelled {
        /// Who.
        reply: Reply,
    },
    /// An agent's connection closed.
    AgentLeft {
        /// Its connection.
        agent: Conn,
        /// How its calls end, if it is still there to be told.
        told: Option<Error>,
    },
    /// Time has passed.
    Tick,
    /// The hub is about to end.
    Shutdown,
}

/// What the switchboard adds to what a page does.
#[derive(Debug)]
pub(crate) enum Given {
    /// Nothing.
    Nothing,
    /// What tools may take, for [`PageEvent::Offers`].
    RoomBytes(usize),
    /// What the page is called as a sender, for [`PageEvent::Puts`].
    Sender(Box<str>),
}

impl Event {
    /// What a page that joined does.
    pub const fn page(page: Conn, event: PageEvent) -> Self {
        Self::Page { page, event, given: Given::Nothing }
    }

    /// Whether the session's row in the list may be another one after it.
    pub fn changes_row(&self) -> bool {
        match self {
            Self::Page { event, .. } => event.changes_row(),
            _ => matches!(self, Self::Joined { .. } | Self::TakenOver(_) | Self::Worked { .. } | Self::Tick),
        }
    }
}

/// What follows from it. Endings go through the switchboard, which knows shelves and order.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Passes out as it is.
    Effect(Effect),
    /// A call ended.
    Ended {
        /// Who waits for it.
        asker: Asker,
        /// How it ended.
        ending: Ending,
        /// When it was asked.
        asked_at: Millis,
        /// The change of state that it caused, when that was asked for and is known.
        delta: Option<Box<str>>,
    },
    /// The tools changed.
    Tools,
    /// The state changed.
    State {
        /// The revision now.
        revision: u64,
        /// What is new.
        news: StateNews,
    },
    /// Work begins, behind which the session's lane waits.
    Work {
        /// What is to be done.
        work: Work,
        /// What it is for.
        then: Then,
    },
    /// An agent gets letters when they cannot be read again.
    MailGiven {
        /// Who asked.
        reply: Reply,
        /// What it is told.
        result: String,
    },
    /// Something is to be done once the work that is under way is.
    Later(Input),
}

/// What is new in a state.
#[derive(Debug)]
pub(crate) enum StateNews {
    /// The patch that led there.
    Patch(Box<str>),
    /// All of it.
    Whole(Box<str>),
}
