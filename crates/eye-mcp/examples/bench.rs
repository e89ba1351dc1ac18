//! Measures discovery over 1,000 tools, and what the gateway adds to a call. Prints; asserts nothing. Build it with
//! --release.
//! Its argument is the program of a stdio server with a tool `echo`, such as the tests' own.
#![allow(clippy::print_stdout, reason = "printing is all it does")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is of no use")]

use eye_mcp::catalogue::{Catalogue, Entry, Standing};
use eye_mcp::config::{Command, Config, ServerConfig};
use eye_mcp::{CallContext, Gateway, Project, Settings};
use serde_json::json;
use serde_json::value::to_raw_value;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

const TOOLS: usize = 1_000;
const TIMES: usize = 1_000;

fn main() {
    discovery();
    if let Some(program) = std::env::args().nth(1) {
        direct(&program);
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(through(&program));
    }
}

fn discovery() {
    let entries = (0..TOOLS).map(|n| {
        let schema =
            json!({ "type": "object", "properties": { "path": { "type": "string" }, "limit": { "type": "integer" } } });
        let description = format!("Reads record {n} of a table and returns its fields. Fails when it is absent.");
        let name = format!("{}_{}_{n}", ["read", "write", "list", "search"][n % 4], ["file", "user", "commit"][n % 3]);
        let tool = to_raw_value(&json!({ "name": name, "description": description, "inputSchema": schema })).unwrap();
        Arc::new(Entry::new(format!("server{}", n % 20), name, tool, Standing::Ready))
    });
    let catalogue = Catalogue::new(entries.collect(), Vec::new(), Vec::new());
    for query in [
        "search_commit_11",
        "read a file from a table",
        "serch comit",
        "$.tools[*].name",
        "$.tools[?@.name contains 'file_9'].name",
        "$.tools[?(@.description =~ /record 99\\d/i)].name",
    ] {
        let began = Instant::now();
        black_box(catalogue.discover(query).unwrap());
        let first = began.elapsed();
        report(&format!("discover {query} (first {} us)", first.as_micros()), || {
            black_box(catalogue.discover(query).unwrap());
        });
    }
    assert!(catalogue.resolve("server3__search_commit_503").is_ok());
    report("resolve a name", || {
        black_box(catalogue.resolve("server3__search_commit_503").ok());
    });
}

fn report(what: &str, mut run: impl FnMut()) {
    let mut times: Vec<u128> = (0..TIMES.min(200))
        .map(|_| {
            let began = Instant::now();
            run();
            began.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    println!("{:>9.1} us  {what}", f64::from(u32::try_from(times[times.len() / 2]).unwrap_or(u32::MAX)) / 1000.0);
}

/// The same question on a bare pipe.
fn direct(program: &str) {
    let mut child = std::process::Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let question =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "echo", "arguments": {} } });
    let question = format!("{question}\n");
    let mut line = String::new();
    report("echo, bare pipe", || {
        stdin.write_all(question.as_bytes()).unwrap();
        line.clear();
        stdout.read_line(&mut line).unwrap();
    });
    drop(stdin);
    child.wait().unwrap();
}

async fn through(program: &str) {
    let mut overrides = Config::default();
    let server = ServerConfig { command: Some(Command::Program(program.into())), ..ServerConfig::default() };
    overrides.servers.insert("s".into(), server);
    let project = Project { cwd: "/".into(), ..Project::default() };
    let gateway = Gateway::new(Settings { project, overrides, ..Settings::default() });
    let scope = gateway.own_scope();
    scope.start("s").await.unwrap();
    let params = to_raw_value(&json!({ "name": "echo", "arguments": {} })).unwrap();
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let began = Instant::now();
        scope.call_tool("s", params.clone(), CallContext::default()).await.unwrap();
        times.push(began.elapsed().as_nanos());
    }
    times.sort_unstable();
    println!(
        "{:>9.1} us  echo, through the gateway",
        f64::from(u32::try_from(times[TIMES / 2]).unwrap_or(u32::MAX)) / 1000.0
    );
    gateway.shut_down().await;
}
