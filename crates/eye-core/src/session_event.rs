//! What happens to one session, and what follows from it.

use crate::effect::Effect;
use crate::ids::{CallId, Conn, Millis};
use crate::input::Input;
use crate::newcomer::Newcomer;
use crate::policy::Policy;
use crate::state::StateQuery;
use crate::task::{Asker, Reply, Task};
use crate::then::Then;
use crate::work::{Done, Work};
use eye_protocol::messages::PageInfo;
use eye_protocol::rpc::RpcId;
use eye_protocol::state::{Change, Whole};
use eye_protocol::{Ending, Error};
use serde_json::value::RawValue;

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
    /// The page is gone: its connection closed, or its document went away.
    Left {
        /// Its connection.
        page: Conn,
    },
    /// The page tells what changed about it.
    Changed {
        /// Its connection.
        page: Conn,
        /// Only what changed.
        info: PageInfo,
    },
    /// The user changed what pages of its origin may do.
    Allowed {
        /// Its connection.
        page: Conn,
        /// What is allowed now.
        policy: Policy,
    },
    /// The page's code gave a sign of life.
    Alive {
        /// Its connection.
        page: Conn,
    },
    /// A call made the page navigate.
    Navigating {
        /// Its connection.
        page: Conn,
        /// The call.
        call: CallId,
        /// Where it goes.
        url: String,
    },
    /// The page answered.
    Answered {
        /// Its connection.
        page: Conn,
        /// The call.
        call: CallId,
        /// How it ended.
        ending: Ending,
    },
    /// The page offers tools.
    Offers {
        /// Its connection.
        page: Conn,
        /// Where it wants to be told.
        id: Option<RpcId>,
        /// Their definitions.
        tools: Vec<Box<RawValue>>,
        /// What they may take.
        room_bytes: usize,
    },
    /// The page withdraws tools.
    Withdraws {
        /// Its connection.
        page: Conn,
        /// Where it wants to be told.
        id: Option<RpcId>,
        /// Their names.
        names: Vec<String>,
    },
    /// The page says what it is capable of.
    Capable {
        /// Its connection.
        page: Conn,
        /// Of what.
        capabilities: Vec<String>,
    },
    /// The page publishes its state, whole.
    State {
        /// Its connection.
        page: Conn,
        /// The document, and its revision.
        whole: Whole,
        /// By the calendar.
        wall_ms: u64,
    },
    /// The page publishes a change of its state.
    StateChanged {
        /// Its connection.
        page: Conn,
        /// The change, and the revision it leads to.
        change: Change,
        /// By the calendar.
        wall_ms: u64,
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
    /// The page has something to say to an agent that may not be there.
    Puts {
        /// Its connection.
        page: Conn,
        /// What, as JSON text.
        message: Box<str>,
        /// What the page is called as a sender.
        from: String,
        /// By the calendar.
        wall_ms: u64,
    },
    /// An agent reads the page's messages.
    MailWanted {
        /// Where it goes.
        reply: Reply,
        /// How long to wait for the first.
        timeout_ms: Option<u64>,
    },
    /// The page tells how far a call is.
    Progressed {
        /// Its connection.
        page: Conn,
        /// The call.
        call: CallId,
        /// What it told, as JSON text.
        progress: Box<str>,
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

impl Event {
    /// Whether the session's row in the list may be another one after it.
    pub fn changes_row(&self) -> bool {
        matches!(
            self,
            Self::Joined { .. }
                | Self::Left { .. }
                | Self::Changed { .. }
                | Self::Allowed { .. }
                | Self::Offers { .. }
                | Self::Withdraws { .. }
                | Self::Worked { .. }
                | Self::Tick
        )
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
    /// Something is to be done once the work that is under way is.
    Later(Input),
}

/// What is new in a state.
#[derive(Debug)]
pub(crate) enum StateNews {
    /// The patch that led there.
    Patch(Box<RawValue>),
    /// All of it.
    Whole(Box<RawValue>),
}
