//! The MCP faces of eye: stdio through the hub's Unix socket, and Streamable HTTP; both eras on each.
//!
//! A face knows no socket and no HTTP server: requests, byte streams and a way into the hub are handed to it.

mod ask;
mod audited;
mod begin;
mod call;
mod called;
mod catalogue;
mod client;
mod content;
mod era;
mod errand;
mod fresh;
#[cfg(target_os = "linux")]
pub mod handover;
mod held;
mod http;
mod hub;
mod in_turn;
mod limits;
mod message;
mod methods;
mod original;
mod outcome;
mod pieces;
mod provider;
mod pump;
mod resources;
mod seal;
mod select;
mod sessions;
mod stdio;
mod tools;
mod unread;
mod verbs;

pub use call::{Call, Outlet, Stop};
pub use client::Change;
pub use era::{Era, missing_capability};
pub use http::Body;
pub use hub::{Auditor, Counter, Hub, Identity, Later, Link, ProgressSender, ServerCall};
pub use outcome::Outcome;
pub use provider::{List, Provider};
pub use stdio::Announcement;
pub use tools::{INSTRUCTIONS, TOOLS};

use crate::{Gateway, Scope};
use catalogue::Keeping;
use errand::Parking;
use eye_protocol::rpc::json;
use pieces::Pieces;
use seal::Seal;
use sessions::Sessions;
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// All faces of one hub. Clones are the same.
#[derive(Clone, Debug)]
pub struct Face(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    hub: OnceLock<Box<dyn Hub>>,
    gateway: Gateway,
    /// For clients that say nothing of a folder: those over HTTP.
    own_scope: OnceLock<Scope>,
    provider: Option<Arc<dyn Provider>>,
    server_info: String,
    sessions: Sessions,
    seal: Seal,
    parking: Arc<Parking>,
    keeping: OnceLock<Keeping>,
    pieces: Pieces,
    closing: CancellationToken,
}

impl Face {
    /// A face of this version, in front of a gateway.
    pub fn new(gateway: Gateway, version: &str) -> Self {
        Self::with(gateway, version, None)
    }

    /// The same, with tools, resources and prompts of the caller's own.
    pub fn with(gateway: Gateway, version: &str, provider: Option<Arc<dyn Provider>>) -> Self {
        Self(Arc::new(Inner {
            hub: OnceLock::new(),
            gateway,
            own_scope: OnceLock::new(),
            provider,
            server_info: format!(r#"{{"name":"eye","version":{}}}"#, json(version)),
            sessions: Sessions::default(),
            seal: Seal::new(),
            parking: Arc::default(),
            keeping: OnceLock::new(),
            pieces: Pieces::default(),
            closing: CancellationToken::new(),
        }))
    }

    /// The hub serves from now on.
    pub fn begin(&self, hub: Box<dyn Hub>) {
        let _ = self.0.keeping.set(Keeping::new(hub.changes()));
        let _ = self.0.hub.set(hub);
    }

    /// Ends every session, stream and upstream.
    pub async fn shut_down(&self) {
        self.0.closing.cancel();
        self.0.sessions.clear();
        self.0.parking.clear();
        self.0.gateway.shut_down().await;
    }

    /// What upstreams have done, for `/metrics`.
    pub fn metrics(&self) -> String {
        self.0.gateway.metrics().prometheus()
    }

    fn hub(&self) -> Option<&dyn Hub> {
        self.0.hub.get().map(AsRef::as_ref).filter(|_| !self.0.closing.is_cancelled())
    }

    fn gateway(&self) -> &Gateway {
        &self.0.gateway
    }

    fn own_scope(&self) -> Scope {
        self.0.own_scope.get_or_init(|| self.0.gateway.own_scope()).clone()
    }

    fn provider(&self) -> Option<&Arc<dyn Provider>> {
        self.0.provider.as_ref()
    }

    /// Name and version, as JSON text.
    fn server_info(&self) -> &str {
        &self.0.server_info
    }

    fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    fn seal(&self) -> &Seal {
        &self.0.seal
    }

    fn parking(&self) -> &Arc<Parking> {
        &self.0.parking
    }

    fn keeping(&self) -> Option<&Keeping> {
        self.0.keeping.get()
    }

    fn pieces(&self) -> &Pieces {
        &self.0.pieces
    }

    fn closing(&self) -> &CancellationToken {
        &self.0.closing
    }
}
