//! A real hub in this process (`eye-testkit`'s), for the tests of the client.
#![allow(clippy::unwrap_used, reason = "this is test code, although no function here is a test")]

use eye_client::{Address, Page};
pub use eye_testkit::DEADLINE;
use eye_testkit::inside::{InProcessHub, TOKEN};
use serde_json::json;
use std::sync::mpsc::{Receiver, channel};

/// A hub that ends when this value is dropped.
pub struct Hub {
    pub socket: Address,
    pub server: Address,
    pub port: u16,
    inside: InProcessHub,
}

impl Hub {
    /// Starts a hub and waits until it serves.
    pub fn start() -> Self {
        let inside = InProcessHub::start();
        Self {
            socket: Address::socket(inside.socket.clone()),
            server: Address::server(format!("ws://{}", inside.listen), TOKEN),
            port: inside.listen.port(),
            inside,
        }
    }

    /// Both ways to connect to it.
    pub fn addresses(&self) -> [&Address; 2] {
        [&self.socket, &self.server]
    }

    /// Shuts it down, and waits for its end.
    pub fn stop(self) {
        self.inside.stop();
    }
}

/// The text of a tool's result.
pub fn text(result: &serde_json::Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// The definition of a tool that accepts any object.
pub fn named(name: &str) -> serde_json::Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

/// A page whose tool `hold` waits until it is cancelled; the receiver gets its beginning and its ending.
pub fn holding(hub: &Hub) -> (Page, Receiver<&'static str>) {
    let (codes, received) = channel();
    let page = Page::builder().session("holding").tool(named("hold"), move |call| {
        codes.send("began").unwrap();
        let cancelled = call.wait_cancelled(DEADLINE);
        codes.send(if cancelled { "cancelled" } else { "too late" }).unwrap();
        Ok(json!("held"))
    });
    (page.connect(&hub.socket).unwrap(), received)
}
