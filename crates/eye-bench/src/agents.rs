//! The agents that ask: on the Unix socket, and on a WebSocket.

use crate::error::{BenchError, Doing};
use eye_client::Address;
use eye_client::connection::{Connection, Opening};
use std::path::Path;

/// What can ask one thing, or many at once.
pub trait Asks {
    /// Asks and waits.
    fn ask(&mut self, code: &str) -> Result<(), BenchError>;
    /// Asks so many times at once and waits for all.
    fn ask_many(&mut self, code: &str, count: usize) -> Result<(), BenchError>;
}

/// An agent of the hub.
pub struct Agent {
    connection: Connection,
}

impl Agent {
    /// Connects to the Unix socket and says hello.
    pub fn over_socket(socket: &Path, target: Option<&str>) -> Result<Self, BenchError> {
        Self::greet(Connection::over_socket(socket).doing("connecting to the Unix socket")?, target)
    }

    /// Connects to a port with the token and says hello.
    pub fn over_websocket(port: u16, token: &str, target: Option<&str>) -> Result<Self, BenchError> {
        let address = Address::server(format!("ws://127.0.0.1:{port}"), token);
        Self::greet(Connection::open(&address, &Opening::AGENT).doing("connecting to the hub")?, target)
    }

    fn greet(connection: Connection, target: Option<&str>) -> Result<Self, BenchError> {
        connection.send(&[&hello(target)]).doing("saying hello")?;
        Ok(Self { connection })
    }

    /// Sends a JSON-RPC request and gives its result.
    pub fn request(&mut self, method: &str) -> Result<serde_json::Value, BenchError> {
        let frame = self.ask_raw(&format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\"}}"))?;
        let mut value: serde_json::Value =
            serde_json::from_str(&frame).map_err(|error| BenchError::Odd(error.to_string()))?;
        Ok(value["result"].take())
    }

    /// Sends one frame and gives the next one that comes.
    pub fn ask_raw(&mut self, frame: &str) -> Result<String, BenchError> {
        self.connection.send(&[frame]).doing("asking")?;
        self.frame()
    }

    /// The next notification of that method; what else comes is passed over.
    pub fn next_notification(&mut self, method: &str) -> Result<String, BenchError> {
        let method = format!("\"method\":\"{method}\"");
        loop {
            let frame = self.frame()?;
            if frame.contains(&method) {
                return Ok(frame);
            }
        }
    }

    /// How many notifications of that method have come until now.
    pub fn drain(&mut self, method: &str) -> Result<usize, BenchError> {
        let method = format!("\"method\":\"{method}\"");
        self.connection.send(&[r#"{"jsonrpc":"2.0","id":"drained","method":"ping"}"#]).doing("asking")?;
        let mut count = 0;
        loop {
            let frame = self.frame()?;
            if frame.contains("\"id\":\"drained\"") {
                return Ok(count);
            }
            count += usize::from(frame.contains(&method));
        }
    }

    /// Sends code to fire and forget so many times.
    pub fn fire_many(&mut self, code: &str, count: usize) -> Result<(), BenchError> {
        self.send(&vec![format!(":{code}"); count])
    }

    /// Sends lines and waits for nothing.
    pub fn send_lines(&mut self, lines: impl Iterator<Item = String>) -> Result<(), BenchError> {
        self.send(&lines.collect::<Vec<_>>())
    }

    /// The next frame that comes.
    pub fn next_frame(&mut self) -> Result<String, BenchError> {
        self.frame()
    }

    /// How many frames come before the answer to one more request.
    pub fn left_over(&mut self) -> Result<usize, BenchError> {
        self.connection.send(&[r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#]).doing("asking")?;
        let mut count = 0;
        while !self.frame()?.contains("\"id\":\"last\"") {
            count += 1;
        }
        Ok(count)
    }

    fn send(&self, frames: &[String]) -> Result<(), BenchError> {
        let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
        self.connection.send(&frames).doing("asking")
    }

    fn frame(&mut self) -> Result<String, BenchError> {
        let frame = self.connection.receive().doing("reading an answer")?;
        frame.ok_or_else(|| BenchError::Odd("the hub closed the connection".into()))
    }
}

impl Asks for Agent {
    fn ask(&mut self, code: &str) -> Result<(), BenchError> {
        check(&self.ask_raw(&format!("a:{code}"))?)
    }

    fn ask_many(&mut self, code: &str, count: usize) -> Result<(), BenchError> {
        let frames: Vec<String> = (0..count).map(|n| format!("{n}:{code}")).collect();
        self.send(&frames)?;
        (0..count).try_for_each(|_| check(&self.frame()?))
    }
}

fn hello(target: Option<&str>) -> String {
    let target = target.map_or(String::new(), |target| format!(",\"target\":\"{target}\""));
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"hello\",\"params\":{{\"clientType\":\"agent\",\"typed\":true{target}}}}}"
    )
}

/// A benchmark of errors measures nothing.
fn check(answer: &str) -> Result<(), BenchError> {
    match answer.split_once(['!', ':', '=']) {
        Some((_, rest)) if rest.starts_with("bench") => Ok(()),
        _ => Err(BenchError::Odd(format!("unexpected answer: {answer}"))),
    }
}
