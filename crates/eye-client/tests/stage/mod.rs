//! A real hub in this process, on a real socket and a real port, for the tests of the client.
#![allow(dead_code, reason = "each test file is a crate of its own and uses what it needs")]
#![allow(clippy::unwrap_used, reason = "this is test code, although no function here is a test")]

use eye_client::{Address, Agent, Page};
use eye_hub::guests::{BtcpOverHttp, OriginalEye};
use eye_hub::{Auth, Config, HubError, Token};
use serde_json::json;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long anything may take before the test fails. It is never waited out when all is well.
pub const DEADLINE: Duration = Duration::from_mins(1);
const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// A hub that ends with this value.
pub struct Hub {
    pub socket: Address,
    pub server: Address,
    pub port: u16,
    thread: Option<JoinHandle<Result<(), HubError>>>,
    _home: tempfile::TempDir,
}

impl Hub {
    /// Starts a hub and waits until it serves.
    pub fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let socket = home.path().join("run/hub.sock");
        let config = Config {
            socket: socket.clone(),
            listen: "127.0.0.1:0".parse().unwrap(),
            published: false,
            proxy_users: Vec::new(),
            hosts: Vec::new(),
            auth: Auth::Token(Token::new(TOKEN)),
            tls: None,
            origins_file: home.path().join("origins"),
            state_dir: home.path().join("state"),
            wide_folders: Vec::new(),
            audit: eye_hub::AuditMode::Off,
            first_calls: eye_hub::random_first_calls(),
            rate: eye_hub::RATE_DEFAULT,
            guests: vec![Arc::new(BtcpOverHttp), Arc::new(OriginalEye)],
        };
        let (sender, ready) = channel();
        let thread = std::thread::spawn(move || {
            eye_hub::run(config, |ready: &eye_hub::Ready| {
                let _ = sender.send(ready.clone());
            })
        });
        let listen = ready.recv_timeout(DEADLINE).unwrap().listen;
        Self {
            socket: Address::socket(socket),
            server: Address::server(format!("ws://{listen}"), TOKEN),
            port: listen.port(),
            thread: Some(thread),
            _home: home,
        }
    }

    /// Both ways to reach it.
    pub fn addresses(&self) -> [&Address; 2] {
        [&self.socket, &self.server]
    }

    /// Lets it shut down, and waits until it has.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(thread) = self.thread.take() {
            if let Ok(agent) = Agent::connect(&self.socket) {
                let _ = agent.request("hub/stop", &json!({}));
            }
            let _ = thread.join();
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.end();
    }
}

/// What a tool gave, as text.
pub fn text(result: &serde_json::Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// The definition of a tool that takes anything.
pub fn named(name: &str) -> serde_json::Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

/// A page whose tool `hold` waits until it is cancelled, and says that it began and how it ended.
pub fn holding(hub: &Hub) -> (Page, Receiver<&'static str>) {
    let (said, heard) = channel();
    let page = Page::builder().session("holding").tool(named("hold"), move |call| {
        said.send("began").unwrap();
        let cancelled = call.wait_cancelled(DEADLINE);
        said.send(if cancelled { "cancelled" } else { "too late" }).unwrap();
        Ok(json!("held"))
    });
    (page.connect(&hub.socket).unwrap(), heard)
}
