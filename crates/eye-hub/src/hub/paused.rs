//! A request that waits while its agent or its page is paused.

use crate::audit::{Noted, RequestKey};
use crate::dialect::FromAgent;
use eye_protocol::Error;
use tokio::sync::oneshot;

/// Tells an MCP connection that its agent may continue, or why not.
pub(crate) type TurnSender = oneshot::Sender<Result<(), Error>>;
pub(crate) type TurnReceiver = oneshot::Receiver<Result<(), Error>>;

#[derive(Debug)]
pub(crate) enum Paused {
    HeldRequest(Box<HeldRequest>),
    /// A request to a server, which the MCP connection sends itself when it is told to.
    Turn(TurnSender),
}

/// A request of an agent.
#[derive(Debug)]
pub(crate) struct HeldRequest {
    pub one: FromAgent,
    /// The id under which the audit log expects its ending.
    pub begun: Option<RequestKey>,
    /// The audit entry of a request without an id, recorded when its outcome is known.
    pub noted: Option<Noted>,
}
