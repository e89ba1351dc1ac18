//! What follows work once it is done.

use crate::handover::{HandedState, Handover};
use crate::ids::Conn;
use crate::input::Input;
use crate::state::{StateQuery, When};
use crate::task::Reply;
use eye_protocol::rpc::RpcId;

#[derive(Debug)]
pub(crate) enum Then {
    /// Take a document that a page published.
    Publish { page: Conn, page_revision: u64, when: When },
    /// Take a document that a page sent when it was asked, and answer the request for it.
    Tell { page: Conn, when: When, reply: Option<Reply>, query: StateQuery },
    /// Record a patch that was applied.
    Change { page: Conn, page_revision: u64, when: When },
    /// Answer with what was read.
    Read { reply: Reply, from_page: bool, warning: Option<&'static str> },
    /// Keep what was read under a name.
    Save { reply: Reply, name: Box<str> },
    /// Hand over what was read, with the rest.
    HandOver(Box<Handover>),
    /// Write what was read, so that it outlives this hub.
    Write,
    /// Take a document that another hub kept.
    TakeOver(HandedState),
    /// Take a page's tools.
    Offer { page: Conn, id: Option<RpcId> },
    /// Dispatch an agent's calls.
    Ask(Box<Input>),
}
