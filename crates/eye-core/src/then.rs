//! What follows work once it is done.

use crate::handover::{HandedState, Handover};
use crate::ids::Conn;
use crate::input::Input;
use crate::state::{StateQuery, When};
use crate::task::Reply;
use eye_protocol::rpc::RpcId;

/// What is to follow once it is done.
#[derive(Debug)]
pub(crate) enum Then {
    /// A page's document is taken.
    Publish { page: Conn, page_revision: u64, when: When },
    /// A page's document is taken, and the agents that waited for it read it.
    Tell { page: Conn, when: When, reply: Option<Reply>, query: StateQuery },
    /// A document is patched.
    Change { page: Conn, page_revision: u64, when: When },
    /// A document is read.
    Read { reply: Reply, from_page: bool, warning: Option<&'static str> },
    /// A document is read and kept under a name.
    Save { reply: Reply, name: Box<str> },
    /// A document is read and goes to another hub with the rest.
    HandOver(Box<Handover>),
    /// A document is read and outlives this hub.
    Write,
    /// A document of another hub is taken.
    TakeOver(HandedState),
    /// A page's tools are taken.
    Offer { page: Conn, id: Option<RpcId> },
    /// An agent's question goes on.
    Ask(Box<Input>),
}
