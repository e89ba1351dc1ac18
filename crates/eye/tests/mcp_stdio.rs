//! The stdio that `eye mcp` may be started with: pipes, sockets as Node makes them, files; and which side ends first.

use crate::stage;
use crate::stage::home;
use eye_testkit::{Home, HubProcess};
use rustix::fs::{OFlags, fcntl_getfl};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn start(home: &Home, stdin: impl Into<Stdio>, stdout: impl Into<Stdio>) -> Child {
    home.command().arg("mcp").stdin(stdin).stdout(stdout).stderr(Stdio::inherit()).spawn().unwrap()
}

fn answer(lines: &mut impl BufRead) -> Value {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

#[test]
fn a_client_on_sockets_is_served_and_finds_them_as_they_were() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let kept = OwnedFd::from(theirs.try_clone().unwrap());
    let mut child = start(&home, OwnedFd::from(theirs.try_clone().unwrap()), OwnedFd::from(theirs));
    let mut lines = BufReader::new(ours.try_clone().unwrap());
    writeln!(ours, "{PING}").unwrap();
    assert_eq!(answer(&mut lines)["result"], json!({}));
    ours.shutdown(Shutdown::Write).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(!fcntl_getfl(&kept).unwrap().contains(OFlags::NONBLOCK));
}

#[test]
fn a_shared_pipe_is_never_changed() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (theirs, mut ours) = std::io::pipe().unwrap();
    let (from_them, to_us) = std::io::pipe().unwrap();
    let (kept_in, kept_out) = (theirs.try_clone().unwrap(), to_us.try_clone().unwrap());
    let mut child = start(&home, theirs, to_us);
    writeln!(ours, "{PING}").unwrap();
    assert_eq!(answer(&mut BufReader::new(from_them))["id"], 1);
    for flags in [fcntl_getfl(&kept_in).unwrap(), fcntl_getfl(&kept_out).unwrap()] {
        assert!(!flags.contains(OFlags::NONBLOCK), "{flags:?}");
    }
    drop(ours);
    assert!(child.wait().unwrap().success());
}

#[test]
fn files_are_read_to_their_end_and_answered() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (wanted, answered) = (home.path("asked"), home.path("answered"));
    std::fs::write(&wanted, format!("{PING}\n")).unwrap();
    let mut child = start(&home, File::open(&wanted).unwrap(), File::create(&answered).unwrap());
    assert!(child.wait().unwrap().success());
    assert_eq!(std::fs::read_to_string(&answered).unwrap(), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}

#[test]
fn what_was_asked_before_stdin_closed_is_answered() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let mut child = start(&home, Stdio::piped(), Stdio::piped());
    let mut stdin = child.stdin.take().unwrap();
    for _ in 0..100 {
        writeln!(stdin, "{PING}").unwrap();
    }
    drop(stdin);
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 100);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_hub_that_was_stopped_is_not_started_by_a_client_that_leaves() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (theirs, mut pipe) = std::io::pipe().unwrap();
    let mut child = start(&home, theirs, Stdio::piped());
    writeln!(pipe, "{PING}").unwrap();
    answer(&mut BufReader::new(child.stdout.as_mut().unwrap()));
    assert_eq!(home.eye(["down"]).code, 0);
    drop(pipe);
    assert!(child.wait().unwrap().success());
    assert_eq!(home.eye(["status"]).code, 3);
}

#[test]
fn nor_by_one_on_a_socket() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let mut child = start(&home, OwnedFd::from(theirs.try_clone().unwrap()), OwnedFd::from(theirs));
    writeln!(ours, "{PING}").unwrap();
    answer(&mut BufReader::new(ours.try_clone().unwrap()));
    assert_eq!(home.eye(["down"]).code, 0);
    ours.shutdown(Shutdown::Both).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(home.eye(["status"]).code, 3);
}

#[test]
fn the_hub_lets_go_of_a_client_whose_server_was_killed() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let mut child = start(&home, Stdio::piped(), Stdio::piped());
    writeln!(child.stdin.as_mut().unwrap(), "{PING}").unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    answer(&mut lines);
    child.kill().unwrap();
    child.wait().unwrap();
    // The hub held the pipe too: reading ends only when the hub has closed it.
    assert_eq!(lines.read_line(&mut String::new()).unwrap(), 0);
}

#[test]
fn an_agent_begins_without_a_page() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let mut client = stage::mcp::Client::legacy(&home, &[]);
    let address = format!("http://localhost:{}/apps/scene/", home.port());
    let mut seen = Vec::new();
    for name in ["get_browser_connection_url", "hello_3d_app", "get_3d_visualization_url"] {
        let message = client.text("mcp_call", &json!({ "name": name }), false);
        assert!(message.contains(&format!("open this URL:\n\n{address}?sessionId=")), "{message}");
        assert!(!seen.contains(&message), "each has a session of its own");
        seen.push(message);
    }
    let unknown = client.text("mcp_call", &json!({ "name": "open", "arguments": { "app": "nothing" } }), true);
    assert!(unknown.contains("page"), "{unknown}");
    // In eye's own browser, or if none can be started, the answer says what to open.
    let message = client.text("mcp_call", &json!({ "name": "open", "arguments": { "app": "scene" } }), false);
    assert!(message.contains(&address), "{message}");
}
