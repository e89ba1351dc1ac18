//! The way into a hub inside its process: to enter as an agent and make requests, and to join as a page.
//!
//! Only declarations: `eye-hub` implements them, and what runs beside it (MCP's faces, geometry's backends, driven
//! browsers) uses them, so that neither side depends on the other.

use crate::answer::Value;
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
    /// Enters as an agent. `face` names the kind of connection in the audit log.
    fn enter(&self, who: Identity, face: &'static str) -> Arc<dyn LocalAgent>;

    /// Joins as the document of a tab, under the tab's session. `origin` comes from the browser, not from the page.
    fn join(&self, session: &str, origin: &str) -> Arc<dyn LocalPage>;

    /// The refusal when agents may not see pages of an origin; `None`: they may.
    fn denies(&self, origin: &str) -> Option<Error>;

    /// Counts up when pages come, go or change, or their tools do.
    fn revision(&self) -> u64;

    /// Resolves with the revision once it differs from `seen`.
    fn changed(&self, seen: u64) -> Later<'static, u64>;
}

/// An agent in the hub. Dropping the last handle disconnects it, which ends its requests.
pub trait LocalAgent: Debug + Send + Sync {
    /// Sends a request at once, before the future is polled; `params` is JSON text. Dropping the future cancels the
    /// request.
    fn request(
        &self,
        method: &str,
        params: &str,
        progress: Option<ProgressSink>,
    ) -> Later<'static, Result<Box<RawValue>, Error>>;

    /// Evaluates code in a page: the request `eval` with these params, neither written nor parsed on the way. Sent and
    /// cancelled as by [`LocalAgent::request`].
    fn eval(&self, eval: LocalEval<'_>, progress: Option<ProgressSink>) -> Later<'static, Result<LocalValue, Error>>;

    /// The next notification, as JSON-RPC text. `None`: the hub closed this link.
    fn news(&self) -> Later<'_, Option<String>>;

    /// Resolves when the hub ends this agent while its client is still connected: its token is no longer valid.
    fn ended(&self) -> Later<'static, Error>;

    /// Resolves when a person who has paused this agent lets it go on, with an error after `within`. `None`: it is not
    /// paused.
    fn turn(&self, within: Duration) -> Option<Later<'static, Result<(), Error>>>;

    /// Records this agent's requests to MCP servers; `None` if no audit log is kept.
    fn auditor(&self) -> Option<Arc<dyn Auditor>>;
}

/// Code for a page.
#[derive(Clone, Copy, Debug)]
pub struct LocalEval<'a> {
    pub code: &'a str,
    /// `None`: the agent's current page.
    pub page: Option<&'a str>,
    /// `None`: the hub's default.
    pub timeout_ms: Option<u64>,
    /// All of this as JSON text, which the audit log keeps.
    pub params: &'a str,
}

/// What code in a page came to.
#[derive(Clone, Debug)]
pub enum LocalValue {
    Value(Value),
    /// A result of `eval`, as JSON text.
    Result(Box<RawValue>),
}

/// A document in the hub, as if it were connected by WebSocket. Dropping the last handle disconnects it.
pub trait LocalPage: Debug + Send + Sync {
    /// Handles a message of the document. An error closes the connection.
    fn receive(&self, message: &str) -> Result<(), Close>;

    /// Handles a binary message of the document. An error closes the connection.
    fn receive_binary(&self, message: &[u8]) -> Result<(), Close>;

    /// Whether the document's site is denied to agents: then none of its messages may be passed on.
    fn is_barred(&self) -> bool;

    /// Sets the browser and window that show the document. The page itself cannot set them.
    fn is_shown_in(&self, shown_in: ShownIn);

    /// The next messages for the document. An error closes the connection.
    fn next(&self) -> Later<'_, Result<Vec<String>, Close>>;
}

/// An agent's identity, as the hub knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Under this name the hub knows the agent across connections; `None`: the hub remembers nothing.
    pub name: Option<String>,
    /// The page of requests that name none.
    pub page: Option<String>,
    /// What its token allows; everything without one.
    pub scope: Scope,
}

/// Receives the progress of one call: params of `call/progress`, as JSON text. It is called while the hub's state is
/// held, so it must neither wait nor make a request to the hub.
pub struct ProgressSink(Box<dyn Fn(&str) + Send + Sync>);

impl ProgressSink {
    /// Calls `take` with each report.
    pub fn new(take: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Box::new(take))
    }

    /// Passes on one report.
    pub fn put(&self, params: &str) {
        (self.0)(params);
    }
}

impl Debug for ProgressSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressSink")
    }
}

/// Records one agent's requests to MCP servers: the hub itself sees only what passes through it.
pub trait Auditor: Debug + Send + Sync {
    /// Records a request that ended.
    fn note(&self, call: &ServerCall<'_>);
}

/// One request to an MCP server that ended.
#[derive(Clone, Copy, Debug)]
pub struct ServerCall<'a> {
    pub server: &'a str,
    /// A method of MCP.
    pub method: &'a str,
    /// JSON text.
    pub params: &'a str,
    /// The code of its error, if it failed.
    pub ended: Result<(), Code>,
    pub took: Duration,
}
