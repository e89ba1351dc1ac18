//! The hub's own log: every fault is in it, with ids and without secrets or contents; it is bounded and readable.

use crate::stage::{Terminal, home};
use eye_testkit::{Home, HubProcess, PageSetup, Reply, Running, ScriptedPage};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tungstenite::client::IntoClientRequest;

fn log_file(home: &Home) -> PathBuf {
    home.path("state/eye/hub.log")
}

#[test]
fn refused_connections_are_logged_without_what_they_sent() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let join = |path: &str, origin: &str, token: &str| {
        let mut request = format!("ws://127.0.0.1:{}{path}", home.port()).into_client_request().unwrap();
        request.headers_mut().insert("Origin", origin.parse().unwrap());
        request.headers_mut().insert("Authorization", format!("Bearer {token}").parse().unwrap());
        assert!(tungstenite::connect(request).is_err());
    };
    join("/ws?clientType=browser", "https://evil.example", "stolen-secret-1");
    home.logged(&["WARN", "refused", "status=403", "https://evil.example"]);
    join("/ws?clientType=agent", "http://localhost:1", "stolen-secret-2");
    home.logged(&["WARN", "refused", "status=401"]);
    assert!(tungstenite::connect(format!("ws://127.0.0.1:{}/api/eye?token=stolen-secret-3", home.port())).is_err());
    // A stranger cannot flood the log.
    for _ in 0..100 {
        join("/ws?clientType=browser", "https://flood.example", "x");
    }
    join("/ws?clientType=browser", "https://evil.example", "x");
    let ended = home.eye(["down"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    home.logged(&["INFO", "the hub ends"]);
    let text = fs::read_to_string(log_file(&home)).unwrap();
    assert!(text.matches("refused").count() <= 30, "{text}");
    assert!(!text.contains("stolen-secret"), "{text}");
    assert_eq!(fs::metadata(log_file(&home)).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_slow_peer_that_is_closed_is_logged_with_its_connection() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let big = "x".repeat(1 << 20);
    let (sender, answered) = std::sync::mpsc::channel();
    let script = move |_: &str| {
        sender.send(()).unwrap();
        Reply::text(big.clone())
    };
    let _page = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop"), script);
    let agent = UnixStream::connect(home.socket()).unwrap();
    // Two waves, because the page's immediate answers are one message, which has a limit of its own.
    for n in 0..40 {
        writeln!(&agent, "a{n}:big").unwrap();
    }
    for _ in 0..40 {
        answered.recv_timeout(eye_testkit::DEADLINE).unwrap();
    }
    // Fails once the agent is closed: because of its bytes, or on a busy machine because it read nothing for too long.
    let _written = (0..40).take_while(|n| writeln!(&agent, "b{n}:big").is_ok()).count();
    home.logged(&["WARN", "a slow peer is closed", "conn=", "side=Agent", "why="]);
    assert_eq!(home.eye(["status"]).code, 0);
}

#[test]
fn a_server_that_dies_is_logged() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let script = "echo the-secret-words >&2; exit 3";
    assert_eq!(home.eye(["servers", "add", "dead", "--", "sh", "-c", script]).code, 0);
    home.eye(["discover", "anything"]);
    let line = home.logged(&["WARN", "an MCP server is down", "server=\"dead\"", "exit status: 3"]);
    assert!(!line.contains("the-secret-words"), "{line}");
}

#[test]
fn a_full_disk_is_logged() {
    let home = home();
    fs::create_dir_all(home.path("state/eye")).unwrap();
    symlink("/dev/full", home.path("state/eye/audit.jsonl")).unwrap();
    // The file is written under another name and renamed; a folder with its name makes that fail like a full disk.
    fs::create_dir(home.path("state/eye/sessions.json")).unwrap();
    let _hub = HubProcess::start(&home);
    let _page = ScriptedPage::echo(&home, "Shop");
    home.eye(["1"]);
    home.logged(&["ERROR", "the audit log cannot be written", "No space left"]);
    home.logged(&["ERROR", "the list of sessions cannot be saved"]);
}

/// A hub with a limit on open files.
fn short_of_files(home: &Home, files: u32) -> Child {
    let eye = home.command();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -n {files}; exec \"$0\" up --foreground")).arg(eye.get_program()).env_clear();
    for (name, value) in eye.get_envs() {
        shell.env(name, value.unwrap());
    }
    let mut hub = shell.stdout(Stdio::piped()).stderr(Stdio::null()).current_dir(home.path("work")).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(hub.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    assert!(ready.starts_with("ready"), "{ready}");
    hub
}

#[test]
fn a_hub_without_file_descriptors_says_so_and_goes_on_when_there_are_some() {
    let home = home();
    let mut hub = short_of_files(&home, 64);
    let connections: Vec<TcpStream> =
        (0..80).map(|_| TcpStream::connect(("127.0.0.1", home.port())).unwrap()).collect();
    home.logged(&["ERROR", "a connection cannot be accepted", "no file descriptors are left"]);
    drop(connections);
    assert_eq!(home.eye(["status"]).code, 0);
    hub.kill().unwrap();
    hub.wait().unwrap();
}

#[test]
fn levels_choose_what_is_logged_and_ids_are_fields() {
    for (flags, joins, calls) in
        [(&[][..], false, false), (&["--log", "debug"], true, false), (&["--log", "trace"], true, true)]
    {
        let home = home();
        let hub = HubProcess::start_with(&home, flags);
        let page = ScriptedPage::echo(&home, "The title");
        home.eye(["'the-secret-code'"]);
        assert_eq!(home.eye(["down"]).code, 0);
        hub.wait();
        let text = fs::read_to_string(log_file(&home)).unwrap();
        assert!(text.contains("the hub serves") && text.contains("the hub ends"), "{text}");
        let joined = format!("a page joins conn=1 session=\"{}\"", page.session());
        assert_eq!(text.contains(&joined), joins, "{flags:?}: {joined}: {text}");
        let sent = text.lines().any(|line| line.contains("a call is sent conn=1 call="));
        assert_eq!(sent, calls, "{flags:?}: {text}");
        assert!(!text.contains("the-secret-code") && !text.contains("The title"), "{text}");
    }
    let home = home();
    let hub = HubProcess::start_with(&home, &["--log", "off"]);
    home.eye(["down"]);
    hub.wait();
    assert_eq!(fs::read_to_string(log_file(&home)).unwrap_or_default(), "");
    let wrong = Running::of(home.command().args(["up", "--foreground"]).env("EYE_LOG", "loud")).wait();
    assert!(wrong.code == 2 && wrong.stderr.contains("EYE_LOG `loud` is not a level"), "{wrong:?}");
    let started = Running::of(home.command().args(["status"]).env("EYE_LOG", "loud")).wait();
    assert_ne!(started.code, 2, "what starts no hub has no log");
}

#[test]
fn the_log_is_rotated_at_its_limit() {
    let home = home();
    let _hub = HubProcess::start_with(&home, &["--log", "trace"]);
    let _page = ScriptedPage::echo(&home, "Shop");
    let agent = UnixStream::connect(home.socket()).unwrap();
    let mut answers = BufReader::new(agent.try_clone().unwrap()).lines();
    let mut calls = 0;
    // Two lines of about 80 bytes per call fill 1 MiB four times.
    while !home.path("state/eye/hub.log.3").exists() {
        writeln!(&agent, "a:1").unwrap();
        answers.next().unwrap().unwrap();
        calls += 1;
        assert!(calls < 200_000, "the log is not rotated");
    }
    writeln!(&agent, "a:1").unwrap();
    answers.next().unwrap().unwrap();
    let names: Vec<String> = fs::read_dir(home.path("state/eye"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("hub.log"))
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
    for name in names {
        let about = fs::metadata(home.path("state/eye").join(&name)).unwrap();
        assert!(about.len() <= 1 << 20 && about.mode() & 0o777 == 0o600, "{name}: {about:?}");
    }
}

#[test]
fn the_log_is_printed_also_without_a_hub_and_followed() {
    let home = home();
    let hub = HubProcess::start(&home);
    home.logged(&["the hub serves"]);
    let ran = home.eye(["logs", "--hub"]);
    assert!(ran.code == 0 && ran.stdout.contains("the hub serves"), "{ran:?}");
    let follower = home.start(["logs", "--hub", "-f", "--for", "60", "--count", "1"]);
    let following = std::thread::spawn(move || follower.wait());
    while !following.is_finished() {
        let mut stream = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
        write!(stream, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        if home.eye(["status"]).code != 0 {
            break;
        }
    }
    let seen = following.join().unwrap();
    assert!(seen.stdout.contains("a connection was refused"), "{seen:?}");
    hub.kill();
    fs::OpenOptions::new().append(true).open(log_file(&home)).unwrap().write_all(b"a\x1b]0;x\x07\n").unwrap();
    let shown = String::from_utf8(Terminal::run(home.command().args(["logs", "--hub"]))).unwrap();
    assert!(shown.contains("\\x1b]0;x\\x07") && shown.contains("the hub serves"), "{shown:?}");
    let elsewhere = Running::of(home.command().args(["logs", "--hub"]).env("EYE_SERVER", "ws://localhost:1")).wait();
    assert_eq!(elsewhere.code, 2, "{elsewhere:?}");
}
