//! The interface from a wire to its connection. A wire handles bytes; calls are the listener's.

use super::envelope::{self, Incoming};
use crate::error::RpcError;
use crate::limits::PARSE_INLINE_BYTES_MAX;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The receiver of a wire's messages, which knows the waiting calls.
pub trait Listener: Send + Sync {
    fn server(&self) -> &str;

    /// Cancelled when the connection has ended, or must end.
    fn closed(&self) -> &CancellationToken;

    /// Whether this call has no response yet.
    fn waits_for(&self, id: u64) -> bool;

    /// Takes messages; `about` is our call on whose stream they came, if known.
    fn received(self: Arc<Self>, messages: Vec<Incoming>, about: Option<u64>);

    /// Reports a message over the limit, of which only the beginning and end are kept.
    fn passed_over(&self, head: &[u8], tail: &[u8]);

    /// Fails one call that will get no response.
    fn fail(&self, id: u64, error: RpcError);

    /// Fails one call that the server did not take, so that it may be sent again.
    fn fail_unsent(&self, id: u64, why: &str);

    /// Ends the connection and all its calls. The first reason stays.
    fn end(&self, why: &str);
}

/// Passes a message on; a large one is parsed on a blocking thread, so that only its own upstream is delayed.
pub async fn receive<L: Listener + ?Sized>(listener: &Arc<L>, message: Vec<u8>, about: Option<u64>) {
    if message.len() <= PARSE_INLINE_BYTES_MAX {
        Arc::clone(listener).received(envelope::read(&message), about);
    } else if let Ok(messages) = tokio::task::spawn_blocking(move || envelope::read(&message)).await {
        Arc::clone(listener).received(messages, about);
    }
}
