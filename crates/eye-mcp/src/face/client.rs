//! One client of a face: its link to the hub, its upstreams, its session state, and what was negotiated with it.

use super::audited::audited;
use super::called::CalledTools;
use super::hold::hold;
use super::in_turn::in_turn;
use super::limits::{CHANGES_LEN_MAX, SUBSCRIPTIONS_MAX};
use super::message::Message;
use super::offers::Change;
use super::shared::Shared;
use crate::config::Config;
use crate::{CallContext, Project, RpcError, Scope};
use eye_protocol::local::{Identity, LocalAgent};
use eye_protocol::operations::Class;
use eye_protocol::{Code, Error};
use serde_json::value::RawValue;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use tokio::sync::{broadcast, oneshot};

/// What is known of a client when it connects.
#[derive(Clone, Debug, Default)]
pub struct Newcomer {
    /// Its identity at the hub.
    pub who: Identity,
    /// The folder and environment that its upstreams run in; `None` for the hub's own.
    pub project: Option<Project>,
    /// Whether `tools/list` lists every tool.
    pub full: bool,
    /// Servers from the client's command line.
    pub overrides: Config,
}

#[derive(Debug)]
pub struct Client {
    pub(super) shared: Arc<Shared>,
    pub(super) link: Arc<dyn LocalAgent>,
    pub(super) scope: Scope,
    /// The rights of the client's token.
    pub(super) allowed: eye_protocol::scope::Scope,
    pub(super) full: bool,
    changes: OnceLock<broadcast::Sender<Change>>,
    pub(super) pumping: AtomicBool,
    agreed: OnceLock<Agreed>,
    pending: Mutex<HashMap<u64, oneshot::Sender<Answered>>>,
    last_id: AtomicU64,
    level: Mutex<usize>,
    followed: Mutex<BTreeSet<String>>,
    /// Servers whose instructions the client already received.
    instructed: Mutex<BTreeSet<String>>,
    /// The client's number at the gateway; set with its first roots.
    roots_number: OnceLock<u64>,
    /// The page in which it last called each tool.
    pub(super) called: Mutex<CalledTools>,
}

/// A client's response to a request of ours.
type Answered = Result<Box<RawValue>, RpcError>;

/// The result of the handshake with a legacy client.
#[derive(Clone, Debug)]
pub(super) struct Agreed {
    pub version: &'static str,
    pub capabilities: serde_json::Value,
}

/// Levels of log messages, the most detailed first.
pub const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

impl Client {
    pub(super) fn new(shared: &Arc<Shared>, newcomer: Newcomer) -> Option<Arc<Self>> {
        let hub = shared.hub()?;
        let allowed = newcomer.who.scope.clone();
        let link = hub.enter(newcomer.who, "mcp");
        let scope = match newcomer.project {
            Some(project) => shared.gateway().scope_with(project, newcomer.overrides),
            None => shared.own_scope(),
        };
        Some(Arc::new(Self {
            shared: Arc::clone(shared),
            link,
            allowed,
            scope,
            pumping: AtomicBool::new(false),
            full: newcomer.full,
            changes: OnceLock::new(),
            agreed: OnceLock::new(),
            pending: Mutex::default(),
            last_id: AtomicU64::new(0),
            level: Mutex::new(0),
            followed: Mutex::default(),
            instructed: Mutex::default(),
            roots_number: OnceLock::new(),
            called: Mutex::default(),
        }))
    }

    /// The upstreams, or an error if the client's token does not cover servers.
    pub(super) fn upstreams(&self) -> Result<&Scope, RpcError> {
        self.allowed.check(Class::Servers)?;
        Ok(&self.scope)
    }

    /// Sends a request to a server if the client's token covers servers, and audits it.
    pub(super) async fn ask_server(
        &self,
        server: &str,
        method: &str,
        params: Option<Box<RawValue>>,
        context: CallContext,
    ) -> Result<Box<RawValue>, RpcError> {
        let work = async {
            let scope = self.upstreams()?;
            let context = in_turn(&self.link, scope, server, context).await?;
            scope.request(server, method, params.clone(), context).await
        };
        audited(self.link.auditor(), server.to_owned(), method.to_owned(), params.clone(), work).await
    }

    /// A receiver of changes from now on. Created on first use: most clients of a single request never need one.
    pub(super) fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.get_or_init(|| broadcast::channel(CHANGES_LEN_MAX).0).subscribe()
    }

    /// Sends a change to all listeners.
    pub(super) fn tell(&self, change: Change) {
        if let Some(changes) = self.changes.get() {
            // There may be no listener any more.
            let _ = changes.send(change);
        }
    }

    pub(super) fn agree(&self, version: &'static str, capabilities: serde_json::Value) {
        let _ = self.agreed.set(Agreed { version, capabilities });
    }

    pub(super) fn agreed(&self) -> Option<&Agreed> {
        self.agreed.get()
    }

    /// An id for a request to this client, and the receiver of its response.
    pub(super) fn ask(&self) -> (u64, oneshot::Receiver<Answered>) {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, receiver) = oneshot::channel();
        hold(&self.pending).insert(id, sender);
        (id, receiver)
    }

    pub(super) fn forget(&self, id: u64) {
        hold(&self.pending).remove(&id);
    }

    /// Takes a message that is not a request. Responses go to their waiting request; anything else is ignored.
    pub(super) fn receive(&self, message: Message) {
        if let Message::Response { id, outcome } = message
            && let Ok(id) = id.get().trim_matches('"').trim_start_matches("eye-").parse::<u64>()
            && let Some(waiting) = hold(&self.pending).remove(&id)
        {
            let _ = waiting.send(outcome);
        }
    }

    /// Passes the client's roots on to its servers.
    pub(super) fn set_roots(&self, result: &str) {
        let number = *self.roots_number.get_or_init(|| self.scope.client_number());
        self.scope.set_roots(number, Some(result));
    }

    /// The lowest level of log messages that the client wants.
    pub(super) fn set_level(&self, level: &str) -> Result<(), RpcError> {
        let found = LEVELS.iter().position(|known| *known == level);
        let error = || Error::new(Code::PARAMS, format!("no such level: {level}")).hint(LEVELS.join(", "));
        *hold(&self.level) = found.ok_or_else(error)?;
        Ok(())
    }

    pub(super) fn level(&self) -> &'static str {
        LEVELS[*hold(&self.level)]
    }

    pub(super) fn wants_level(&self, level: &str) -> bool {
        LEVELS.iter().position(|known| *known == level).is_some_and(|at| at >= *hold(&self.level))
    }

    /// Records that a legacy client subscribes to a resource.
    pub(super) fn follow(&self, uri: &str) -> Result<(), RpcError> {
        let mut followed = hold(&self.followed);
        if followed.len() >= SUBSCRIPTIONS_MAX && !followed.contains(uri) {
            let message = format!("a client follows at most {SUBSCRIPTIONS_MAX} resources");
            return Err(Error::new(Code::PARAMS, message).into());
        }
        followed.insert(uri.to_owned());
        Ok(())
    }

    /// Whether the client has not received this server's instructions yet; records that it now has.
    pub(super) fn learns_of(&self, server: &str) -> bool {
        hold(&self.instructed).insert(server.to_owned())
    }

    pub(super) fn unfollow(&self, uri: &str) {
        hold(&self.followed).remove(uri);
    }

    pub(super) fn follows(&self, change: &Change) -> bool {
        match change {
            Change::Tools | Change::Prompts | Change::Resources => true,
            Change::Resource(uri) => hold(&self.followed).contains(uri),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(number) = self.roots_number.get() {
            self.scope.set_roots(*number, None);
        }
    }
}
