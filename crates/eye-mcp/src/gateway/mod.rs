//! The gateway: which upstreams there are for whom, and the way to them. It knows no wire; `upstream` does.

mod context;
mod status;

pub use context::{CallContext, Change, ChangeKind, ProgressSink, Project};
pub use status::{ServerState, ServerStatus};

use crate::catalogue::{DiscoverError, Discovered, Entry};
use crate::config::Config;
use crate::error::RpcError;
use eye_protocol::{Code, Error};
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// What a gateway is made with. Everything that comes from outside the library is here.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Who asks when nobody else is named: this process.
    pub project: Project,
    /// The user's config file.
    pub user_config: Option<PathBuf>,
    /// What the command line adds; it stands above every file.
    pub overrides: Config,
    /// Where tool lists are kept. `None` keeps none.
    pub state_folder: Option<PathBuf>,
}

/// A handle; clones are the same gateway.
#[derive(Clone, Debug)]
pub struct Gateway {
    settings: Arc<Settings>,
}

/// The upstreams as one project sees them.
#[derive(Clone, Debug)]
pub struct Scope {
    changes: broadcast::Sender<Change>,
}

impl Gateway {
    /// Starts nothing: upstreams start when they are first used.
    pub fn new(settings: Settings) -> Self {
        Self { settings: Arc::new(settings) }
    }

    /// The upstreams as this project sees them: its config, its folder, its environment.
    pub fn scope(&self, _project: Project) -> Scope {
        Scope { changes: broadcast::channel(16).0 }
    }

    /// One JSON-RPC request in, its response out.
    pub async fn call(&self, _request: Value) -> Value {
        Value::Null
    }

    /// What there is to call, by words or JSONPath.
    pub async fn discover(&self, _query: &str) -> Result<Discovered, DiscoverError> {
        Err(DiscoverError::Empty)
    }

    /// Ends every upstream.
    pub async fn shut_down(&self) {
        let _ = &self.settings;
    }
}

impl Scope {
    /// Every tool that is known, from the list kept on disk where its upstream has not started.
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        Vec::new()
    }

    /// The upstreams and how they are.
    pub fn servers(&self) -> Vec<ServerStatus> {
        Vec::new()
    }

    /// Asks upstreams whose tools are not known, all at once, for at most so long.
    pub async fn learn(&self, _wait: Duration) {}

    /// Calls a tool. `params` is `{name, arguments, _meta, …}` and passes untouched, but for the progress token.
    pub async fn call_tool(
        &self,
        server: &str,
        params: Box<RawValue>,
        context: CallContext,
    ) -> Result<Box<RawValue>, RpcError> {
        self.request(server, "tools/call", Some(params), context).await
    }

    /// Any other request: `resources/*`, `prompts/*`, `completion/*`.
    pub async fn request(
        &self,
        server: &str,
        _method: &str,
        _params: Option<Box<RawValue>>,
        _context: CallContext,
    ) -> Result<Box<RawValue>, RpcError> {
        Err(Error::new(Code::CONNECTION, format!("{server} is not there")).into())
    }

    /// Tells when lists change.
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }
}
