//! A request that is passed on to the hub that holds its page.

use crate::elsewhere::Caller;
use crate::input::Input;
use crate::task::Asker;
use eye_protocol::SessionId;

/// A request for a page that another hub holds.
#[derive(Debug)]
pub struct Passed {
    pub session: SessionId,
    pub caller: Caller,
    /// Receives the ending; [`Asker::Fired`] when no answer is wanted.
    pub asker: Asker,
    /// Whether the request is a call, which has an ending. Every other request has a result.
    pub is_call: bool,
    /// How long until the request counts as lost.
    pub lifetime_ms: u64,
    /// The request, which names the page by its id.
    pub input: Input,
}
