//! Real servers of others, all at once behind one gateway: everything, filesystem and memory from npm, time and git
//! from `PyPI`. They are installed once into the target folder.

use crate::stage::{DEADLINE, Home, call, raw, state, text};
use eye_mcp::{CallContext, Era, NoticeSink, ServerState};
use eye_testkit::free_port;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// How often a server is checked for an answer.
const LOOK: Duration = Duration::from_millis(20);

const NPM: [&str; 3] = [
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
];
const PYPI: [&str; 3] = ["mcp==2.3.0", "mcp-server-time==2026.10.19", "mcp-server-git==2026.10.19"];

/// The folder with the servers; the first test that needs it waits for the installation.
fn installed() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("upstreams");
        let done = folder.join("done");
        let wanted = format!("{}\n{}", NPM.join("\n"), PYPI.join("\n"));
        if fs::read_to_string(&done).is_ok_and(|text| text == wanted) {
            return folder;
        }
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("package.json"), "{\"private\":true}").unwrap();
        run(Command::new("npm").args(["install", "--no-audit", "--no-fund"]).args(NPM).current_dir(&folder));
        run(Command::new("python3").args(["-m", "venv", "py"]).current_dir(&folder));
        run(Command::new(folder.join("py/bin/pip")).args(["install", "-q"]).args(PYPI).current_dir(&folder));
        fs::write(done, wanted).unwrap();
        folder
    })
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().expect("npm and python3 are installed");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn everything() -> String {
    installed().join("node_modules/.bin/mcp-server-everything").display().to_string()
}

#[tokio::test]
async fn real_servers_work_side_by_side_behind_one_gateway() {
    let folder = installed();
    let home = Home::new();
    fs::write(home.app().join("hello.txt"), "hello from disk").unwrap();
    run(Command::new("git").args(["init", "-q"]).current_dir(home.app()));
    let npm = |name: &str| folder.join("node_modules/.bin").join(name).display().to_string();
    let py = |name: &str| folder.join("py/bin").join(name).display().to_string();
    home.config(&format!(
        "servers:\n  everything: {{ command: {} }}\n  files: {{ command: {}, args: [\"${{ROOT:-.}}\"] }}\n  memory: {{ command: {}, env: {{ MEMORY_FILE_PATH: {} }} }}\n  time: {{ command: {} }}\n  git: {{ command: {} }}\n",
        json!(everything()), json!(npm("mcp-server-filesystem")), json!(npm("mcp-server-memory")),
        json!(home.path().join("memory.jsonl")), json!(py("mcp-server-time")), json!(py("mcp-server-git")),
    ));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    scope.learn(DEADLINE).await;
    for server in ["everything", "files", "memory", "time", "git"] {
        assert_eq!(state(&scope, server), ServerState::Ready, "{server}");
    }

    let sum = text(call(&scope, "everything", "get-sum", json!({ "a": 2, "b": 3 })).await);
    assert!(sum.contains('5'), "{sum}");
    let path = home.app().join("hello.txt");
    assert_eq!(text(call(&scope, "files", "read_text_file", json!({ "path": path })).await), "hello from disk");
    let entities = json!({ "entities": [{ "name": "eye", "entityType": "tool", "observations": ["sees"] }] });
    call(&scope, "memory", "create_entities", entities).await.unwrap();
    assert!(text(call(&scope, "memory", "search_nodes", json!({ "query": "eye" })).await).contains("sees"));
    let now = text(call(&scope, "time", "get_current_time", json!({ "timezone": "Europe/Berlin" })).await);
    assert!(now.contains("Europe/Berlin"), "{now}");
    let status = text(call(&scope, "git", "git_status", json!({ "repo_path": home.app() })).await);
    assert!(status.contains("hello.txt"), "{status}");

    // The line from one discovery is enough to call the tool.
    let found = gateway.discover("current time in a timezone").await.unwrap().text();
    assert!(found.starts_with("get_current_time(timezone: string)"), "{found}");
    let found = gateway.discover("$.tools[?(@.name contains 'entit')].name").await.unwrap().text();
    assert!(found.contains("create_entities") && found.contains("delete_entities"), "{found}");
    let answer = gateway
        .call(json!({ "id": 0, "method": "tools/call", "params": { "name": "mcp_call", "arguments": {
            "method": "tools/call", "params": { "name": "files::read_text_file", "arguments": { "path": path } } } } }))
        .await;
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(0), &json!("hello from disk")));
    for (method, member) in [("resources/list", "resources"), ("prompts/list", "prompts")] {
        let listed = gateway
            .call(
                json!({ "method": "tools/call", "params": { "name": "mcp_call", "arguments": { "method": method } } }),
            )
            .await;
        assert!(listed["result"][member].as_array().is_some_and(|items| !items.is_empty()), "{listed}");
    }
    let resources = gateway.call(json!({ "method": "resources/list" })).await;
    let uri = &resources["result"]["resources"][0]["uri"];
    let read = gateway.call(json!({ "method": "resources/read", "params": { "uri": uri } })).await;
    assert_eq!(&read["result"]["contents"][0]["uri"], uri, "{read}");
    gateway.shut_down().await;
}

#[tokio::test]
async fn progress_of_a_real_server_passes_the_gateway() {
    let home = Home::new();
    home.config(&format!("servers:\n  everything: {{ command: {} }}\n", json!(everything())));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&received);
    let progress = NoticeSink::new(move |params| {
        sink.lock().unwrap().push(serde_json::from_str::<Value>(params.get()).unwrap());
    });
    let arguments = json!({ "duration": 0.5, "steps": 4 });
    let params =
        json!({ "name": "trigger-long-running-operation", "arguments": arguments, "_meta": { "progressToken": 77 } });
    let context = CallContext { progress: Some(progress), ..CallContext::default() };
    scope.call_tool("everything", raw(&params), context).await.unwrap();
    let received = received.lock().unwrap().clone();
    assert_eq!(received.len(), 4, "{received:?}");
    assert!(
        received.iter().enumerate().all(|(n, report)| report["progressToken"] == 77 && report["progress"] == n + 1)
    );
    gateway.shut_down().await;
}

/// An HTTP server that is ended with the test.
struct Served(std::process::Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether a server answers on this port. A connection alone is no proof: a socket may connect to itself on an unused
/// port.
async fn answers(port: u16) -> bool {
    let exchange = async {
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await?;
        stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await?;
        let mut first = [0; 5];
        stream.read_exact(&mut first).await?;
        std::io::Result::Ok(first == *b"HTTP/")
    };
    exchange.await.unwrap_or(false)
}

/// Starts the server, and waits until it answers.
async fn served(command: &mut Command, port: u16) -> Served {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let open = async {
        let mut looks = tokio::time::interval(LOOK);
        while !answers(port).await {
            looks.tick().await;
        }
    };
    tokio::time::timeout(DEADLINE, open).await.expect("the server listens");
    Served(child)
}

#[tokio::test]
async fn a_real_server_over_http_works_and_comes_back_after_its_restart() {
    let port = free_port();
    let command = || {
        let mut command = Command::new(everything());
        command.arg("streamableHttp").env("PORT", port.to_string());
        command
    };
    let first = served(&mut command(), port).await;
    let home = Home::new();
    home.config(&format!("servers:\n  web: {{ url: \"http://127.0.0.1:{port}/mcp\" }}\n"));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    assert!(text(call(&scope, "web", "get-sum", json!({ "a": 2, "b": 3 })).await).contains('5'));
    assert_eq!(scope.era("web"), Some(Era::Legacy));
    let received = Arc::new(Mutex::new(0));
    let sink = Arc::clone(&received);
    let context =
        CallContext { progress: Some(NoticeSink::new(move |_| *sink.lock().unwrap() += 1)), ..CallContext::default() };
    let params = json!({ "name": "trigger-long-running-operation", "arguments": { "duration": 0.3, "steps": 3 } });
    scope.call_tool("web", raw(&params), context).await.unwrap();
    assert_eq!(*received.lock().unwrap(), 3);
    drop(first);
    let _second = served(&mut command(), port).await;
    // The restarted server does not know the session; the call is made in a new session, once.
    let again = tokio::time::timeout(DEADLINE, async {
        loop {
            if let Ok(result) = call(&scope, "web", "echo", json!({ "message": "back" })).await {
                return result;
            }
        }
    });
    assert!(text(Ok(again.await.expect("it comes back"))).contains("back"));
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_real_server_of_the_old_transport_is_found_out_and_spoken_to() {
    let port = free_port();
    let _server = served(Command::new(everything()).arg("sse").env("PORT", port.to_string()), port).await;
    let home = Home::new();
    home.config(&format!("servers:\n  old: {{ url: \"http://127.0.0.1:{port}/sse\" }}\n"));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    for n in 0..3 {
        let sum = text(call(&scope, "old", "get-sum", json!({ "a": n, "b": 40 })).await);
        assert!(sum.contains(&(40 + n).to_string()), "{sum}");
    }
    assert_eq!(scope.era("old"), Some(Era::Legacy));
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_real_modern_server_works_over_stdio_and_http() {
    let python = installed().join("py/bin/python");
    let home = Home::new();
    let port = free_port();
    let script = home.path().join("server.py");
    fs::write(&script, MODERN_SERVER).unwrap();
    let _http = served(Command::new(&python).arg(&script).arg(port.to_string()), port).await;
    let (python, script) = (json!(python), json!(script));
    home.config(&format!(
        "servers:\n  web: {{ url: \"http://127.0.0.1:{port}/mcp\", era: modern }}\n  pipe: {{ command: [{python}, {script}], era: modern }}\n  auto: {{ command: [{python}, {script}] }}\n"
    ));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    for (server, era) in [("web", Era::Modern), ("pipe", Era::Modern), ("auto", Era::Legacy)] {
        assert_eq!(text(call(&scope, server, "add", json!({ "a": 2, "b": 3 })).await), "5", "{server}");
        assert_eq!(scope.era(server), Some(era), "{server}");
    }
    gateway.shut_down().await;
}

const MODERN_SERVER: &str = r#"
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("adder")

@server.tool()
def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)

if len(sys.argv) > 1:
    server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
"#;
