//! Waits for the end of an agent's pause, for calls of servers that an MCP connection makes itself.

use super::links::{AgentLink, Door, shut_down};
use eye_protocol::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::oneshot;

/// Resolves when a person lets the agent continue, or with an error after the time limit. Dropping it leaves the line.
#[derive(Debug)]
pub(super) struct Turn {
    door: Arc<Door>,
    /// The number in the line; `None` once it resolved or was refused.
    number: Option<u64>,
    receiver: oneshot::Receiver<Result<(), Error>>,
}

impl AgentLink {
    /// Waits for the end of this agent's pause, for at most `within`. `None`: it is not paused.
    pub(super) fn turn(&self, within: Duration) -> Option<Turn> {
        let within_ms = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
        let (hub, conn) = self.place();
        let (number, receiver) = hub.take_turn(conn, within_ms)?;
        Some(Turn { door: self.door(), number, receiver })
    }
}

impl Future for Turn {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.receiver).poll(context).map(|outcome| {
            self.number = None;
            outcome.unwrap_or_else(|_| Err(shut_down()))
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(number) = self.number.take() {
            self.door.hub().leave_turn(number);
        }
    }
}
