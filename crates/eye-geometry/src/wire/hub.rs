//! What the backends need of the hub: a way in as an agent, and news of pages. The program that runs both connects
//! them.

use eye_protocol::Error;
use serde_json::value::RawValue;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;

/// Something that is there later.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
/// Something that counts up.
pub type Counter = watch::Receiver<u64>;

/// The hub, from where links come.
pub trait Hub: Debug + Send + Sync {
    /// Enters as the agent of this name.
    fn open(&self, name: &str) -> Arc<dyn Link>;

    /// Counts up when pages come and go.
    fn changes(&self) -> Counter;
}

/// A way into the hub. Dropping the last handle leaves.
pub trait Link: Debug + Send + Sync {
    /// Asks; `params` is JSON text. It is asked at once; dropping the future before there is an answer cancels.
    fn request(&self, method: &str, params: &str) -> Later<'static, Result<Box<RawValue>, Error>>;
}
