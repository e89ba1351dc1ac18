//! An MCP server on stdin and stdout that behaves, well or badly, as its arguments say. For tests only.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "stdout is its wire, stderr its voice")]
#![allow(clippy::exit, reason = "it crashes on request")]

use serde_json::{Value, json};
use std::io::{BufRead, Write};

#[allow(clippy::struct_excessive_bools, reason = "each is one way to misbehave")]
struct Behaviour {
    modern: bool,
    silent: bool,
    split: bool,
    crash_after_list: bool,
    endless: bool,
    tools: usize,
    counted: u64,
    more: bool,
    cancelled: Vec<Value>,
    sent: Vec<Value>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    let after = |flag: &str| args.iter().position(|arg| arg == flag).and_then(|at| args.get(at + 1));
    if has("--crash") {
        eprintln!("cannot open the database");
        std::process::exit(3);
    }
    if has("--garbage") {
        garbage();
    }
    if has("--grandchild") {
        // The child outlives its parent.
        let child = std::process::Command::new("sleep").arg("600").spawn();
        if let (Ok(child), Some(file)) = (child, after("--grandchild")) {
            let _ = std::fs::write(file, child.id().to_string());
        }
    }
    let mut behaviour = Behaviour {
        modern: has("--modern"),
        silent: has("--silent"),
        split: has("--split"),
        crash_after_list: has("--crash-after-list"),
        endless: has("--endless"),
        tools: after("--tools").and_then(|count| count.parse().ok()).unwrap_or(0),
        counted: 0,
        more: false,
        cancelled: Vec::new(),
        sent: Vec::new(),
    };
    if has("--chatty") {
        println!("Starting the server…\n\n{{\"not\": \"rpc\"}}");
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if let Ok(message) = serde_json::from_str(&line) {
            behaviour.on(&message);
        }
    }
}

fn garbage() -> ! {
    let noise = "no JSON at all ".repeat(100);
    loop {
        if writeln!(std::io::stdout(), "{noise}").is_err() {
            std::process::exit(0);
        }
    }
}

impl Behaviour {
    fn send(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        if self.split {
            for byte in text.as_bytes().iter().chain(b"\n") {
                let _ = out.write_all(&[*byte]);
                let _ = out.flush();
            }
        } else {
            let _ = writeln!(out, "{text}");
            let _ = out.flush();
        }
    }

    fn answer(&self, id: &Value, result: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string());
    }

    fn refuse(&self, id: &Value, code: i64, message: &str) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string());
    }

    fn on(&mut self, message: &Value) {
        if self.silent {
            return;
        }
        let (id, params) = (&message["id"], &message["params"]);
        match message["method"].as_str() {
            Some("initialize") if !self.modern => self.answer(
                id,
                &json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": { "tools": { "listChanged": true } },
                    "serverInfo": { "name": "faults", "version": "1" },
                    "instructions": "Be careful."
                }),
            ),
            Some("server/discover") if self.modern => self.answer(
                id,
                &json!({
                    "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
                    "capabilities": { "tools": { "listChanged": true } }
                }),
            ),
            Some("tools/list") if self.endless => {
                self.counted += 1;
                let tool = json!({ "name": format!("page_{}", self.counted), "inputSchema": {} });
                self.answer(id, &json!({ "tools": [tool], "nextCursor": self.counted.to_string() }));
            }
            Some("tools/list") => {
                self.answer(id, &json!({ "tools": self.listed() }));
                if self.crash_after_list {
                    eprintln!("out of memory");
                    std::process::exit(9);
                }
            }
            Some("tools/call") => self.call(id, params),
            Some("subscriptions/listen") if self.modern => {}
            Some("notifications/cancelled") => self.cancelled.push(params["requestId"].clone()),
            Some("notifications/initialized") => {}
            Some(method) if !id.is_null() => self.refuse(id, -32601, &format!("unknown method {method}")),
            Some(_) => {}
            None => self.sent.push(message.clone()),
        }
    }

    fn listed(&self) -> Vec<Value> {
        let mut tools: Vec<Value> = [
            "echo",
            "where",
            "never",
            "die",
            "large",
            "odd",
            "progress",
            "ask",
            "asked",
            "cancelled",
            "grow",
            "fail",
            "pid",
            "many",
            "secret",
        ]
        .iter()
        .map(
            |name| json!({ "name": name, "description": format!("Does {name}."), "inputSchema": { "type": "object" } }),
        )
        .collect();
        let reads = json!({ "readOnlyHint": true });
        tools.push(
            json!({ "name": "count", "inputSchema": { "type": "object" }, "annotations": reads, "x-own": [1.0] }),
        );
        if self.more {
            tools.push(json!({ "name": "grown", "inputSchema": { "type": "object" } }));
        }
        tools.extend((0..self.tools).map(|n| {
            json!({ "name": format!("tool_{n}"), "description": format!("Tool number {n} of very many."),
                    "inputSchema": { "type": "object", "properties": { "a": { "type": "string" } } } })
        }));
        tools
    }

    fn call(&mut self, id: &Value, params: &Value) {
        let text = |text: String| json!({ "content": [{ "type": "text", "text": text }] });
        let arguments = &params["arguments"];
        match params["name"].as_str().unwrap_or_default() {
            "echo" => self.answer(id, &text(params.to_string())),
            "where" => {
                let folder = std::env::current_dir().unwrap_or_default();
                let variable = std::env::var("WHO").unwrap_or_default();
                self.answer(id, &text(format!("{} {variable}", folder.display())));
            }
            "never" => {}
            "die" => {
                eprintln!("something broke");
                std::process::abort();
            }
            "large" => {
                let size = arguments["mib"].as_u64().unwrap_or(1) << 20;
                let filler = "x".repeat(usize::try_from(size).unwrap_or(0));
                let at_end = arguments["idLast"] == true;
                let result = format!(r#"{{"content":[{{"type":"text","text":"{filler}"}}]}}"#);
                self.send(&if at_end {
                    format!(r#"{{"result":{result},"jsonrpc":"2.0","id":{id}}}"#)
                } else {
                    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
                });
            }
            "odd" => self.send(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"z":1.0,"content":[{{"type":"hologram","b":2,"a":1e2}}],"_meta":{{"k":"v"}},"a":null}}}}"#
            )),
            "progress" => {
                for step in 1..=3 {
                    let token = &params["_meta"]["progressToken"];
                    let params = json!({ "progressToken": token, "progress": step, "total": 3, "own": "kept" });
                    self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }).to_string());
                }
                self.answer(id, &text("done".into()));
            }
            "ask" => {
                let method = arguments["method"].as_str().unwrap_or("elicitation/create");
                let request = json!({ "jsonrpc": "2.0", "id": "q1", "method": method, "params": {} });
                self.send(&request.to_string());
            }
            "asked" => self.answer(id, &text(json!(self.sent).to_string())),
            "cancelled" => self.answer(id, &text(json!(self.cancelled).to_string())),
            "grow" => {
                self.more = true;
                self.send(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
                self.answer(id, &text("grown".into()));
            }
            "fail" => self.send(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32042,"message":"not today","data":{{"z":1.0,"a":[]}}}}}}"#
            )),
            "pid" => self.answer(id, &text(std::process::id().to_string())),
            "many" => {
                // Answers to this and to an unknown id, in one write.
                let known = json!({ "jsonrpc": "2.0", "id": id, "result": text("one of many".into()) });
                let unknown = json!({ "jsonrpc": "2.0", "id": 999_999, "result": {} });
                self.send(&format!("{unknown}\nnoise\n\n{known}\n{unknown}"));
            }
            "count" => {
                self.counted += 1;
                self.answer(id, &text(self.counted.to_string()));
            }
            _ => self.refuse(id, -32602, "no such tool"),
        }
    }
}
