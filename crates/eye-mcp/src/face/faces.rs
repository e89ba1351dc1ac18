//! All faces of one hub: what their clients share, and the sessions of those over HTTP. What each face does is in
//! `stdio`, `http`, `original` and `agents`.

use super::call::Provider;
use super::client::{Client, Newcomer};
use super::offers::Offers;
use super::sessions::Sessions;
use super::shared::Shared;
use crate::Gateway;
use eye_protocol::local::LocalHub;
use std::sync::Arc;

/// All faces of one hub. Clones are the same.
#[derive(Clone, Debug)]
pub struct Face(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    provider: Option<Arc<dyn Provider>>,
    sessions: Sessions,
}

impl Face {
    /// A face of this version, in front of a gateway.
    pub fn new(gateway: Gateway, version: &str) -> Self {
        Self::with(gateway, version, None)
    }

    /// The same, with tools, resources and prompts of the caller's own.
    pub fn with(gateway: Gateway, version: &str, provider: Option<Arc<dyn Provider>>) -> Self {
        let offers = provider.clone().map(|provider| provider as Arc<dyn Offers>);
        let shared = Arc::new(Shared::new(gateway, version, offers));
        Self(Arc::new(Inner { shared, provider, sessions: Sessions::default() }))
    }

    /// The hub serves from now on.
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

    /// What upstreams have done, for `/metrics`.
    pub fn metrics(&self) -> String {
        self.0.shared.gateway().metrics().prometheus()
    }

    /// Lets a client in. `None`: the hub shuts down.
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
