//! What a hub needs to know before it starts, and why it may not start. Nothing here reads the environment.

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

/// Everything a hub is told. Paths come from the caller.
#[derive(Clone, Debug)]
pub struct Config {
    /// The Unix socket; its folder is made (0700) when missing, and must be this user's own.
    pub socket: PathBuf,
    /// Where to listen for HTTP and `WebSocket`s.
    pub listen: SocketAddr,
    /// The listening port is published to loopback only, by a container or a tunnel: beyond loopback without TLS is
    /// allowed.
    pub published: bool,
    /// Users whose programs pass on what this user's browser sends: proxies that run as another user.
    pub proxy_users: Vec<u32>,
    /// Host names that are allowed beside the loopback ones.
    pub hosts: Vec<String>,
    /// Who may be an agent over TCP.
    pub auth: Auth,
    /// Certificate and key, for HTTPS and wss.
    pub tls: Option<Tls>,
    /// The file of allowed origins.
    pub origins_file: PathBuf,
    /// Where the hub remembers its sessions across a restart.
    pub state_dir: PathBuf,
    /// Folders of which only single files are served when an agent opens one: home and the temporary folders.
    pub wide_folders: Vec<PathBuf>,
    /// What the audit log holds.
    pub audit: AuditMode,
    /// How often one client may ask that speaks BTCP over TCP.
    pub rate: Rate,
    /// Where the call ids of sessions begin: [`random_first_calls`], except where a test has to know them.
    pub first_calls: FirstCalls,
    /// What is mounted into the hub beside its own endpoints, in this order.
    pub guests: Vec<Arc<dyn Guest>>,
}

/// What holds when the user's config says nothing of it.
pub const RATE_DEFAULT: Rate = Rate { per_s: BTCP_CALLS_PER_S_DEFAULT, burst: BTCP_CALLS_BURST_DEFAULT };

/// Beginnings of call ids that an earlier hub did not have.
pub fn random_first_calls() -> FirstCalls {
    FirstCalls::new(session_id::key())
}

/// What a hub says once it serves.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The address it listens on, with the port it really got.
    pub listen: SocketAddr,
    /// Whether it speaks TLS.
    pub tls: bool,
}
