//! Who asks, and how a call may end early.

use crate::error::RpcError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// An agent's folder and environment: upstreams run in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Project {
    /// Where the agent works; an absolute path.
    pub cwd: PathBuf,
    /// Its environment: `${VAR}` in a config is one of it. Upstreams get a few of them and what their entry names.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// Takes the params of a kind of notification, raw.
#[derive(Clone)]
pub struct NoticeSink(Arc<dyn Fn(Box<RawValue>) + Send + Sync>);

impl NoticeSink {
    /// Calls the function for each notification, in order.
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

/// What goes along with a call.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    /// Ends the call here and at the upstream. Dropping the call's future does the same.
    pub cancelled: CancellationToken,
    /// Hears of its progress, under the token that the caller gave.
    pub progress: Option<NoticeSink>,
    /// Hears what the upstream logs meanwhile.
    pub logs: Option<NoticeSink>,
    /// Hears what a legacy upstream asks of its caller meanwhile. Without it, the upstream is told that the caller
    /// cannot be asked.
    pub questions: Option<mpsc::Sender<Question>>,
    /// How long it may take; else the config says, else [`crate::limits::CALL`].
    pub timeout: Option<Duration>,
}

/// Something that an upstream wants to know before it answers: `elicitation/create` or `sampling/createMessage`.
#[derive(Debug)]
pub struct Question {
    /// What it asks.
    pub method: String,
    /// Raw.
    pub params: Box<RawValue>,
    /// Where the answer goes. Dropping it tells the upstream that there is none.
    pub answer: oneshot::Sender<Result<Box<RawValue>, RpcError>>,
}

/// What of an upstream changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Its tools, or whether they can be called.
    Tools,
    /// Its resources.
    Resources,
    /// Its prompts.
    Prompts,
    /// One resource with a subscriber, by its URI.
    Resource(Box<str>),
    /// Which upstreams there are: a config file changed.
    Servers,
}

/// Something of an upstream is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which upstream; empty when it is the list of them.
    pub server: Box<str>,
    /// What of it.
    pub kind: ChangeKind,
    /// Whose instance of it, or which scope: others with the same name are not concerned.
    pub(crate) of: u64,
}
