//! Peers of BTCP, as the original client speaks it.

use super::hubs::ORIGIN;
use super::wire::{Socket, http, websocket_at};
use eye_testkit::{DEADLINE, Home};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use tungstenite::Message;

/// A peer of BTCP on a WebSocket.
pub struct Btcp(Socket);

impl Btcp {
    pub fn open(home: &Home, kind: &str, session: &str) -> Self {
        let path = format!("//ws?sessionId={session}&clientType={kind}&version=1.0.0");
        let mut peer = Self(websocket_at(home, &path, &[("origin", ORIGIN)]));
        peer.receive_until(|frame| frame["id"] == "welcome");
        peer
    }

    pub fn send(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).unwrap();
    }

    pub fn receive_until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let Message::Text(text) = self.0.read().unwrap() else { continue };
            let frame: Value = serde_json::from_str(&text).unwrap();
            if frame["method"] == "ping" {
                self.send(&json!({ "jsonrpc": "2.0", "id": frame["id"], "result": { "pong": true } }));
            }
            if is_it(&frame) {
                return frame;
            }
        }
    }

    pub fn send_request(&mut self, id: &str, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    pub fn answers(&mut self, text: &str) {
        let call = self.receive_until(|frame| frame["method"] == "tools/call");
        let result = json!({ "content": [{ "type": "text", "text": text }], "isError": false });
        self.send(&json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }));
    }
}

/// An agent of BTCP that hears by events, and says by POST what it has to say.
pub struct BtcpByPost<'a> {
    home: &'a Home,
    stream: BufReader<TcpStream>,
    session: String,
}

impl<'a> BtcpByPost<'a> {
    pub fn open(home: &'a Home, session: &str) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let query = format!("sessionId={session}&clientType=agent");
        write!(stream, "GET /events?{query} HTTP/1.1\r\nhost: localhost\r\norigin: {ORIGIN}\r\n\r\n").unwrap();
        let mut agent = Self { home, stream: BufReader::new(stream), session: session.into() };
        agent.receive_until(|frame| frame["id"] == "welcome");
        agent
    }

    /// Sends a request; returns the status and the body of the answer.
    pub fn post(&self, id: &str, method: &str, params: &Value) -> (u16, String) {
        let frame = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
        let head = format!("POST /message HTTP/1.1\r\norigin: {ORIGIN}\r\nx-session-id: {}", self.session);
        let mut answer = String::new();
        http(self.home, &head, "", &frame).read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        (status, answer.split_once("\r\n\r\n").map_or_else(String::new, |(_, body)| body.to_owned()))
    }

    /// Joins a session of another hub, for which it posts from now on. The answer comes as an event.
    pub fn join(&mut self, session: &str) -> Value {
        assert_eq!(self.post("j1", "session/join", &json!({ "sessionId": session })), (202, String::new()));
        self.session = session.into();
        self.receive_until(|frame| frame["id"] == "j1")
    }

    pub fn receive_until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.stream.read_line(&mut line).unwrap() > 0, "the stream goes on");
            let Some(data) = line.strip_prefix("data:") else { continue };
            if let Some(frame) = serde_json::from_str(data.trim()).ok().filter(&is_it) {
                return frame;
            }
        }
    }
}
