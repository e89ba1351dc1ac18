//! The sources that every call comes through.

use crate::FromHub;
use async_nats::Subscriber;
use tokio::sync::mpsc::UnboundedReceiver;

/// The sources of every call.
pub struct Often {
    /// Messages of other hubs.
    pub own: Subscriber,
    /// Effects and news of this hub.
    pub from_hub: UnboundedReceiver<FromHub>,
}
