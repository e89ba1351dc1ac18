//! What a joined page does, and what happens to it.

use crate::ids::CallId;
use crate::policy::Policy;
use eye_protocol::Ending;
use eye_protocol::messages::PageInfo;
use eye_protocol::rpc::RpcId;
use eye_protocol::state::{Change, Whole};

/// What a joined page does, and what happens to it. Switchboard and session take the same type.
#[derive(Debug)]
pub enum PageEvent {
    /// Its connection is closed.
    Left,
    /// Its document goes away; its connection follows.
    Leaving,
    /// Something about it changed; holds only what did.
    Changed(Box<PageInfo>),
    /// The user changed what pages of its origin may do.
    Allowed(Policy),
    /// Its code answered a ping, or gave any other sign of life.
    Alive,
    /// A call made it navigate.
    Navigating {
        /// The call.
        call: CallId,
        /// Where it goes.
        url: String,
    },
    /// It answered.
    Answered {
        /// The call.
        call: CallId,
        /// How it ended.
        ending: Ending,
    },
    /// It sends progress of a call.
    Progressed {
        /// The call.
        call: CallId,
        /// As JSON text.
        progress: Box<str>,
    },
    /// It offers tools.
    Offers {
        /// Where the answer goes, if it wants one.
        id: Option<RpcId>,
        /// Their definitions.
        tools: Vec<Box<str>>,
    },
    /// It withdraws tools.
    Withdraws {
        /// Where the answer goes, if it wants one.
        id: Option<RpcId>,
        /// Their names.
        names: Vec<String>,
    },
    /// It lists its capabilities.
    Capable(Vec<String>),
    /// It publishes its state, whole.
    State {
        /// The document, and its revision.
        whole: Whole,
        /// By the calendar.
        wall_ms: u64,
    },
    /// It publishes a change of its state.
    StateChanged {
        /// The change, and the revision it leads to.
        change: Change,
        /// By the calendar.
        wall_ms: u64,
    },
    /// It leaves a message for an agent that may not be there.
    Puts {
        /// As JSON text.
        message: Box<str>,
        /// By the calendar.
        wall_ms: u64,
    },
}

impl PageEvent {
    /// What it takes to let it wait: the parts that may be large.
    pub fn len_bytes(&self) -> usize {
        match self {
            Self::Answered { ending: Ok(value), .. } => value.as_text().len(),
            Self::Answered { ending: Err(error), .. } => {
                error.message.len() + error.stack.as_ref().map_or(0, String::len)
            }
            Self::Progressed { progress, .. } => progress.len(),
            Self::Offers { tools, .. } => tools.iter().map(|tool| tool.len()).sum(),
            Self::Withdraws { names, .. } => names.iter().map(String::len).sum(),
            Self::Capable(capabilities) => capabilities.iter().map(String::len).sum(),
            Self::State { whole, .. } => whole.state.len(),
            Self::StateChanged { change, .. } => change.patch.len(),
            Self::Puts { message, .. } => message.len(),
            Self::Left
            | Self::Leaving
            | Self::Changed(_)
            | Self::Allowed(_)
            | Self::Alive
            | Self::Navigating { .. } => 0,
        }
    }

    /// Whether nothing comes from the page after it.
    pub fn ends(&self) -> bool {
        matches!(self, Self::Left | Self::Leaving)
    }

    /// Whether the page's row in the list may be another one after it.
    pub(crate) fn changes_row(&self) -> bool {
        matches!(
            self,
            Self::Left
                | Self::Leaving
                | Self::Changed(_)
                | Self::Allowed(_)
                | Self::Offers { .. }
                | Self::Withdraws { .. }
        )
    }
}
