//! A page that claims a session.

use crate::policy::Policy;
use eye_protocol::messages::PageInfo;
use std::sync::Arc;

#[derive(Debug)]
pub struct Newcomer {
    pub origin: Arc<str>,
    pub info: PageInfo,
    /// What the user allowed pages of its origin.
    pub policy: Policy,
    /// Whether it changes its state without publishing it: then it is asked before its state is given to agents.
    pub ask_first: bool,
    /// Whether it is a document of a tab that the hub drives: the session is the tab's, whatever origin it shows.
    pub driven: bool,
}
