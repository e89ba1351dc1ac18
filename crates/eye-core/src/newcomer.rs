//! A page that claims a session.

use crate::policy::Policy;
use eye_protocol::messages::PageInfo;
use std::sync::Arc;

/// A page that claims a session, as the gate let it in.
#[derive(Debug)]
pub struct Newcomer {
    /// Where its document comes from.
    pub origin: Arc<str>,
    /// What it says of itself.
    pub info: PageInfo,
    /// What the user allowed pages of its origin.
    pub policy: Policy,
    /// Whether it changes its state without publishing it, so that it is asked before its state is told.
    pub ask_first: bool,
    /// Whether it is a document of a tab that the hub drives: the session is the tab's, whatever origin it shows.
    pub driven: bool,
}
