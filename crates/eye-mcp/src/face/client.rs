//! One client of a face: its way into the hub, its upstreams, and what was agreed with it.

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

/// What a client is told apart by before it says anything.
#[derive(Clone, Debug, Default)]
pub struct Newcomer {
    /// Who it is for the hub.
    pub who: Identity,
    /// Where its upstreams run; `None` is the hub's own.
    pub project: Option<Project>,
    /// Whether every tool is listed.
    pub full: bool,
    /// Servers that its own command line names.
    pub overrides: Config,
}

/// One client.
#[derive(Debug)]
pub struct Client {
    pub(super) shared: Arc<Shared>,
    pub(super) link: Arc<dyn LocalAgent>,
    pub(super) scope: Scope,
    /// What its token allows.
    pub(super) allowed: eye_protocol::scope::Scope,
    pub(super) full: bool,
    changes: OnceLock<broadcast::Sender<Change>>,
    pub(super) pumping: AtomicBool,
    agreed: OnceLock<Agreed>,
    asked: Mutex<HashMap<u64, oneshot::Sender<Answered>>>,
    last_asked: AtomicU64,
    level: Mutex<usize>,
    followed: Mutex<BTreeSet<String>>,
    /// Servers whose instructions it was given.
    instructed: Mutex<BTreeSet<String>>,
    /// Its number for the gateway, once its roots are known.
    roots_number: OnceLock<u64>,
    /// In which page it called which tool.
    pub(super) called: Mutex<CalledTools>,
}

/// What a client answers to something that it was asked.
type Answered = Result<Box<RawValue>, RpcError>;

/// What a legacy client and we agreed on.
#[derive(Clone, Debug)]
pub(super) struct Agreed {
    pub version: &'static str,
    pub capabilities: serde_json::Value,
}

/// Levels of log messages, from the one that says most.
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
            asked: Mutex::default(),
            last_asked: AtomicU64::new(0),
            level: Mutex::new(0),
            followed: Mutex::default(),
            instructed: Mutex::default(),
            roots_number: OnceLock::new(),
            called: Mutex::default(),
        }))
    }

    /// The upstreams, if its token allows them.
    pub(super) fn upstreams(&self) -> Result<&Scope, RpcError> {
        self.allowed.check(Class::Servers)?;
        Ok(&self.scope)
    }

    /// Asks a server, if its token allows it, and has it noted.
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

    /// What changes, from now on. Most clients of one request never ask.
    pub(super) fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.get_or_init(|| broadcast::channel(CHANGES_LEN_MAX).0).subscribe()
    }

    /// Tells all listeners.
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

    /// An id for something that this client is asked, and where its answer comes.
    pub(super) fn ask(&self) -> (u64, oneshot::Receiver<Answered>) {
        let id = self.last_asked.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, receiver) = oneshot::channel();
        hold(&self.asked).insert(id, sender);
        (id, receiver)
    }

    pub(super) fn forget(&self, id: u64) {
        hold(&self.asked).remove(&id);
    }

    /// Takes a message that is no request.
    pub(super) fn hear(&self, message: Message) {
        if let Message::Response { id, outcome } = message
            && let Ok(id) = id.get().trim_matches('"').trim_start_matches("eye-").parse::<u64>()
            && let Some(waiting) = hold(&self.asked).remove(&id)
        {
            let _ = waiting.send(outcome);
        }
    }

    /// Passes its roots on to the servers that run for it.
    pub(super) fn set_roots(&self, result: &str) {
        let number = *self.roots_number.get_or_init(|| self.scope.client_number());
        self.scope.set_roots(number, Some(result));
    }

    /// From which level on the client wants log messages.
    pub(super) fn set_level(&self, level: &str) -> Result<(), RpcError> {
        let found = LEVELS.iter().position(|known| *known == level);
        let error = || Error::new(Code::PARAMS, format!("no such level: {level}")).hint(LEVELS.join(", "));
        *hold(&self.level) = found.ok_or_else(error)?;
        Ok(())
    }

    /// That level.
    pub(super) fn level(&self) -> &'static str {
        LEVELS[*hold(&self.level)]
    }

    pub(super) fn wants_level(&self, level: &str) -> bool {
        LEVELS.iter().position(|known| *known == level).is_some_and(|at| at >= *hold(&self.level))
    }

    /// Notes that a legacy client follows a resource.
    pub(super) fn follow(&self, uri: &str) -> Result<(), RpcError> {
        let mut followed = hold(&self.followed);
        if followed.len() >= SUBSCRIPTIONS_MAX && !followed.contains(uri) {
            let message = format!("a client follows at most {SUBSCRIPTIONS_MAX} resources");
            return Err(Error::new(Code::PARAMS, message).into());
        }
        followed.insert(uri.to_owned());
        Ok(())
    }

    /// Whether a server's instructions are news to this client; from now on they are not.
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
