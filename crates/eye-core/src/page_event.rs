//! Events of a joined page.

use crate::ids::CallId;
use crate::policy::Policy;
use eye_protocol::Ending;
use eye_protocol::messages::PageInfo;
use eye_protocol::rpc::RpcId;
use eye_protocol::state::{Change, WholeState};

/// An event of a joined page. Switchboard and session take the same type.
#[derive(Debug)]
pub enum PageEvent {
    /// Its connection is closed.
    Left,
    /// Its document is going away; its connection will be closed.
    Leaving,
    /// The page's info changed. Holds only the changed fields.
    Changed(Box<PageInfo>),
    /// The user changed what pages of its origin may do.
    Allowed(Policy),
    /// Its code answered a ping, or gave any other sign of life.
    Alive,
    /// A call made the page navigate.
    Navigating { call: CallId, url: String },
    /// The page answered a call.
    Answered { call: CallId, ending: Ending },
    /// The page sends progress of a call.
    Progressed {
        call: CallId,
        /// JSON text.
        progress: Box<str>,
    },
    /// The page offers tools.
    Offers {
        /// The id of the request; `None` if no answer is wanted.
        id: Option<RpcId>,
        /// Definitions, each as JSON text.
        tools: Vec<Box<str>>,
    },
    /// The page withdraws tools.
    Withdraws {
        /// The id of the request; `None` if no answer is wanted.
        id: Option<RpcId>,
        names: Vec<String>,
    },
    /// The page lists its capabilities.
    Capable(Vec<String>),
    /// The page publishes its whole state.
    State {
        whole: WholeState,
        /// Unix time in milliseconds.
        wall_ms: u64,
    },
    /// The page publishes a change of its state.
    StateChanged {
        change: Change,
        /// Unix time in milliseconds.
        wall_ms: u64,
    },
    /// The page leaves a letter for an agent that may not be there.
    Puts {
        /// JSON text.
        message: Box<str>,
        /// Unix time in milliseconds.
        wall_ms: u64,
    },
}

impl PageEvent {
    /// Bytes that the event takes while it waits: the parts that may be large.
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

    /// Whether the page sends nothing after this event.
    pub fn ends(&self) -> bool {
        matches!(self, Self::Left | Self::Leaving)
    }

    /// Whether the event may change the page's row in the list.
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
