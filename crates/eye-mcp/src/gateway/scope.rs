//! The upstreams as one project sees them: its config, its instances, and the catalogue made of them.

use super::instances::NotMade;
use super::shared::Shared;
use crate::catalogue::{Catalogue, DiscoverError, Discovered, Entry, Provider, Unresolved};
use crate::config::{Config, ConfigError, Layers, ProjectEntry, ServerConfig, Spec, Startup};
use crate::context::{CallContext, Change, ChangeKind, Project};
use crate::error::RpcError;
use crate::limits::CALL;
use crate::onboarding::Onboarding;
use crate::status::{ServerState, ServerStatus};
use crate::upstream::{Era, Folders, Root, Upstream, read_roots};
use eye_protocol::{Code, Error};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast;

/// Up to this many tools a search runs inline; above, on a blocking thread.
const INLINE_TOOLS_MAX: usize = 2_000;
/// The same limit for a catalogue without an index, which has to be built first.
const INLINE_FRESH_TOOLS_MAX: usize = 100;

/// Clones are the same scope. Its upstreams are kept while it is held.
#[derive(Clone, Debug)]
pub struct Scope(Arc<ScopeInner>);

/// The catalogue's part besides the upstreams: pages and eye's own verbs. The caller passes the same `Arc` until
/// something changes, so that nothing is indexed twice.
#[derive(Clone, Debug, Default)]
pub struct More {
    pub entries: Vec<Arc<Entry>>,
    pub providers: Vec<Provider>,
    /// Rows about pages, for queries.
    pub pages: Vec<Value>,
}

impl More {
    pub fn catalogue(&self) -> Catalogue {
        Catalogue::new(self.entries.clone(), self.providers.clone(), self.pages.clone())
    }
}

#[derive(Debug)]
struct Server {
    name: Box<str>,
    config: ServerConfig,
    /// `None` if switched off or not trusted; an error if the entry is not valid here.
    upstream: Option<Result<Arc<Upstream>, NotMade>>,
    /// From the project's config, without the user's consent: it is listed, nothing else.
    untrusted: bool,
}

#[derive(Debug)]
struct View {
    layers: Layers,
    servers: Vec<Server>,
}

type Lists = Vec<Arc<Vec<Arc<Entry>>>>;

/// A catalogue with its sources, to see whether it is still current.
#[derive(Debug)]
struct Made {
    lists: Lists,
    more: Arc<More>,
    catalogue: Arc<Catalogue>,
}

#[derive(Debug)]
pub(super) struct ScopeInner {
    shared: Arc<Shared>,
    project: Project,
    /// Servers from the agent's command line.
    overrides: Config,
    number: u64,
    view: Mutex<View>,
    made: Mutex<Option<Made>>,
    /// The roots of the scope's clients, by client number.
    roots: Mutex<BTreeMap<u64, Arc<Vec<Root>>>>,
}

impl ScopeInner {
    pub fn new(shared: Arc<Shared>, project: Project, overrides: Config) -> Self {
        let number = shared.number();
        let settings = &shared.settings;
        let above = settings.overrides.clone().under(overrides.clone());
        let layers = Layers::read(settings.user_config.as_deref(), &project.cwd, &above);
        let servers = servers(&shared, &project, &layers);
        let view = Mutex::new(View { layers, servers });
        Self { shared, project, overrides, number, view, made: Mutex::default(), roots: Mutex::default() }
    }

    /// Whether the scope belongs to this project and these overrides.
    pub fn is_for(&self, project: &Project, overrides: &Config) -> bool {
        self.project == *project && self.overrides == *overrides
    }

    fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads approvals that another process changed.
    pub fn look_at_approvals(&self) {
        for upstream in self.upstreams() {
            upstream.look_at_approvals();
        }
    }

    fn roots(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Vec<Root>>>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn uses(&self, instance: u64) -> bool {
        self.view().servers.iter().filter_map(Server::upstream).any(|upstream| upstream.instance == instance)
    }

    /// The project's folder, as consents name it.
    pub fn project_folder(&self) -> PathBuf {
        self.view().layers.project_folder()
    }

    /// The project's entries without the user's consent.
    pub fn untrusted(&self) -> Vec<ProjectEntry> {
        self.view().layers.project.iter().filter(|entry| !entry.trusted).cloned().collect()
    }

    pub fn upstreams(&self) -> Vec<Arc<Upstream>> {
        self.view().servers.iter().filter_map(Server::upstream).cloned().collect()
    }

    /// Reads the config again if a file changed. With an error in any file, the old config stays and the errors are
    /// kept.
    pub fn reload(&self) -> bool {
        if !self.view().layers.changed() {
            return false;
        }
        let settings = &self.shared.settings;
        let above = settings.overrides.clone().under(self.overrides.clone());
        let mut layers = Layers::read(settings.user_config.as_deref(), &self.project.cwd, &above);
        let mut view = self.view();
        if !layers.errors.is_empty() {
            layers.config = view.layers.config.clone();
            view.layers = layers;
            return false;
        }
        let servers = servers(&self.shared, &self.project, &layers);
        let before = std::mem::replace(&mut *view, View { layers, servers });
        for upstream in before.servers.iter().filter_map(Server::upstream) {
            if !view.servers.iter().filter_map(Server::upstream).any(|other| Arc::ptr_eq(other, upstream)) {
                self.shared.instances.retire(upstream.instance);
            }
        }
        for (client, roots) in &*self.roots() {
            for upstream in view.servers.iter().filter_map(Server::upstream) {
                upstream.set_roots(*client, Some(roots));
            }
        }
        drop(view);
        let change = Change { server: "".into(), kind: ChangeKind::Servers, of: self.number };
        // There may be no listener.
        let _ = self.shared.changes.send(change);
        true
    }
}

impl Server {
    fn upstream(&self) -> Option<&Arc<Upstream>> {
        self.upstream.as_ref().and_then(|upstream| upstream.as_ref().ok())
    }
}

/// Searches a catalogue, and adds the notes. A large catalogue is searched on a blocking thread.
pub async fn search(catalogue: Arc<Catalogue>, query: &str, notes: Vec<String>) -> Result<Discovered, DiscoverError> {
    let with_notes = |found: Result<Discovered, DiscoverError>| found.map(|found| Discovered { notes, ..found });
    let inline_max = if catalogue.was_searched() { INLINE_TOOLS_MAX } else { INLINE_FRESH_TOOLS_MAX };
    if catalogue.entries().len() <= inline_max {
        return with_notes(catalogue.discover(query));
    }
    let query = query.to_owned();
    let searching = tokio::task::spawn_blocking(move || catalogue.discover(&query));
    with_notes(searching.await.unwrap_or(Err(DiscoverError::Empty)))
}

fn servers(shared: &Shared, project: &Project, layers: &Layers) -> Vec<Server> {
    let made = layers.config.servers.iter().map(|(name, config)| {
        let make = || {
            let home = project.env.get("HOME").map(Path::new).filter(|home| home.is_absolute());
            let mut spec = Spec::new(name, config, project, layers.base_of(name, home))?;
            // Consent covers what a project's server runs; its tools need approval besides.
            spec.approves_tools |= layers.project.iter().any(|entry| entry.trusted && entry.name == *name);
            // Instances are keyed by the whole spec: another folder or variable makes another instance.
            shared.instances.get(format!("{spec:?}"), || {
                let settings = &shared.settings;
                let folders =
                    Folders { state: settings.state_folder.as_deref(), logins: settings.login_folder.as_deref() };
                let (changes, metrics) = (shared.changes.clone(), shared.metrics.clone());
                Upstream::new(spec, shared.number(), project.env.clone(), settings.pace, folders, changes, metrics)
            })
        };
        let upstream = (config.enabled != Some(false)).then(make);
        Server { name: name.as_str().into(), config: config.clone(), upstream, untrusted: false }
    });
    let inert = layers.project.iter().filter(|entry| !layers.config.servers.contains_key(&entry.name)).map(|entry| {
        Server { name: entry.name.as_str().into(), config: entry.entry.clone(), upstream: None, untrusted: true }
    });
    made.chain(inert).collect()
}

impl Scope {
    pub(super) fn of(inner: Arc<ScopeInner>) -> Self {
        Self(inner)
    }

    /// Starts the servers whose `startup` is `with_hub`.
    pub(super) fn start_early(&self) {
        if tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        for upstream in self.upstreams() {
            if upstream.spec.startup == Startup::WithHub && upstream.era().is_none() {
                tokio::spawn(async move { upstream.ready().await.map(|_| ()) });
            }
        }
    }

    pub(super) fn upstreams(&self) -> Vec<Arc<Upstream>> {
        self.0.upstreams()
    }

    /// The known tools; of an upstream that has not started, those of the list on disk.
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        self.upstreams().iter().flat_map(|upstream| upstream.entries().to_vec()).collect()
    }

    /// The status of each upstream.
    pub fn servers(&self) -> Vec<ServerStatus> {
        let metrics = &self.0.shared.metrics;
        let view = self.0.view();
        let status = |server: &Server| ServerStatus {
            name: server.name.to_string(),
            title: server.config.name.clone(),
            description: server.config.description.clone(),
            command: server.config.shown(),
            state: match &server.upstream {
                None if server.untrusted => ServerState::Untrusted,
                None => ServerState::Disabled,
                Some(Err(why)) => ServerState::Failed { why: why.to_string() },
                Some(Ok(upstream)) => upstream.state(),
            },
            tools: server.upstream().map_or(0, |upstream| upstream.entries().len()),
            unapproved: server.upstream().map_or(0, |upstream| upstream.unapproved().len()),
            wants_login: server.upstream().is_some_and(|upstream| upstream.wants_login()),
            protocol: server.upstream().and_then(|upstream| upstream.protocol()),
            counters: server.upstream().map_or_else(Default::default, |of| metrics.of_instance(of.instance)),
        };
        view.servers.iter().map(status).collect()
    }

    pub fn config_errors(&self) -> Vec<ConfigError> {
        self.0.view().layers.errors.clone()
    }

    /// Whether the config enables the onboarding tools.
    pub fn onboarding(&self) -> bool {
        self.0.view().layers.config.onboarding == Some(true)
    }

    /// The store of the onboarding tools, if they are enabled and there is a state folder.
    pub fn onboarding_store(&self) -> Option<Onboarding> {
        let folder = self.0.shared.settings.state_folder.as_ref().filter(|_| self.onboarding())?;
        Some(Onboarding::new(folder.join("onboarding")))
    }

    /// The catalogue, reused while its sources are the same.
    pub fn catalogue(&self, more: &Arc<More>) -> Arc<Catalogue> {
        let upstreams = self.upstreams();
        let lists: Lists = upstreams.iter().map(|upstream| upstream.entries()).collect();
        let mut made = self.0.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*made
            && Arc::ptr_eq(&made.more, more)
            && made.lists.len() == lists.len()
            && made.lists.iter().zip(&lists).all(|(one, other)| Arc::ptr_eq(one, other))
        {
            return Arc::clone(&made.catalogue);
        }
        let entries = lists.iter().flat_map(|list| list.iter()).chain(&more.entries).cloned().collect();
        let own = self.servers().into_iter().map(|server| Provider {
            available: !matches!(
                server.state,
                ServerState::Failed { .. } | ServerState::Disabled | ServerState::Untrusted
            ),
            instructions: self.instructions(&server.name),
            name: server.name,
            description: server.description,
            command: server.command,
        });
        let providers = own.chain(more.providers.iter().cloned()).collect();
        let catalogue = Arc::new(Catalogue::new(entries, providers, more.pages.clone()));
        *made = Some(Made { lists, more: Arc::clone(more), catalogue: Arc::clone(&catalogue) });
        catalogue
    }

    /// Searches by words or JSONPath.
    pub async fn discover(&self, query: &str, more: &Arc<More>) -> Result<Discovered, DiscoverError> {
        search(self.catalogue(more), query, self.notes()).await
    }

    /// Resolves a name, without starting anything.
    pub fn resolve(&self, name: &str, more: &Arc<More>) -> Result<Arc<Entry>, Unresolved> {
        self.catalogue(more).resolve(name).cloned()
    }

    pub(super) fn upstream(&self, server: &str) -> Result<Arc<Upstream>, RpcError> {
        let view = self.0.view();
        match view.servers.iter().find(|known| &*known.name == server) {
            Some(Server { upstream: Some(Ok(upstream)), .. }) => Ok(Arc::clone(upstream)),
            Some(Server { upstream: Some(Err(why)), .. }) => {
                Err(Error::new(Code::CONNECTION, format!("the server {server} cannot start: {why}")).into())
            }
            Some(Server { upstream: None, untrusted: true, .. }) => {
                let what = format!("the server {server} comes from this project's config and is not trusted");
                let hint = format!("`eye servers trust {server}` shows what it would run, and asks the user");
                Err(Error::new(Code::DENIED, what).hint(hint).into())
            }
            Some(Server { upstream: None, .. }) => {
                let error = Error::new(Code::DENIED, format!("the server {server} is switched off"));
                Err(error.hint("set `enabled: true` in its config").into())
            }
            None => {
                let names: Vec<&str> = view.servers.iter().map(|server| &*server.name).collect();
                let error = Error::new(Code::PARAMS, format!("no server is called {server}"));
                let hint = match names.join(", ") {
                    none if none.is_empty() => "there are none; `eye servers add` adds one".to_owned(),
                    names => format!("there are {names}"),
                };
                Err(error.hint(hint).into())
            }
        }
    }

    /// Calls a tool. `params` is `{name, arguments, _meta, …}`, passed on unchanged except for the progress token.
    pub async fn call_tool(
        &self,
        server: &str,
        params: Box<RawValue>,
        context: CallContext,
    ) -> Result<Box<RawValue>, RpcError> {
        self.upstream(server)?.call_tool(params, &context).await
    }

    /// Sends any other request: `resources/*`, `prompts/*`, `completion/*`.
    pub async fn request(
        &self,
        server: &str,
        method: &str,
        params: Option<Box<RawValue>>,
        context: CallContext,
    ) -> Result<Box<RawValue>, RpcError> {
        match (method, params) {
            // `allow` and `deny` of the config apply on every way to a tool.
            ("tools/call", Some(params)) => self.call_tool(server, params, context).await,
            (_, params) => self.upstream(server)?.request(method, params, &context).await,
        }
    }

    /// The limit for one call of a server.
    pub fn timeout_of(&self, server: &str) -> Duration {
        self.upstream(server).map_or(CALL, |upstream| upstream.spec.timeout)
    }

    /// Starts a server if it is not running, and returns when it is ready.
    pub async fn start(&self, server: &str) -> Result<(), RpcError> {
        self.upstream(server)?.ready().await.map(|_| ())
    }

    /// The era of a running server: its results may need other fields for a client of the other era.
    pub fn era(&self, server: &str) -> Option<Era> {
        self.upstream(server).ok()?.era()
    }

    /// The capabilities of a running server.
    pub fn capabilities(&self, server: &str) -> Option<Value> {
        self.upstream(server).ok()?.capabilities()
    }

    /// The server's own instructions for using it.
    pub fn instructions(&self, server: &str) -> Option<String> {
        self.upstream(server).ok()?.instructions()
    }

    /// A new number for a client with roots.
    pub fn client_number(&self) -> u64 {
        self.0.shared.number()
    }

    /// Sets a client's roots from its `roots/list` result; `None` when the client is gone. Running servers are notified
    /// if their list changes.
    pub fn set_roots(&self, client: u64, result: Option<&str>) {
        let roots = match result.map(read_roots) {
            Some(None) => return,
            Some(Some(roots)) => Some(Arc::new(roots)),
            None => None,
        };
        match &roots {
            Some(roots) => self.0.roots().insert(client, Arc::clone(roots)),
            None => self.0.roots().remove(&client),
        };
        for upstream in self.upstreams() {
            upstream.set_roots(client, roots.as_ref());
        }
    }

    /// A receiver of changes of this scope.
    pub fn changes(&self) -> Changes {
        Changes { receiver: self.0.shared.changes.subscribe(), scope: Arc::clone(&self.0) }
    }
}

/// The changes of a scope's upstreams.
#[derive(Debug)]
pub struct Changes {
    receiver: broadcast::Receiver<Change>,
    scope: Arc<ScopeInner>,
}

impl Changes {
    /// The next change that concerns this scope. After a lag it is `Servers`, which means that anything may have
    /// changed.
    pub async fn recv(&mut self) -> Option<Change> {
        loop {
            match self.receiver.recv().await {
                Ok(change) if change.of == self.scope.number || self.scope.uses(change.of) => return Some(change),
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    return Some(Change { server: "".into(), kind: ChangeKind::Servers, of: self.scope.number });
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}
