//! What a face needs of the hub: to enter it as an agent, and to ask. The program that runs both connects them.

use eye_protocol::scope::Scope;
use eye_protocol::{Code, Error};
use serde_json::value::RawValue;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Something that is there later.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where progress goes: params of `call/progress`, as JSON text.
pub type ProgressSender = mpsc::Sender<Box<str>>;
/// Something that counts up.
pub type Counter = watch::Receiver<u64>;

/// Who asks, as the hub knows agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Across connections; `None` remembers nothing.
    pub name: Option<String>,
    /// The page it means when it names none.
    pub page: Option<String>,
    /// What its token allows; everything without one.
    pub scope: Scope,
}

/// One request to an MCP server that ended.
#[derive(Clone, Copy, Debug)]
pub struct ServerCall<'a> {
    /// Which server.
    pub server: &'a str,
    /// Which method of MCP.
    pub method: &'a str,
    /// Its params, as JSON text.
    pub params: &'a str,
    /// The code of its error, if it failed.
    pub ended: Result<(), Code>,
    /// How long it took.
    pub took: Duration,
}

/// Notes what one agent asks of MCP servers.
pub type Auditor = Arc<dyn Fn(&ServerCall<'_>) + Send + Sync>;

/// The hub, from where links come.
pub trait Hub: Debug + Send + Sync {
    /// Enters as an agent.
    fn open(&self, who: Identity) -> Arc<dyn Link>;

    /// Counts up when pages come and go, or their tools change.
    fn changes(&self) -> Counter;
}

/// One agent's way into the hub. Dropping the last handle leaves.
pub trait Link: Debug + Send + Sync {
    /// Asks; `params` is JSON text. Dropping the future cancels. Progress that is not taken in time is left out.
    fn request(
        &self,
        method: &str,
        params: &str,
        progress: Option<ProgressSender>,
    ) -> Later<'static, Result<Box<RawValue>, Error>>;

    /// The next notification, as JSON-RPC text. `None`: the hub closed this link.
    fn news(&self) -> Later<'_, Option<String>>;

    /// Resolves when the hub ends this agent while its client is still there: its token is no longer valid.
    fn ended(&self) -> Later<'static, Error> {
        Box::pin(std::future::pending())
    }

    /// Resolves when a person lets this agent go on that they have paused, at most so long. `None`: it is not paused.
    fn turn(&self, within: Duration) -> Option<Later<'static, Result<(), Error>>> {
        let _ = within;
        None
    }

    /// What notes this agent's requests to MCP servers, if anything does.
    fn auditor(&self) -> Option<Auditor> {
        None
    }
}

/// Asks the hub for one agent.
pub trait AskHub: Sync {
    /// Asks; `params` is JSON text.
    fn ask_hub(&self, method: &str, params: &str) -> impl Future<Output = Result<Box<RawValue>, Error>> + Send;
}
