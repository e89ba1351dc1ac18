//! The context of a request: the agent's folder and environment, and the options of a call.

use crate::error::RpcError;
pub use crate::project::Project;
use serde_json::value::RawValue;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Receives the params of one kind of notification, as raw JSON.
#[derive(Clone)]
pub struct NoticeSink(Arc<dyn Fn(Box<RawValue>) + Send + Sync>);

impl NoticeSink {
    /// `take` is called for each notification, in order.
    pub fn new(take: impl Fn(Box<RawValue>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    pub(crate) fn tell(&self, params: Box<RawValue>) {
        (self.0)(params);
    }
}

impl fmt::Debug for NoticeSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NoticeSink")
    }
}

/// The options of a call.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    /// Cancels the call here and at the upstream. Dropping the call's future does the same.
    pub cancelled: CancellationToken,
    /// Receives progress notifications, under the token that the caller gave.
    pub progress: Option<NoticeSink>,
    /// Receives log messages of the upstream during the call.
    pub logs: Option<NoticeSink>,
    /// Receives requests of a legacy upstream to its caller during the call. Without it, they are refused: the caller
    /// cannot be asked.
    pub questions: Option<mpsc::Sender<Question>>,
    /// The limit for this call; else the config's, else [`crate::limits::CALL`].
    pub timeout: Option<Duration>,
}

/// A request of an upstream that it needs answered first: `elicitation/create` or `sampling/createMessage`.
#[derive(Debug)]
pub struct Question {
    pub method: String,
    /// Raw JSON.
    pub params: Box<RawValue>,
    /// Receives the answer. Dropping it tells the upstream that there is none.
    pub answer: oneshot::Sender<Result<Box<RawValue>, RpcError>>,
}

/// What changed at an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Its tools, or whether they can be called.
    Tools,
    Resources,
    Prompts,
    /// One resource with a subscriber, by its URI.
    Resource(Box<str>),
    /// The list of upstreams: a config file changed.
    Servers,
}

/// A change at an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The upstream; empty for [`ChangeKind::Servers`].
    pub server: Box<str>,
    pub kind: ChangeKind,
    /// The instance or the scope that changed: others with the same name are not concerned.
    pub(crate) of: u64,
}
