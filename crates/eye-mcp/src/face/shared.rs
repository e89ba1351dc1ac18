//! The state that all clients of a face share: the hub, the gateway and caches. Nothing about single clients.

use super::keeping::Keeping;
use super::offers::Offers;
use super::parking::Parking;
use super::pieces::Pieces;
use super::seal::Seal;
use crate::{Gateway, Scope};
use eye_protocol::local::LocalHub;
use eye_protocol::rpc::json;
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

#[derive(Debug)]
pub struct Shared {
    hub: OnceLock<Box<dyn LocalHub>>,
    gateway: Gateway,
    /// The upstreams of clients without a folder: those over HTTP.
    own_scope: OnceLock<Scope>,
    offers: Option<Arc<dyn Offers>>,
    server_info: String,
    seal: Seal,
    parking: Arc<Parking>,
    keeping: Keeping,
    pieces: Pieces,
    closing: CancellationToken,
}

impl Shared {
    pub fn new(gateway: Gateway, version: &str, offers: Option<Arc<dyn Offers>>) -> Self {
        Self {
            hub: OnceLock::new(),
            gateway,
            own_scope: OnceLock::new(),
            offers,
            server_info: format!(r#"{{"name":"eye","version":{}}}"#, json(version)),
            seal: Seal::new(),
            parking: Arc::default(),
            keeping: Keeping::default(),
            pieces: Pieces::default(),
            closing: CancellationToken::new(),
        }
    }

    /// Starts serving: `hub` is the way into the hub.
    pub fn begin(&self, hub: Box<dyn LocalHub>) {
        let _ = self.hub.set(hub);
    }

    /// The hub, unless it is not serving yet or shutting down.
    pub fn hub(&self) -> Option<&dyn LocalHub> {
        self.hub.get().map(AsRef::as_ref).filter(|_| !self.closing.is_cancelled())
    }

    pub fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    /// The upstreams of clients without a folder.
    pub fn own_scope(&self) -> Scope {
        self.own_scope.get_or_init(|| self.gateway.own_scope()).clone()
    }

    pub fn offers(&self) -> Option<&Arc<dyn Offers>> {
        self.offers.as_ref()
    }

    /// Name and version, as JSON text.
    pub fn server_info(&self) -> &str {
        &self.server_info
    }

    pub fn seal(&self) -> &Seal {
        &self.seal
    }

    /// The parked calls.
    pub fn parking(&self) -> &Arc<Parking> {
        &self.parking
    }

    /// The cache of the catalogue's pages.
    pub fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    /// Large results that are read in pieces.
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// Cancelled when the hub shuts down.
    pub fn closing(&self) -> &CancellationToken {
        &self.closing
    }
}
