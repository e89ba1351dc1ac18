//! What a hub remembers of its sessions across a restart.

use eye_protocol::SessionId;
use eye_protocol::messages::PageInfo;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub id: SessionId,
    /// The origin that holds it.
    pub origin: Arc<str>,
    pub info: PageInfo,
    /// Whether its page offered tools.
    pub tools: bool,
    /// Whether its page published a state.
    pub state: bool,
    /// The name that a person gave the page.
    pub name: Option<Box<str>>,
}
