//! The configuration of a hub. Nothing here reads the environment.

use crate::audit::AuditMode;
use crate::gate::Auth;
use crate::hub::session_id;
use crate::mount::Guest;
use crate::transport::tls::Tls;
use eye_core::calls::FirstCalls;
use eye_core::rate::Rate;
use eye_protocol::limits::{BTCP_CALLS_BURST_DEFAULT, BTCP_CALLS_PER_S_DEFAULT};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// The whole configuration of a hub. The caller supplies all paths.
#[derive(Clone, Debug)]
pub struct Config {
    /// The Unix socket. Its folder is created (0700) if missing, and must belong to this user.
    pub socket: PathBuf,
    /// Address for HTTP and `WebSocket` connections.
    pub listen: SocketAddr,
    /// The listening port is published to loopback only, by a container or a tunnel: listening beyond loopback without
    /// TLS is then allowed.
    pub published: bool,
    /// User ids of proxies that forward this user's browser traffic but run as another user.
    pub proxy_users: Vec<u32>,
    /// Allowed host names besides the loopback ones.
    pub hosts: Vec<String>,
    /// How agents authenticate over TCP.
    pub auth: Auth,
    /// Certificate and key for HTTPS and wss.
    pub tls: Option<Tls>,
    pub origins_file: PathBuf,
    /// Where the hub stores its sessions across a restart.
    pub state_dir: PathBuf,
    /// Folders such as home and the temporary folders: an agent can open single files in them, never the whole folder.
    pub wide_folders: Vec<PathBuf>,
    /// What the audit log records.
    pub audit: AuditMode,
    /// How often one BTCP client over TCP may send calls.
    pub rate: Rate,
    /// First call ids of sessions: [`random_first_calls`], except in tests that need fixed ids.
    pub first_calls: FirstCalls,
    /// Guests mounted into the hub beside its own endpoints, in this order.
    pub guests: Vec<Arc<dyn Guest>>,
}

/// Used when the user's config sets no rate.
pub const RATE_DEFAULT: Rate = Rate { per_s: BTCP_CALLS_PER_S_DEFAULT, burst: BTCP_CALLS_BURST_DEFAULT };

/// Random first call ids, so that they differ from those of an earlier hub.
pub fn random_first_calls() -> FirstCalls {
    FirstCalls::new(session_id::key())
}

/// What a hub reports once it serves.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The listening address with the actual port.
    pub listen: SocketAddr,
    pub tls: bool,
}
