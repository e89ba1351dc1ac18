//! What a hub remembers of its sessions across a restart.

use eye_protocol::SessionId;
use eye_protocol::messages::PageInfo;
use std::sync::Arc;

/// A session as a hub remembers it across a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its id.
    pub id: SessionId,
    /// The origin that holds it.
    pub origin: Arc<str>,
    /// What its page said of itself.
    pub info: PageInfo,
    /// Whether its page offered tools.
    pub tools: bool,
    /// Whether its page published a state.
    pub state: bool,
    /// What a person called it.
    pub name: Option<Box<str>>,
}
