//! What all clients of a face share: the ways to the hub and to the upstreams, and what is kept for them. Knows no
//! client.

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

/// What all clients share.
#[derive(Debug)]
pub struct Shared {
    hub: OnceLock<Box<dyn LocalHub>>,
    gateway: Gateway,
    /// For clients that say nothing of a folder: those over HTTP.
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
    /// Of a face of this version, in front of a gateway and beside what the embedding program offers.
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

    /// The hub serves from now on.
    pub fn begin(&self, hub: Box<dyn LocalHub>) {
        let _ = self.hub.set(hub);
    }

    /// The hub, while it serves.
    pub fn hub(&self) -> Option<&dyn LocalHub> {
        self.hub.get().map(AsRef::as_ref).filter(|_| !self.closing.is_cancelled())
    }

    /// The gateway to upstreams.
    pub fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    /// The upstreams of clients that say nothing of a folder.
    pub fn own_scope(&self) -> Scope {
        self.own_scope.get_or_init(|| self.gateway.own_scope()).clone()
    }

    /// What the embedding program offers of its own.
    pub fn offers(&self) -> Option<&Arc<dyn Offers>> {
        self.offers.as_ref()
    }

    /// Name and version, as JSON text.
    pub fn server_info(&self) -> &str {
        &self.server_info
    }

    /// Seals what clients are to hand back.
    pub fn seal(&self) -> &Seal {
        &self.seal
    }

    /// Calls that wait for an answer of their users.
    pub fn parking(&self) -> &Arc<Parking> {
        &self.parking
    }

    /// What is kept of everything that can be called.
    pub fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    /// Large results.
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// Set when the hub shuts down.
    pub fn closing(&self) -> &CancellationToken {
        &self.closing
    }
}
