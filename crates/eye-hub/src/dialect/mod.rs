//! Dialects: one wire format each for the same few events. Pure; a dialect adds no behaviour.

mod calendar;
pub mod call_id;
pub mod events;
pub mod eye;
pub mod original;
pub mod plain;
pub mod scene;
pub mod tools;
pub mod topics;
pub mod verbs;

pub use calendar::wall_ms;
use eye_core::{Input, ReplyForm};
use eye_protocol::Error;
use eye_protocol::messages::Hello;
use eye_protocol::rpc::RpcId;
use std::path::PathBuf;

/// A request as the audit log records it.
#[derive(Clone, Copy, Debug)]
pub struct AuditedRequest<'a> {
    /// The agent's request id; empty when answers are matched by order. `None`: no response is expected.
    pub id: Option<&'a str>,
    /// `eval` for code in a line.
    pub method: &'a str,
    /// JSON text; for a line, the code.
    pub params: &'a str,
}

/// A parsed frame of an agent.
#[derive(Debug)]
pub enum FromAgent {
    Hello {
        /// Id for the response; `None`: a notification.
        id: Option<RpcId>,
        hello: Box<Hello>,
    },
    /// An event for the core.
    Input(Input),
    /// A request that the agent's token does not allow.
    Refused {
        form: ReplyForm,
        /// Names the missing scope.
        error: Error,
    },
    /// A message that the agent's token does not allow, and that has no response.
    Dropped(Error),
    /// A method of the audit log.
    Audit {
        id: RpcId,
        /// `audit/…`.
        method: String,
        /// JSON text.
        params: String,
    },
    /// A method of consoles.
    Console {
        id: RpcId,
        /// `console/…`.
        method: String,
        /// JSON text.
        params: String,
    },
    /// A response that the dialect makes itself.
    Reply(String),
    /// The peer is a page from here on, and this frame is its first.
    Provide,
    /// A method of the gateway, which the hub does not handle itself.
    Gateway {
        id: RpcId,
        /// `gateway/…`, or a browser method.
        method: String,
        /// JSON text.
        params: String,
    },
    /// A request for the hub's status.
    Status(RpcId),
    /// A request to serve a file or folder to a browser.
    Serve { id: RpcId, path: PathBuf },
    /// A request to stop the hub.
    Stop {
        id: RpcId,
        /// How long open calls may continue before they are ended; `None`: they are ended at once.
        drain_ms: Option<u64>,
    },
}

/// A parsed frame of a page.
#[derive(Debug)]
pub enum FromPage {
    Hello {
        /// Id for the response; `None`: a notification.
        id: Option<RpcId>,
        hello: Box<Hello>,
    },
    /// An event for the core.
    Input(Input),
    /// A response that the dialect makes itself.
    Reply(String),
    /// A request for the page's session.
    Session(RpcId),
}
