//! Who is told what a wire hears. A wire knows no connection: bytes are its business, calls are the listener's.

use super::envelope::{self, Incoming};
use crate::error::RpcError;
use crate::limits::PARSE_INLINE_BYTES_MAX;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The other end of a wire: the calls that wait for what comes over it.
pub trait Listener: Send + Sync {
    /// The name of the server.
    fn server(&self) -> &str;

    /// Set once the connection has ended, or is to end.
    fn closed(&self) -> &CancellationToken;

    /// Whether this call still has no answer.
    fn waits_for(&self, id: u64) -> bool;

    /// Takes messages that came, `about` one of our calls when they came on its stream.
    fn heard(self: Arc<Self>, messages: Vec<Incoming>, about: Option<u64>);

    /// A message was longer than allowed, and only its ends are known.
    fn passed_over(&self, head: &[u8], tail: &[u8]);

    /// Ends one call that will have no answer.
    fn fail(&self, id: u64, error: RpcError);

    /// Ends one call that was not taken.
    fn fail_unsent(&self, id: u64, why: &str);

    /// Ends the connection and every call on it. The first reason stands.
    fn end(&self, why: &str);
}

/// Hands a message on; a large one is parsed elsewhere, so that it delays its own upstream only.
pub async fn hear<L: Listener + ?Sized>(listener: &Arc<L>, message: Vec<u8>, about: Option<u64>) {
    if message.len() <= PARSE_INLINE_BYTES_MAX {
        Arc::clone(listener).heard(envelope::read(&message), about);
    } else if let Ok(messages) = tokio::task::spawn_blocking(move || envelope::read(&message)).await {
        Arc::clone(listener).heard(messages, about);
    }
}
