//! Dialects: one wire format each for the same few events. Pure, and none of them adds behaviour.

mod calendar;
pub mod call_id;
pub mod events;
pub mod eye;
pub mod original;
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

/// A request as its sender wrote it, for the audit log.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The agent's own id; empty for an answer by its place. `None`: nothing waits for an answer.
    pub id: Option<&'a str>,
    /// The method; `eval` for code in a line.
    pub method: &'a str,
    /// The params, as JSON text; for a line, the code.
    pub params: &'a str,
}

/// What a frame from an agent asks for.
#[derive(Debug)]
pub enum FromAgent {
    /// It says who it is.
    Hello {
        /// Wants an answer under this id.
        id: Option<RpcId>,
        /// What it said.
        hello: Box<Hello>,
    },
    /// Something for the switchboard.
    Input(Input),
    /// What its token does not allow.
    Refused {
        /// How it asked.
        form: ReplyForm,
        /// Which scope is missing.
        error: Error,
    },
    /// What its token does not allow, where nothing waits for an answer.
    Dropped(Error),
    /// Something about the audit log.
    Audit {
        /// Where the answer goes.
        id: RpcId,
        /// `audit/…`.
        method: String,
        /// JSON text.
        params: String,
    },
    /// Something of a console.
    Console {
        /// Where the answer goes.
        id: RpcId,
        /// `console/…`.
        method: String,
        /// JSON text.
        params: String,
    },
    /// An answer that the dialect gives by itself.
    Reply(String),
    /// It wants to provide: from here on it is a page, and this frame is its first.
    Provide,
    /// Something for the gateway, which the hub does not know itself.
    Gateway {
        /// Where the answer goes.
        id: RpcId,
        /// `gateway/…`.
        method: String,
        /// JSON text.
        params: String,
    },
    /// How the hub does.
    Status(RpcId),
    /// A file or folder is to be served to a browser.
    Serve {
        /// Wants an answer under this id.
        id: RpcId,
        /// Which.
        path: PathBuf,
    },
    /// The hub is to stop.
    Stop {
        /// The request's id.
        id: RpcId,
        /// How long calls under way may take until they are ended; `None`: they are ended at once.
        drain_ms: Option<u64>,
    },
}

/// What a frame from a page says.
#[derive(Debug)]
pub enum FromPage {
    /// It says who it is.
    Hello {
        /// Wants an answer under this id.
        id: Option<RpcId>,
        /// What it said.
        hello: Box<Hello>,
    },
    /// Something for the switchboard.
    Input(Input),
    /// An answer that the dialect gives by itself.
    Reply(String),
    /// It wants to know its session.
    Session(RpcId),
}
