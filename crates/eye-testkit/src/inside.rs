//! A real hub on a thread of the test's own process, with a real socket and a real port, for tests that need what no
//! command line can say. It knows what `eye-hub` offers, and nothing of its inside.

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

/// The token of such a hub.
pub const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// What a hub is told when a test says nothing else. Everything that it writes is in the folder.
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
        // Tests know the ids: every session begins at 1.
        first_calls: FirstCalls::default(),
        guests: vec![Arc::new(BtcpOverHttp), Arc::new(OriginalEye), Arc::new(PassThrough::new(None))],
    }
}

/// A hub in this process that ends with this value.
#[derive(Debug)]
pub struct InProcessHub {
    /// Where it serves pages.
    pub listen: SocketAddr,
    /// Where it serves agents.
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

    /// The same with another configuration.
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

    /// The list that `eye allow` writes.
    pub fn origins(&self) -> Origins {
        Origins::new(self.origins_file.clone())
    }

    /// Waits for the hub to end by itself.
    pub fn join(mut self) -> Result<(), HubError> {
        self.thread.take().expect("the hub runs").join().expect("the hub does not panic")
    }

    /// Lets it shut down, and waits until it has.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(thread) = self.thread.take() {
            // It may have ended by itself.
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
