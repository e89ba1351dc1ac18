//! Attacks on a real hub from other processes: files, bodies and lists crafted to get more than was granted.

use crate::stage;
use crate::stage::home;
use eye_testkit::process::peak_kib;
use eye_testkit::{DEADLINE, Home, HubProcess};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.set_write_timeout(Some(DEADLINE)).unwrap();
    stream
}

/// Sends a head unchanged and returns the whole answer.
fn ask(port: u16, request: &str, headers: &[&str]) -> String {
    let mut stream = connect(port);
    let headers: String = headers.iter().flat_map(|header| [header, "\r\n"]).collect();
    write!(stream, "{request} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n{headers}\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("no status in {answer:?}"))
}

#[test]
fn a_broken_list_of_origins_refuses_pages_and_says_so_everywhere() {
    let home = home();
    assert_eq!(home.eye(["up"]).code, 0);
    let list = home.path("config/eye/origins");
    let joins = |origin: &str| ask(home.port(), "GET /why", &[&format!("origin: {origin}")]);
    assert_eq!(home.eye(["allow", "--no-eval", "http://localhost:3000"]).code, 0);
    assert!(joins("http://localhost:3000").contains("\"allowed\":true"));
    assert!(!home.eye(["status"]).stdout.contains("problem"));

    fs::write(&list, b"http://localhost:3000 eval=no\n\xff\n").unwrap();
    for origin in ["http://localhost:3000", "http://localhost:5173", "https://evil.test"] {
        let why = joins(origin);
        assert!(why.contains("\"allowed\":false") && why.contains("eye doctor"), "{why}");
        assert!(!why.contains("config/eye"), "a web site learns no path: {why}");
    }
    assert!(home.eye(["status"]).stdout.contains("config/eye/origins, cannot be read"));
    let doctor = home.eye(["doctor"]);
    assert!(doctor.stdout.contains("✗ allowed origins:"), "{}", doctor.stdout);
    home.logged(&["list of allowed origins cannot be read"]);
    let log = fs::read_to_string(home.path("state/eye/hub.log")).unwrap();
    assert_eq!(log.matches("list of allowed origins cannot be read").count(), 1, "{log}");
    assert_ne!(home.eye(["allow", "https://shop.test"]).code, 0, "a list that cannot be read is not replaced");

    fs::write(&list, "https://shop.test eval=none\n").unwrap();
    assert!(joins("https://shop.test").contains("\"allowed\":false"));
    assert!(home.eye(["doctor"]).stdout.contains("line 1: `eval=none`"));
    fs::remove_file(&list).unwrap();
    assert!(joins("http://localhost:3000").contains("\"allowed\":true"));
    assert_eq!(home.eye(["down"]).code, 0);
}

#[test]
fn a_body_is_refused_before_it_is_sent() {
    const BODY_BYTES: usize = 62 << 20;
    const PATHS: [&str; 7] =
        ["/rpc", "/message", "/message?sessionId=a&clientId=b", "/agent", "/mcp", "/api/mcp", "/v1/chat/completions"];
    let home = home();
    let hub = HubProcess::start(&home);
    let before = peak_kib(hub.pid()).unwrap();
    let mut open = Vec::new();
    for path in PATHS {
        for length in [format!("content-length: {BODY_BYTES}"), "transfer-encoding: chunked".into()] {
            for origin in ["", "origin: https://evil.test\r\n"] {
                let mut stream = connect(home.port());
                write!(stream, "POST {path} HTTP/1.1\r\nhost: localhost\r\n{origin}{length}\r\n\r\n").unwrap();
                // The answer arrives although no byte of the body was sent.
                let mut answer = [0; 4096];
                let count = stream.read(&mut answer).unwrap();
                let answer = String::from_utf8_lossy(&answer[..count]).into_owned();
                assert_eq!(status(&answer), if origin.is_empty() { 401 } else { 403 }, "{path} {length}: {answer}");
                open.push(stream);
            }
        }
    }
    // Clients that send anyway are cut off: they can send no more than the kernel buffers.
    let piece = vec![b'x'; 64 << 10];
    for stream in &mut open {
        let mut sent = 0;
        while sent < BODY_BYTES {
            match stream.write(&piece) {
                Ok(count) => sent += count,
                Err(error) => {
                    assert!(matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset), "{error}");
                    break;
                }
            }
        }
        assert!(sent < BODY_BYTES / 4, "{sent} bytes were taken");
    }
    let after = peak_kib(hub.pid()).unwrap();
    assert!(after - before < 8 << 10, "{before} KiB became {after} KiB");
}

#[test]
fn a_body_of_an_agent_has_a_limit_that_is_told_before_it_is_sent() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let token = home.eye(["token", "show"]).stdout;
    let authorization = format!("authorization: Bearer {}", token.trim());
    for (path, limit) in [("/rpc", 16 << 20), ("/message", 16 << 20), ("/mcp", 16 << 20), ("/agent", 64 << 20)] {
        let too_long = format!("content-length: {}", limit + (1 << 20));
        let answer = ask(home.port(), &format!("POST {path}"), &[&authorization, &too_long]);
        assert_eq!(status(&answer), 413, "{path}: {answer}");
    }
}

/// Opens a file or folder as `eye open` does, without a browser. Returns the path of its URL, or the error.
fn open(home: &Home, path: &str) -> Result<String, String> {
    let path = home.path(path);
    let request =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"hub/serve","params":{{"path":"{}"}}}}"#, path.display());
    let ran = home.eye(["rpc", &request]);
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    match answer["result"]["url"].as_str().or_else(|| answer["url"].as_str()) {
        Some(url) => Ok(url[url.find("/open/").unwrap()..].to_owned()),
        None => Err(answer.to_string() + &ran.stderr),
    }
}

#[test]
fn opened_files_give_nothing_away_that_lies_beside_them() {
    let home = home();
    let _hub = HubProcess::start(&home);
    for folder in ["work/site/.git", "work/site/sub/.cache", ".ssh"] {
        fs::create_dir_all(home.path(folder)).unwrap();
    }
    for file in [
        "work/secret.txt",
        "work/site/index.html",
        "work/site/a.css",
        "work/site/.env",
        "work/site/.git/config",
        "work/site/sub/.cache/x",
        ".ssh/id",
        "page.html",
        "other.html",
    ] {
        fs::write(home.path(file), format!("content of {file}")).unwrap();
    }
    std::os::unix::fs::symlink(home.path(".ssh"), home.path("work/site/keys")).unwrap();
    std::os::unix::fs::symlink(home.path("work/site/.env"), home.path("work/site/env")).unwrap();
    let get = |path: &str| ask(home.port(), &format!("GET {path}"), &[]);

    let url = open(&home, "work/site/index.html").unwrap();
    let root = url.strip_suffix("index.html").unwrap();
    assert_eq!(status(&get(&url)), 200);
    assert_eq!(status(&get(&format!("{root}a.css"))), 200);
    for attack in [
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "%2e%2e%2fsecret.txt",
        "%252e%252e%252fsecret.txt",
        "sub/..%2f..%2fsecret.txt",
        "..%5csecret.txt",
        "%2fetc%2fpasswd",
        "/etc/passwd",
        ".env",
        "%2eenv",
        "%2Eenv",
        "./.env",
        ".%2f.env",
        "env",
        ".git/config",
        "%2egit/config",
        ".git%2fconfig",
        "sub/.cache/x",
        "sub/",
        "keys/id",
        "index.html%00.css",
    ] {
        let answer = get(&format!("{root}{attack}"));
        assert!(status(&answer) >= 400 && !answer.contains("content of"), "{attack}: {answer}");
    }

    // From the home folder only the one file; from hidden folders nothing.
    let alone = open(&home, "page.html").unwrap();
    assert_eq!(status(&get(&alone)), 200);
    let root = alone.strip_suffix("page.html").unwrap();
    for attack in ["other.html", "", "work/secret.txt", "work/site/index.html", ".ssh/id", "%2essh/id"] {
        assert_eq!(status(&get(&format!("{root}{attack}"))), 404, "{attack}");
    }
    for hidden in [".ssh", ".ssh/id", "work/site/.env", "work/site/keys", "."] {
        assert!(open(&home, hidden).is_err(), "{hidden}");
    }
    // The gate comes before the disk: a rebound name does not even learn whether a file exists.
    for path in [url.as_str(), &format!("{root}nothing")] {
        let mut stream = connect(home.port());
        write!(stream, "GET {path} HTTP/1.1\r\nhost: evil.test\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(status(&answer), 421);
    }
}

/// Sends a request as another user of this machine.
fn ask_as(uid: u32, port: u16, path: &str, headers: &[&str]) -> String {
    let headers: String = headers.iter().flat_map(|header| [header, "\\r\\n"]).collect();
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'GET {path} HTTP/1.1\\r\\nconnection: close\\r\\n{headers}\\r\\n' >&3; cat <&3"
    );
    let output = Command::new("bash").args(["-c", &script]).uid(uid).gid(uid).current_dir("/").output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn another_user_of_this_machine_is_no_page_and_no_agent() {
    const OTHER: u32 = 65_534;
    if !rustix::process::getuid().is_root() {
        // Only root can become another user.
        return;
    }
    let join = |port: u16, uid: u32, more: &[&str]| {
        let (host, origin) = (format!("host: localhost:{port}"), "origin: http://localhost:5173");
        let upgrade = ["connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
        let key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
        let mut headers = vec![host.as_str(), origin, key];
        headers.extend(upgrade);
        headers.extend(more);
        // After an accepted upgrade nothing more is written, so the answer is read only if there is a refusal.
        ask_as(uid, port, "/why", &headers)
    };
    let first = home();
    let hub = HubProcess::start(&first);
    let port = first.port();
    assert!(join(port, 0, &[]).contains("\"allowed\":true"));
    let refused = join(port, OTHER, &[]);
    assert!(refused.contains("\"allowed\":false") && refused.contains("eye up --proxy-user NAME"), "{refused}");
    let host = format!("host: localhost:{port}");
    let socket = [
        "connection: upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    for path in ["/ws?clientType=browser", "/events?clientType=browser&sessionId=a"] {
        let mut headers = vec![host.as_str(), "origin: http://localhost:5173"];
        headers.extend(socket);
        assert_eq!(status(&ask_as(OTHER, port, path, &headers)), 403, "{path}");
    }
    for path in ["/cartridges", "/evolution"] {
        assert_eq!(status(&ask_as(OTHER, port, path, &[&host, "sec-fetch-site: same-origin"])), 403, "{path}");
        // Behind another server of this user, a page is not eye's own.
        let elsewhere = ["host: localhost:3000", "sec-fetch-site: same-origin"];
        assert_eq!(status(&ask_as(0, port, path, &elsewhere)), 401, "{path}");
    }
    let bearer = format!("authorization: Bearer {}", first.eye(["token", "show"]).stdout.trim());
    assert_eq!(status(&ask_as(OTHER, port, "/sessions", &[&host, &bearer])), 200, "the right token overrides");
    drop(hub);

    let open = home();
    let _hub = HubProcess::start_with(&open, &["--auth", "none"]);
    let host = format!("host: localhost:{}", open.port());
    assert_eq!(status(&ask_as(0, open.port(), "/sessions", &[&host])), 200);
    assert_eq!(status(&ask_as(OTHER, open.port(), "/sessions", &[&host])), 403);

    let proxied = home();
    let _hub = HubProcess::start_with(&proxied, &["--proxy-user", "65534"]);
    assert!(join(proxied.port(), OTHER, &[]).contains("\"allowed\":true"));
}

#[test]
fn what_a_hub_remembers_is_for_its_user_alone() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = stage::page(&home);
    let file = home.path("state/eye/sessions.json");
    let deadline = std::time::Instant::now() + DEADLINE;
    while !file.exists() {
        assert!(std::time::Instant::now() < deadline, "the sessions are saved");
    }
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(home.path("state/eye")).unwrap().permissions().mode() & 0o777, 0o700);
}
