//! The gateway's handle: creates scopes, and runs the task that watches config files and ends unused upstreams.

use super::instances::Instances;
use super::library;
use super::scope::{Scope, ScopeInner};
use super::shared::{Settings, Shared};
use crate::catalogue::{DiscoverError, Discovered};
use crate::config::Config;
use crate::context::Project;
use crate::limits::{CHANGES_MAX, CONFIG_LOOK, LEARN, LINGER, SCOPES_KEPT_MAX};
use crate::metrics::Metrics;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::broadcast;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Clones are the same gateway. When the last one is dropped, its upstreams end.
#[derive(Clone, Debug)]
pub struct Gateway(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    scopes: Mutex<Vec<Weak<ScopeInner>>>,
    /// Scopes that were used recently: a command-line client asks, exits, and asks again.
    recent: Mutex<Vec<(Instant, Arc<ScopeInner>)>>,
    tended: AtomicBool,
}

impl Gateway {
    /// Starts no upstream: they start when first used.
    pub fn new(settings: Settings) -> Self {
        let shared = Shared {
            settings,
            metrics: Metrics::default(),
            changes: broadcast::channel(CHANGES_MAX).0,
            instances: Instances::default(),
            numbers: AtomicU64::new(1),
            stopped: CancellationToken::new(),
        };
        Self(Arc::new(Inner {
            shared: Arc::new(shared),
            scopes: Mutex::default(),
            recent: Mutex::default(),
            tended: AtomicBool::new(false),
        }))
    }

    /// The upstreams as this project sees them: its config, its folder, its environment.
    pub fn scope(&self, project: Project) -> Scope {
        self.scope_with(project, Config::default())
    }

    /// Like [`Gateway::scope`], for an agent whose command line names servers: these override every file.
    pub fn scope_with(&self, project: Project, overrides: Config) -> Scope {
        self.tend();
        let mut scopes = self.0.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        scopes.retain(|scope| scope.strong_count() > 0);
        let same = scopes.iter().filter_map(Weak::upgrade).find(|scope| scope.is_for(&project, &overrides));
        // A caller that has just changed a config expects the new one.
        if let Some(scope) = &same {
            scope.reload();
        }
        let scope = same.unwrap_or_else(|| {
            let scope = Arc::new(ScopeInner::new(Arc::clone(&self.0.shared), project, overrides));
            scopes.push(Arc::downgrade(&scope));
            scope
        });
        drop(scopes);
        let mut recent = self.0.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.retain(|(_, other)| !Arc::ptr_eq(other, &scope));
        let over = (recent.len() + 1).saturating_sub(SCOPES_KEPT_MAX);
        recent.drain(..over);
        recent.push((Instant::now(), Arc::clone(&scope)));
        drop(recent);
        let scope = Scope::of(scope);
        scope.start_early();
        scope
    }

    /// The scope of this process.
    pub fn own_scope(&self) -> Scope {
        self.scope(self.0.shared.settings.project.clone())
    }

    /// Answers one JSON-RPC request. `tools/list` lists `mcp_discover` and `mcp_call`; every tool of every upstream can
    /// be called by its name, through `mcp_call` or directly.
    pub async fn call(&self, request: Value) -> Value {
        library::call(&self.own_scope(), request).await
    }

    /// Searches by words or JSONPath. Upstreams that were never listed are listed first, for [`LEARN`] at most.
    pub async fn discover(&self, query: &str) -> Result<Discovered, DiscoverError> {
        let scope = self.own_scope();
        scope.learn(LEARN).await;
        scope.discover(query, &Arc::default()).await
    }

    pub fn metrics(&self) -> &Metrics {
        &self.0.shared.metrics
    }

    /// Ends every upstream, and returns when their processes are gone.
    pub async fn shut_down(&self) {
        self.0.shared.stopped.cancel();
        self.0.shared.instances.shut_down().await;
    }

    /// Starts the background task, once, as soon as there is a runtime.
    fn tend(&self) {
        if tokio::runtime::Handle::try_current().is_err() || self.0.tended.swap(true, Ordering::Relaxed) {
            return;
        }
        let (gateway, stopped) = (Arc::downgrade(&self.0), self.0.shared.stopped.clone());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = stopped.cancelled() => return,
                    () = tokio::time::sleep(CONFIG_LOOK) => {}
                }
                let Some(inner) = gateway.upgrade() else { return };
                // Files may be on a disk that does not respond, so they are read on a blocking thread.
                let _ = tokio::task::spawn_blocking(move || Gateway(inner).look()).await;
            }
        });
    }

    /// The scopes that are held by agents or were used recently.
    pub(super) fn live(&self) -> Vec<Arc<ScopeInner>> {
        let scopes = self.0.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        scopes.iter().filter_map(Weak::upgrade).collect()
    }

    pub(super) fn user_config(&self) -> Option<PathBuf> {
        self.0.shared.settings.user_config.clone()
    }

    pub(super) fn look(&self) {
        let now = Instant::now();
        self.0.recent.lock().unwrap_or_else(PoisonError::into_inner).retain(|(since, _)| now - *since < LINGER);
        let scopes = self.live();
        for scope in &scopes {
            if self.0.shared.stopped.is_cancelled() {
                return;
            }
            scope.look_at_approvals();
            if scope.reload() {
                Scope::of(Arc::clone(scope)).start_early();
            }
        }
        self.0.shared.instances.end_forgotten(|instance| scopes.iter().any(|scope| scope.uses(instance)));
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.stopped.cancel();
        self.shared.instances.stop();
    }
}
