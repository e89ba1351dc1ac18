//! All faces of one hub, with the state that their clients share and the sessions over HTTP. The faces themselves are
//! in `stdio`, `http`, `original` and `agents`.

use super::call::Provider;
use super::client::{Client, Newcomer};
use super::offers::Offers;
use super::sessions::Sessions;
use super::shared::Shared;
use crate::Gateway;
use eye_protocol::local::LocalHub;
use std::sync::Arc;

/// All faces of one hub. Clones share the same state.
#[derive(Clone, Debug)]
pub struct Face(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    provider: Option<Arc<dyn Provider>>,
    sessions: Sessions,
}

impl Face {
    /// `version` is the server version that clients see.
    pub fn new(gateway: Gateway, version: &str) -> Self {
        Self::with(gateway, version, None)
    }

    /// Like [`Face::new`], with the embedding program's own tools, resources and prompts.
    pub fn with(gateway: Gateway, version: &str, provider: Option<Arc<dyn Provider>>) -> Self {
        let offers = provider.clone().map(|provider| provider as Arc<dyn Offers>);
        let shared = Arc::new(Shared::new(gateway, version, offers));
        Self(Arc::new(Inner { shared, provider, sessions: Sessions::default() }))
    }

    /// Starts serving: `hub` is the way into the hub.
    pub fn begin(&self, hub: Box<dyn LocalHub>) {
        self.0.shared.begin(hub);
    }

    /// Ends every session, stream and upstream.
    pub async fn shut_down(&self) {
        self.0.shared.closing().cancel();
        self.0.sessions.clear();
        self.0.shared.parking().clear();
        self.0.shared.gateway().shut_down().await;
    }

    /// The metrics of upstreams, for `/metrics`.
    pub fn metrics(&self) -> String {
        self.0.shared.gateway().metrics().prometheus()
    }

    /// Admits a client. `None` if the hub is shutting down.
    pub(super) fn client(&self, newcomer: Newcomer) -> Option<Arc<Client>> {
        Client::new(&self.0.shared, newcomer)
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.0.shared
    }

    pub(super) fn provider(&self) -> Option<Arc<dyn Provider>> {
        self.0.provider.clone()
    }

    pub(super) fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }
}
