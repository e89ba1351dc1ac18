//! What waits while its agent or its page is paused.

use crate::audit::Noted;
use crate::dialect::FromAgent;
use eye_protocol::Error;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Tells an MCP face that its agent's turn has come, or why it does not.
pub(crate) type TurnSender = oneshot::Sender<Result<(), Error>>;
/// Hears it.
pub(crate) type TurnReceiver = oneshot::Receiver<Result<(), Error>>;

/// Such a request.
#[derive(Debug)]
pub(crate) enum Paused {
    /// Of an agent.
    Asked(Box<Asked>),
    /// To a server, which an MCP face does itself when it is told.
    Turn(TurnSender),
}

/// A request as an agent asked it.
#[derive(Debug)]
pub(crate) struct Asked {
    /// What it asks for.
    pub one: FromAgent,
    /// The id under which it is noted to end.
    pub begun: Option<Arc<str>>,
    /// One that has no id is noted when it is known what came of it.
    pub noted: Option<Noted>,
}
