//! An MCP client on the stdio of the real `eye mcp`.

use eye_testkit::{DEADLINE, Home};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// A client that has started its server.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    last_id: u64,
    /// Messages other than the awaited response.
    pub notices: Vec<Value>,
}

impl Client {
    /// Starts `eye mcp` with flags, without sending anything.
    pub fn start(home: &Home, flags: &[&str]) -> Self {
        Self::started(home.command(), flags)
    }

    /// The same in a folder of the home.
    pub fn in_folder(home: &Home, folder: &str) -> Self {
        let mut command = home.command();
        command.current_dir(home.path(folder));
        Self::started(command, &[])
    }

    /// A client with this token, after its handshake.
    pub fn with_token(home: &Home, token: &str) -> Self {
        let mut command = home.command();
        command.env("EYE_TOKEN", token);
        let mut client = Self::started(command, &[]);
        let info = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        client.ask("initialize", &params);
        client.send_message(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn started(mut command: Command, flags: &[&str]) -> Self {
        let mut child = command.arg("mcp").args(flags).stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (out, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
                if out.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, last_id: 100, notices: Vec::new() }
    }

    /// A client of 2025-11-25, after its handshake.
    pub fn legacy(home: &Home, flags: &[&str]) -> Self {
        Self::of_version(home, flags, "2025-11-25", &json!({}))
    }

    /// A client of a protocol version with capabilities, after its handshake.
    pub fn of_version(home: &Home, flags: &[&str], version: &str, capabilities: &Value) -> Self {
        let mut client = Self::start(home, flags);
        let info = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": info });
        let result = client.ask("initialize", &params);
        assert_eq!(result["protocolVersion"], version);
        client.send_message(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    pub fn send_message(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// The next message of any kind.
    pub fn receive(&mut self) -> Value {
        if self.notices.is_empty() {
            self.lines.recv_timeout(DEADLINE).expect("the server says something")
        } else {
            self.notices.remove(0)
        }
    }

    /// Sends a request and returns its id.
    pub fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        self.send_message(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }));
        self.last_id
    }

    pub fn response(&mut self, id: u64) -> Value {
        let mut aside = Vec::new();
        let found = loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                break message;
            }
            aside.push(message);
        };
        self.notices.extend(aside);
        found
    }

    /// Sends a request and returns its result.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let mut response = self.response(id);
        assert!(response.get("error").is_none(), "{response}");
        response["result"].take()
    }

    /// Sends a request and returns its error.
    pub fn refused(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let mut response = self.response(id);
        assert!(response.get("result").is_none(), "{response}");
        response["error"].take()
    }

    /// Calls a tool and returns its result.
    pub fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": name, "arguments": arguments }))
    }

    /// Calls a tool and returns its only text. `failed` is whether it must be an error.
    pub fn text(&mut self, name: &str, arguments: &Value, failed: bool) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"] == true, failed, "{result}");
        result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
    }

    /// Sends a modern request and returns its result.
    pub fn modern(&mut self, method: &str, params: Value) -> Value {
        self.ask(method, &with_meta(params))
    }

    /// Closes stdin and waits for the server's end.
    pub fn finish(mut self) {
        self.stdin = None;
        assert!(self.child.wait().unwrap().success());
    }
}

/// Params as a modern client sends them.
pub fn with_meta(mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    params
}

impl Drop for Client {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
