//! A real hub on a thread of the test's process, with a real socket and port, for tests that need settings that the
//! command line does not have. It uses only the public API of `eye-hub`.

use crate::deadline::DEADLINE;
use eye_client::{Address, Agent};
use eye_core::calls::FirstCalls;
use eye_hub::guests::{BtcpOverHttp, OriginalEye, PassThrough};
use eye_hub::origins::Origins;
use eye_hub::{AuditMode, Auth, Config, HubError, RATE_DEFAULT, Ready, Token};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use tempfile::TempDir;

/// The token of hubs made here.
pub const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// The default configuration of a test. The hub writes only into this folder.
pub fn config(home: &Path) -> Config {
    Config {
        audit: AuditMode::Off,
        socket: home.join("run/hub.sock"),
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        published: false,
        proxy_users: Vec::new(),
        hosts: Vec::new(),
        auth: Auth::Token(Token::new(TOKEN)),
        tls: None,
        origins_file: home.join("origins"),
        state_dir: home.join("state"),
        wide_folders: Vec::new(),
        rate: RATE_DEFAULT,
        // Tests rely on the ids: every session begins at 1.
        first_calls: FirstCalls::default(),
        guests: vec![Arc::new(BtcpOverHttp), Arc::new(OriginalEye), Arc::new(PassThrough::new(None))],
    }
}

/// A hub in this process. It ends when dropped.
#[derive(Debug)]
pub struct InProcessHub {
    /// The address for pages.
    pub listen: SocketAddr,
    /// The Unix socket for agents.
    pub socket: PathBuf,
    origins_file: PathBuf,
    thread: Option<JoinHandle<Result<(), HubError>>>,
    _home: TempDir,
}

impl InProcessHub {
    /// Starts a hub and waits until it serves.
    pub fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// Starts a hub with a changed configuration.
    pub fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let home = tempfile::tempdir().expect("a home");
        let mut config = config(home.path());
        change(&mut config);
        let (socket, origins_file) = (config.socket.clone(), config.origins_file.clone());
        let (sender, ready) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            eye_hub::run(config, |ready: &Ready| {
                let _ = sender.send(ready.clone());
            })
        });
        let Ready { listen, .. } = ready.recv_timeout(DEADLINE).expect("the hub is ready");
        Self { listen, socket, origins_file, thread: Some(thread), _home: home }
    }

    /// The list of origins that `eye allow` writes.
    pub fn origins(&self) -> Origins {
        Origins::new(self.origins_file.clone())
    }

    /// Waits until the hub ends by itself.
    pub fn join(mut self) -> Result<(), HubError> {
        self.thread.take().expect("the hub runs").join().expect("the hub does not panic")
    }

    /// Shuts the hub down and waits until it has ended.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Fails if it has already ended by itself.
            if let Ok(agent) = Agent::connect(&Address::socket(self.socket.clone())) {
                let _ = agent.request("hub/stop", &serde_json::json!({}));
            }
            let _ = thread.join();
        }
    }
}

impl Drop for InProcessHub {
    fn drop(&mut self) {
        self.end();
    }
}
