//! The way into a hub inside its process: to enter as an agent and ask, and to join as a page.
//!
//! Only declarations: `eye-hub` implements them, and what runs beside it (MCP's faces, geometry's backends, driven
//! browsers) takes them. So neither side depends on the other.

use crate::close::Close;
use crate::messages::ShownIn;
use crate::scope::Scope;
use crate::{Code, Error};
use serde_json::value::RawValue;
use std::fmt::{self, Debug};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A boxed future.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The hub of this process.
pub trait LocalHub: Debug + Send + Sync {
    /// Enters as an agent. `face` is how the audit log says that it is connected.
    fn enter(&self, who: Identity, face: &'static str) -> Arc<dyn LocalAgent>;

    /// Joins as the document of a tab, under the tab's session. `origin` is what the browser says, not the page.
    fn join(&self, session: &str, origin: &str) -> Arc<dyn LocalPage>;

    /// Why agents may not see pages of an origin; `None`: they may.
    fn denies(&self, origin: &str) -> Option<Error>;

    /// Counts up when pages come, go or change, or their tools do.
    fn revision(&self) -> u64;

    /// Resolves with the revision once it is another than `seen`.
    fn changed(&self, seen: u64) -> Later<'static, u64>;
}

/// An agent in the hub. Dropping the last handle leaves, which ends what it asked.
pub trait LocalAgent: Debug + Send + Sync {
    /// Asks, before the future is polled; `params` is JSON text. Dropping the future cancels.
    fn request(
        &self,
        method: &str,
        params: &str,
        progress: Option<ProgressSink>,
    ) -> Later<'static, Result<Box<RawValue>, Error>>;

    /// The next notification, as JSON-RPC text. `None`: the hub closed this link.
    fn news(&self) -> Later<'_, Option<String>>;

    /// Resolves when the hub ends this agent while its client is still there: its token is no longer valid.
    fn ended(&self) -> Later<'static, Error>;

    /// Resolves when a person who has paused this agent lets it go on, with an error after `within`. `None`: it is not
    /// paused.
    fn turn(&self, within: Duration) -> Option<Later<'static, Result<(), Error>>>;

    /// Notes this agent's requests to MCP servers; `None` where no audit log is kept.
    fn auditor(&self) -> Option<Arc<dyn Auditor>>;
}

/// A document in the hub, as a WebSocket would be one. Dropping the last handle leaves.
pub trait LocalPage: Debug + Send + Sync {
    /// The document says a message. An error closes it.
    fn hear(&self, message: &str) -> Result<(), Close>;

    /// The document says a binary message. An error closes it.
    fn hear_binary(&self, message: &[u8]) -> Result<(), Close>;

    /// Whether the document's site is denied to agents: then nothing of what it says may be passed on.
    fn is_barred(&self) -> bool;

    /// Says in which browser and window the document is. Nothing that a page says is taken for it.
    fn is_shown_in(&self, shown_in: ShownIn);

    /// The next messages for the document. An error closes it.
    fn next(&self) -> Later<'_, Result<Vec<String>, Close>>;
}

/// Who asks, as the hub knows agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The agent's name, under which the hub knows it across connections; `None` remembers nothing.
    pub name: Option<String>,
    /// The page that it means when it names none.
    pub page: Option<String>,
    /// What its token allows; everything without one.
    pub scope: Scope,
}

/// Takes the progress of one call: params of `call/progress`, as JSON text. It is called while the hub's state is held,
/// so it must neither wait nor ask the hub.
pub struct ProgressSink(Box<dyn Fn(&str) + Send + Sync>);

impl ProgressSink {
    /// Calls `take` with each report.
    pub fn new(take: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Box::new(take))
    }

    /// Hands over one report.
    pub fn put(&self, params: &str) {
        (self.0)(params);
    }
}

impl Debug for ProgressSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressSink")
    }
}

/// Notes what one agent asks of MCP servers: the hub itself sees only what passes through it.
pub trait Auditor: Debug + Send + Sync {
    /// A request ended.
    fn note(&self, call: &ServerCall<'_>);
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
