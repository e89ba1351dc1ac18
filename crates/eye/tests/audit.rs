//! The audit log of the real hub: a row for each call on every front end, bounded files, full disks, and no contents
//! unless requested.

use crate::stage::mcp::Client;
use crate::stage::{Terminal, home};
use eye_protocol::audit::Row;
use eye_testkit::{Home, HubProcess, PageSetup, Reply, Running, ScriptedPage, ToolReply};
use serde_json::json;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use tungstenite::client::IntoClientRequest;

/// A server of a few lines with one tool.
const SMALL: &str = r#"read a
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}'
read b; read c
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"whereabouts","description":"Tells the folder.","inputSchema":{}}]}}'
read d
echo "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}"
cat > /dev/null"#;

fn log_file(home: &Home) -> PathBuf {
    home.path("state/eye/audit.jsonl")
}

fn rows(home: &Home) -> Vec<Row> {
    let ran = home.eye(["audit", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

/// Waits until the rows of all calls so far are written.
fn settle(home: &Home) {
    assert_eq!(home.eye(["audit", "--since", "0s"]).code, 0);
}

/// The row of this operation with this many bytes of arguments; each test chooses a number that makes it unique.
fn row(home: &Home, face: &str, op: &str, bytes: usize) -> Row {
    let all = rows(home);
    let fits =
        |row: &&Row| (row.face.as_deref(), row.op.as_deref(), row.bytes) == (Some(face), Some(op), Some(bytes as u64));
    let found: Vec<&Row> = all.iter().filter(fits).collect();
    assert_eq!(found.len(), 1, "{face} {op} {bytes}: {all:#?}");
    found[0].clone()
}

fn ending(row: &Row) -> &str {
    row.ending.as_deref().unwrap()
}

/// Code of exactly this many bytes.
fn code(bytes: usize) -> String {
    "x".repeat(bytes)
}

fn page(home: &Home) -> ScriptedPage {
    let tools = [json!({ "name": "buy", "inputSchema": {} })];
    let script = |code: &str| match code {
        held if held.starts_with("hold") => Reply::Hold,
        "throw" => Reply::threw("no"),
        other => Reply::text(other),
    };
    ScriptedPage::acting(home, &PageSetup::new(home, "Shop"), script, &tools, |name, _| match name {
        "buy" => ToolReply::Result(json!({ "content": [] })),
        _ => ToolReply::Result(json!("done")),
    })
}

fn token(home: &Home) -> String {
    home.eye(["token", "show"]).stdout.trim().to_owned()
}

fn http(home: &Home, path: &str, token: &str, body: &str) -> String {
    let mut tcp = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n");
    write!(tcp, "{head}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    tcp.read_to_string(&mut answer).unwrap();
    answer
}

fn eval(bytes: usize) -> (String, usize) {
    let params = json!({ "code": code(bytes) }).to_string();
    (format!(r#"{{"jsonrpc":"2.0","id":7,"method":"eval","params":{params}}}"#), params.len())
}

#[test]
fn calls_of_the_command_line_have_rows_with_who_where_what_and_how_they_ended() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    assert_eq!(home.eye([code(5)]).code, 0);
    let ok = row(&home, "unix", "eval", 5);
    assert_eq!((ending(&ok), ok.code, ok.token.as_deref()), ("ok", None, None));
    assert_eq!(ok.agent.as_deref(), home.path("work").to_str());
    assert_eq!(ok.page.as_deref(), Some(page.session()));
    assert_eq!(ok.origin, Some(format!("http://localhost:{}", home.port())));
    assert!(ok.time.ends_with('Z') && ok.hash.as_ref().unwrap().len() == 32 && ok.args.is_none(), "{ok:?}");
}

#[test]
fn every_ending_has_its_word() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    home.eye(["throw"]);
    assert_eq!(ending(&row(&home, "unix", "eval", 5)), "threw");
    home.eye(["--timeout", "0.1", "hold12"]);
    assert_eq!(ending(&row(&home, "unix", "eval", 6)), "timed-out");
    page.held();
    home.eye(["--page", "nothing", &code(7)]);
    let lost = row(&home, "unix", "eval", 7);
    assert_eq!((ending(&lost), &lost.page), ("session", &None));
    home.eye(["fire", &code(8)]);
    home.eye(["call", "buy"]);
    let bought = rows(&home).into_iter().find(|row| row.op.as_deref() == Some("tools/call")).unwrap();
    assert_eq!((ending(&bought), bought.tool.as_deref()), ("ok", Some("buy")));
    let secret = home.eye(["token", "new", "ci", "--may", "read"]).stdout.trim().to_owned();
    Running::of(home.command().arg(code(9)).env("EYE_TOKEN", &secret)).wait();
    let denied = row(&home, "unix", "eval", 9);
    assert_eq!((ending(&denied), denied.code, denied.token.as_deref()), ("denied", Some(-32006), Some("ci")));

    let socket = UnixStream::connect(home.socket()).unwrap();
    let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
    writeln!(&socket, r#"{{"jsonrpc":"2.0","id":1,"method":"eval","params":{{"code":"hold-cancelled"}}}}"#).unwrap();
    page.held();
    writeln!(&socket, r#"{{"jsonrpc":"2.0","method":"call/cancel","params":{{"id":1}}}}"#).unwrap();
    assert!(lines.next().unwrap().unwrap().contains("-32800"));
    assert_eq!(ending(&row(&home, "unix", "eval", r#"{"code":"hold-cancelled"}"#.len())), "cancelled");
    writeln!(&socket, "a:hold-gone").unwrap();
    page.held();
    drop(lines);
    drop(socket);
    // The agent's disconnect is recorded soon after.
    while !rows(&home).iter().any(|row| row.bytes == Some(9) && row.ending.as_deref() == Some("cancelled")) {}

    let asking = home.start(["hold-crashed"]);
    page.held();
    page.crash();
    drop(asking.wait());
    assert_eq!(ending(&row(&home, "unix", "eval", "hold-crashed".len())), "may-have-run");
}

#[test]
fn every_face_over_tcp_has_rows() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    let token = token(&home);
    for (path, bytes, face) in [("/ws?clientType=agent", 11, "ws"), ("/ws?clientType=agent&version=1.0.0", 12, "btcp")]
    {
        let mut request = format!("ws://127.0.0.1:{}{path}", home.port()).into_client_request().unwrap();
        request.headers_mut().insert("Authorization", format!("Bearer {token}").parse().unwrap());
        if face == "ws" {
            // A client of this protocol offers our subprotocol; one that does not is taken for BTCP.
            request.headers_mut().insert("Sec-WebSocket-Protocol", "eye".parse().unwrap());
        }
        let (mut socket, _) = tungstenite::connect(request).unwrap();
        let (request, bytes) = eval(bytes);
        socket.send(tungstenite::Message::text(request)).unwrap();
        while !socket.read().unwrap().to_text().unwrap().contains(r#""id":7"#) {}
        let row = row(&home, face, "eval", bytes);
        assert_eq!((ending(&row), row.page.as_deref()), ("ok", Some(page.session())), "{face}");
    }
    for (path, bytes, face) in [("/agent", 13, "http"), ("/rpc", 14, "btcp-http")] {
        let (request, bytes) = eval(bytes);
        assert!(http(&home, path, &token, &request).contains("xxxx"), "{path}");
        assert_eq!(ending(&row(&home, face, "eval", bytes)), "ok");
    }
    let mut stream = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    let open = "GET /events?sessionId=auditor&clientType=agent HTTP/1.1\r\nHost: localhost\r\n";
    write!(stream, "{open}Authorization: Bearer {token}\r\n\r\n").unwrap();
    let mut events = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(events.next().unwrap().contains("200"), "the stream is open");
    let (request, bytes) = eval(15);
    http(&home, "/message?sessionId=auditor", &token, &request);
    assert!(events.any(|line| line.contains("xxxx")));
    assert_eq!(ending(&row(&home, "btcp-http", "eval", bytes)), "ok");
    let (mut socket, _) =
        tungstenite::connect(format!("ws://127.0.0.1:{}/api/eye?token={token}", home.port())).unwrap();
    socket.send(tungstenite::Message::text(format!("a:{}", code(16)))).unwrap();
    while !socket.read().unwrap().to_text().unwrap().contains("xxxx") {}
    assert_eq!(ending(&row(&home, "original", "eval", 16)), "ok");
    let text = fs::read_to_string(log_file(&home)).unwrap();
    assert!(!text.contains(&token), "no secret is in the log");
}

#[test]
fn mcp_clients_and_the_servers_they_call_have_rows() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    assert_eq!(home.eye(["servers", "add", "small", "--", "sh", "-c", SMALL]).code, 0);
    let mut client = Client::with_token(&home, &token(&home));
    client.ask("tools/call", &json!({ "name": "eye", "arguments": { "expr": code(21) } }));
    let sent =
        rows(&home).into_iter().find(|row| row.face.as_deref() == Some("mcp") && row.op.as_deref() == Some("eval"));
    let sent = sent.unwrap();
    assert_eq!((ending(&sent), sent.page.as_deref()), ("ok", Some(page.session())));
    // A server that is still starting is found by a later call.
    loop {
        let call = json!({ "name": "mcp_call", "arguments": { "name": "whereabouts", "arguments": { "a": 1 } } });
        client.ask("tools/call", &call);
        let noted = rows(&home).into_iter().find(|row| row.server.is_some());
        let Some(noted) = noted else { continue };
        assert_eq!((noted.server.as_deref(), noted.tool.as_deref()), (Some("small"), Some("whereabouts")));
        assert_eq!(
            (ending(&noted), noted.face.as_deref(), noted.op.as_deref()),
            ("ok", Some("mcp"), Some("gateway/call"))
        );
        break;
    }
}

#[test]
fn contents_and_secrets_are_in_the_log_only_where_they_were_asked_for() {
    for (flags, contents) in [(&[][..], false), (&["--audit", "full"], true)] {
        let home = home();
        let _hub = HubProcess::start_with(&home, flags);
        let _page = page(&home);
        home.eye(["'the-secret-code'"]);
        home.eye(["fill", "#password=the-secret-password"]);
        home.eye(["call", "buy", "card=the-secret-card"]);
        let mut gateway = home.command();
        gateway.args(["servers"]).env("API_KEY", "the-secret-variable");
        Running::of(&mut gateway).wait();
        let rows = rows(&home);
        assert!(rows.len() >= 4, "{rows:#?}");
        let text = fs::read_to_string(log_file(&home)).unwrap();
        for secret in ["the-secret-code", "the-secret-password", "the-secret-card"] {
            assert_eq!(text.contains(secret), contents, "{secret} {flags:?}");
        }
        assert!(!text.contains("the-secret-variable"), "an environment is never kept");
        for file in ["state/eye/audit.jsonl", "state/eye/audit.key"] {
            assert_eq!(fs::metadata(home.path(file)).unwrap().mode() & 0o777, 0o600, "{file}");
        }
        let key = fs::read_to_string(home.path("state/eye/audit.key")).unwrap();
        assert!(!text.contains(key.trim()));
    }
}

#[test]
fn a_log_that_is_off_is_not_there() {
    let home = home();
    let _hub = HubProcess::start_with(&home, &["--audit", "off"]);
    let _page = page(&home);
    home.eye(["1"]);
    let ran = home.eye(["audit"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("--audit off"), "{}", ran.stderr);
    assert!(!log_file(&home).exists() && !home.path("state/eye/audit.key").exists());
    let wrong = Running::of(home.command().args(["up", "--foreground"]).env("EYE_AUDIT", "x")).wait();
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
}

#[test]
fn the_files_are_rotated_at_their_limit_and_the_oldest_is_removed() {
    let home = home();
    let _hub = HubProcess::start_with(&home, &["--audit", "full"]);
    let _page = page(&home);
    let socket = UnixStream::connect(home.socket()).unwrap();
    let mut reader = BufReader::new(socket.try_clone().unwrap());
    let (code, mut answer) = (code(64 << 10), String::new());
    // 64 rows of 64 KiB fill a file; eight files are kept.
    for _ in 0..64 * 9 {
        writeln!(&socket, "a:{code}").unwrap();
        answer.clear();
        reader.read_line(&mut answer).unwrap();
        if let Some(len) = answer.strip_prefix('#') {
            let mut rest = vec![0; len.trim().parse().unwrap()];
            reader.read_exact(&mut rest).unwrap();
        }
    }
    settle(&home);
    let files: Vec<PathBuf> = fs::read_dir(home.path("state/eye"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("audit.jsonl"))
        .collect();
    assert_eq!(files.len(), 8, "{files:?}");
    for file in files {
        let about = fs::metadata(&file).unwrap();
        assert!(about.len() <= 4 << 20 && about.mode() & 0o777 == 0o600, "{file:?}: {about:?}");
        for line in fs::read_to_string(&file).unwrap().lines() {
            serde_json::from_str::<Row>(line).unwrap();
        }
    }
}

#[test]
fn a_killed_hub_leaves_whole_lines() {
    let home = home();
    for _ in 0..3 {
        let hub = HubProcess::start_with(&home, &["--audit", "full"]);
        let page = page(&home);
        let before = fs::metadata(log_file(&home)).map_or(0, |about| about.len());
        let asking = home.path("run/eye/hub.sock");
        let asker = std::thread::spawn(move || {
            let socket = UnixStream::connect(asking).unwrap();
            let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
            let mut calls = 0;
            while writeln!(&socket, "a:{}", code(3_000)).is_ok() && matches!(lines.next(), Some(Ok(_))) {
                calls += 1;
            }
            calls
        });
        while fs::metadata(log_file(&home)).map_or(0, |about| about.len()) < before + 100_000 {
            std::thread::yield_now();
        }
        hub.kill();
        assert!(asker.join().unwrap() > 0);
        page.crash();
    }
    let _hub = HubProcess::start(&home);
    home.eye(["status"]);
    settle(&home);
    for line in fs::read_to_string(log_file(&home)).unwrap().lines() {
        serde_json::from_str::<Row>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    }
}

#[test]
fn a_full_disk_delays_no_call_and_the_log_says_what_is_missing() {
    let home = home();
    fs::create_dir_all(home.path("state/eye")).unwrap();
    symlink("/dev/full", log_file(&home)).unwrap();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    for _ in 0..20 {
        assert_eq!(home.eye(["1+1"]).code, 0);
    }
    assert!(rows(&home).is_empty());
    let status = home.eye(["status"]);
    assert!(status.stdout.contains("audit log") || status.stderr.contains("audit log"), "{status:?}");
    fs::remove_file(log_file(&home)).unwrap();
    home.eye(["2+2"]);
    let rows = rows(&home);
    assert!(rows[0].dropped.unwrap() >= 20 && rows[0].why.as_ref().unwrap().contains("No space left"), "{rows:?}");
    assert!(rows.iter().any(|row| row.op.as_deref() == Some("eval")));
    assert!(!home.eye(["status"]).stdout.contains("audit log"));
}

#[test]
fn the_log_is_followed_printed_safely_and_for_admins_only() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let nasty = json!({ "method": "tools/call", "params": { "name": "a\u{1b}]0;x\u{7}\u{202e}\n" } }).to_string();
    home.eye(["rpc", &nasty]);
    for args in [&["audit"][..], &["audit", "--json"], &["audit", "--since", "1h"]] {
        let seen = String::from_utf8(Terminal::run(home.command().args(args))).unwrap();
        assert!(seen.contains("tools/call"), "{seen}");
        let steering = |c: char| eye_protocol::visible::is_unsafe(c) && c != '\n' && c != '\r';
        assert!(!seen.contains(steering), "{args:?}: {seen:?}");
    }
    assert!(home.eye(["audit", "--since", "0s"]).stdout.is_empty());
    let follower = home.start(["audit", "-f", "--json", "--since", "0s", "--count", "5", "--for", "60"]);
    let watching = std::thread::spawn(move || follower.wait());
    while !watching.is_finished() {
        home.eye([code(33)]);
    }
    let seen = watching.join().unwrap();
    assert!(seen.stdout.contains(r#""op":"eval""#) && seen.stdout.contains(r#""bytes":33"#), "{seen:?}");
    for class in ["read", "act", "eval", "servers"] {
        let secret = home.eye(["token", "new", class, "--may", class]).stdout.trim().to_owned();
        for args in [&["audit"][..], &["audit", "-f"]] {
            let refused = Running::of(home.command().args(args).env("EYE_TOKEN", &secret)).wait();
            assert_eq!(refused.code, 4, "{class} {args:?}: {refused:?}");
            assert!(refused.stderr.contains("lacks the scope `admin`"), "{}", refused.stderr);
        }
    }
}
