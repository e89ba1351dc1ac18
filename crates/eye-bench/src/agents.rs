//! The agents that send the benchmark's requests: on the Unix socket, and on a WebSocket.

use crate::error::{BenchError, Doing};
use eye_client::Address;
use eye_client::connection::{Connection, Opening};
use std::path::Path;

/// A client that can send one request, or many at once.
pub trait Asks {
    /// Sends the code and waits for the answer.
    fn ask(&mut self, code: &str) -> Result<(), BenchError>;
    /// Sends the code `count` times at once and waits for all answers.
    fn ask_many(&mut self, code: &str, count: usize) -> Result<(), BenchError>;
}

pub struct Agent {
    connection: Connection,
}

impl Agent {
    /// Connects to the Unix socket and sends hello.
    pub fn over_socket(socket: &Path, target: Option<&str>) -> Result<Self, BenchError> {
        Self::greet(Connection::over_socket(socket).doing("connecting to the Unix socket")?, target)
    }

    /// Connects to a port with the token and sends hello.
    pub fn over_websocket(port: u16, token: &str, target: Option<&str>) -> Result<Self, BenchError> {
        let address = Address::server(format!("ws://127.0.0.1:{port}"), token);
        Self::greet(Connection::open(&address, &Opening::AGENT).doing("connecting to the hub")?, target)
    }

    fn greet(connection: Connection, target: Option<&str>) -> Result<Self, BenchError> {
        connection.send(&[&hello(target)]).doing("saying hello")?;
        Ok(Self { connection })
    }

    /// Sends a JSON-RPC request and returns its result.
    pub fn request(&mut self, method: &str) -> Result<serde_json::Value, BenchError> {
        let frame = self.ask_raw(&format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\"}}"))?;
        let mut value: serde_json::Value =
            serde_json::from_str(&frame).map_err(|error| BenchError::Odd(error.to_string()))?;
        Ok(value["result"].take())
    }

    /// Sends one frame and returns the next frame received.
    pub fn ask_raw(&mut self, frame: &str) -> Result<String, BenchError> {
        self.connection.send(&[frame]).doing("asking")?;
        self.frame()
    }

    /// The next notification of that method; other frames are skipped.
    pub fn next_notification(&mut self, method: &str) -> Result<String, BenchError> {
        let method = format!("\"method\":\"{method}\"");
        loop {
            let frame = self.frame()?;
            if frame.contains(&method) {
                return Ok(frame);
            }
        }
    }

    /// Counts the notifications of that method received so far, up to the answer to a ping.
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

    /// Sends code `count` times as fire and forget.
    pub fn fire_many(&mut self, code: &str, count: usize) -> Result<(), BenchError> {
        self.send(&vec![format!(":{code}"); count])
    }

    /// Sends lines without waiting.
    pub fn send_lines(&mut self, lines: impl Iterator<Item = String>) -> Result<(), BenchError> {
        self.send(&lines.collect::<Vec<_>>())
    }

    pub fn next_frame(&mut self) -> Result<String, BenchError> {
        self.frame()
    }

    /// Counts the frames received before the answer to one more request.
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

/// Fails on an answer other than the expected one: a benchmark of errors measures nothing.
fn check(answer: &str) -> Result<(), BenchError> {
    match answer.split_once(['!', ':', '=']) {
        Some((_, rest)) if rest.starts_with("bench") => Ok(()),
        _ => Err(BenchError::Odd(format!("unexpected answer: {answer}"))),
    }
}
