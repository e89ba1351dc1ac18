//! A token that is revoked or expires ends everything it opened: on every front end of the real hub, with calls under
//! way.

use crate::stage::home;
use crate::stage::llm::slow_llm;
use crate::stage::mcp::Client;
use crate::stage::wire::{all, http, mcp_session, request, rest_of, websocket};
use eye_testkit::{DEADLINE, Home, HubProcess, PageSetup, Reply, Running, ScriptedPage};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Instant;
use tungstenite::Message;

const REVOKED: &str = "the token `ci` was revoked";

/// A hub, a page that answers `1` and holds everything else, and the secret of a token `ci`.
fn setting(flags: &[&str]) -> (Home, HubProcess, ScriptedPage, String) {
    let home = home();
    let hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop"), |code| match code {
        "1" => Reply::json("1"),
        _ => Reply::Hold,
    });
    let secret = token(&home, &[&["ci"], flags].concat());
    (home, hub, page, secret)
}

fn token(home: &Home, args: &[&str]) -> String {
    let made = home.eye(["token", "new"].iter().chain(args));
    assert_eq!(made.code, 0, "{}", made.stderr);
    made.stdout.trim().to_owned()
}

fn revoke(home: &Home) {
    assert_eq!(home.eye(["token", "revoke", "ci"]).code, 0);
}

#[test]
fn a_revoked_token_ends_a_command_on_the_unix_socket() {
    let (home, _hub, page, secret) = setting(&["--may", "eval"]);
    let eye = |args: &[&str]| Running::of(home.command().args(args).env("EYE_TOKEN", &secret));
    let running = eye(&["held()"]);
    page.held();
    // It waits for no response.
    let mut listening = eye(&["sub", "news"]);
    assert_eq!(home.eye(["pub", "news", "hi"]).code, 0);
    let mut received = BufReader::new(listening.child().stdout.take().unwrap());
    let mut line = String::new();
    received.read_line(&mut line).unwrap();
    assert_eq!(line, "hi\n", "it listens");
    let socket = UnixStream::connect(home.socket()).unwrap();
    socket.set_read_timeout(Some(DEADLINE)).unwrap();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "hello", "params": { "token": secret } });
    writeln!(&socket, "{hello}").unwrap();
    let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains(r#""id":1"#));
    writeln!(&socket, "a:held()").unwrap();
    page.held();
    revoke(&home);
    let ran = running.wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains(REVOKED) && ran.stderr.contains("eye token list"), "{}", ran.stderr);
    let report: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(report[0].starts_with("a!:") && report[0].contains(REVOKED), "{report:?}");
    assert!(report.iter().any(|line| line.contains(r#""id":null"#) && line.contains("-32006")), "{report:?}");
    let mut stderr = String::new();
    listening.child().stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(listening.child().wait().unwrap().code(), Some(4), "{stderr}");
    assert!(stderr.contains(REVOKED), "{stderr}");
    assert!(!page.cancelled().is_empty(), "the page is told to stop");
}

#[test]
fn a_revoked_token_ends_a_websocket_and_no_other_one() {
    let (home, _hub, page, secret) = setting(&["--may", "eval"]);
    let other = token(&home, &["other", "--may", "eval"]);
    let bearer = |secret: &str| format!("Bearer {secret}");
    let mut ours = websocket(&home, "clientType=agent", &[("Authorization", &bearer(&secret))]);
    let mut theirs = websocket(&home, "clientType=agent", &[("Authorization", &bearer(&other))]);
    ours.send(Message::text(request(1, "eval", &json!({ "code": "held()" })))).unwrap();
    page.held();
    revoke(&home);
    let (texts, close) = rest_of(&mut ours);
    assert!(texts.iter().any(|text| text.contains(r#""id":1"#) && text.contains(REVOKED)), "{texts:?}");
    assert_eq!(close, Some((4007, REVOKED.into())));
    theirs.send(Message::text(request(2, "eval", &json!({ "code": "1" })))).unwrap();
    let answer = std::iter::repeat_with(|| theirs.read().unwrap())
        .find(|message| message.to_text().is_ok_and(|text| text.contains(r#""id":2"#)))
        .unwrap();
    assert!(answer.to_text().unwrap().contains(r#""value":1"#), "{answer}");
    // A new token of the same name does not restore the old connection's rights, and the old secret is invalid.
    token(&home, &["ci", "--may", "eval"]);
    let refused = all(http(&home, "POST /rpc HTTP/1.1", &secret, &request(3, "session/list", &json!({}))));
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
}

#[test]
fn a_revoked_token_ends_streams_and_posts() {
    let (home, _hub, page, secret) = setting(&["--may", "eval"]);
    let mut stream = http(&home, "GET /agent HTTP/1.1", &secret, "");
    let mut first = String::new();
    while !first.contains("clientId") {
        stream.read_line(&mut first).unwrap();
    }
    let mut original = http(&home, "GET /events?sessionId=a&clientType=agent HTTP/1.1", &secret, "");
    let mut first = String::new();
    while !first.contains("data:") {
        original.read_line(&mut first).unwrap();
    }
    let sent = http(&home, "POST /agent HTTP/1.1", &secret, &request(1, "eval", &json!({ "code": "held()" })));
    page.held();
    let alone = http(&home, "POST /rpc HTTP/1.1", &secret, &request(2, "eval", &json!({ "code": "held()" })));
    page.held();
    revoke(&home);
    for (face, answer) in [("GET /agent", stream), ("GET /events", original), ("/agent", sent), ("/rpc", alone)] {
        let text = all(answer);
        assert!(text.contains(REVOKED) && text.contains("-32006"), "{face}: {text}");
    }
}

#[test]
fn a_revoked_token_ends_mcp_over_http_and_stdio() {
    let (home, _hub, page, secret) = setting(&["--may", "eval"]);
    let session = mcp_session(&home, "", &secret);
    let listening = http(&home, &format!("GET /mcp HTTP/1.1\r\n{session}"), &secret, "");
    let call = json!({ "name": "eye", "arguments": { "expr": "held()" } });
    let sent = http(&home, &format!("POST /mcp HTTP/1.1\r\n{session}"), &secret, &request(7, "tools/call", &call));
    page.held();
    let mut stdio = Client::with_token(&home, &secret);
    let id = stdio.send("tools/call", &call);
    page.held();
    revoke(&home);
    let text = all(sent);
    assert!(text.contains(REVOKED), "{text}");
    assert!(all(listening).starts_with("HTTP/1.1 200"), "the stream was open, and ends");
    let answer = stdio.response(id).to_string();
    assert!(answer.contains(REVOKED), "{answer}");
    // The shim reconnects with the same token, which allows nothing.
    let answer = {
        let id = stdio.send("tools/call", &call);
        stdio.response(id).to_string()
    };
    assert!(answer.contains("is not this hub's"), "{answer}");
}

#[test]
fn a_revoked_token_ends_an_answer_of_the_llm() {
    let stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"first\":1}\n\n";
    let buffered = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{\"half\":";
    for (begin, status) in [(stream, "HTTP/1.1 200"), (buffered, "HTTP/1.1 401"), ("", "HTTP/1.1 401")] {
        let (url, beginning, end) = slow_llm(begin);
        let home = home();
        let _hub = HubProcess::start_with(&home, &["--llm", &url]);
        let secret = token(&home, &["ci", "--may", "servers"]);
        let body = json!({ "messages": [], "stream": begin == stream }).to_string();
        let mut answer = http(&home, "POST /v1/chat/completions HTTP/1.1", &secret, &body);
        beginning.recv_timeout(DEADLINE).unwrap();
        let mut text = String::new();
        while begin == stream && !text.contains("first") {
            assert!(answer.read_line(&mut text).unwrap() > 0, "{text}");
        }
        revoke(&home);
        text += &all(answer);
        assert!(text.starts_with(status) && text.contains(REVOKED) && text.contains("eye token list"), "{text}");
        end.recv_timeout(DEADLINE).expect("the LLM server is not kept busy");
    }
}

/// A server whose only tool never answers, and reports its call on stderr.
const NEVER: &str = r#"read a
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}'
read b; read c
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"never","inputSchema":{"type":"object"}}]}}'
while read line; do echo called >> calls; done"#;

#[test]
fn a_revoked_token_ends_calls_of_servers() {
    let (home, _hub, _page, secret) = setting(&["--may", "servers"]);
    let calls = home.path("calls");
    assert_eq!(
        home.eye(["servers", "add", "slow", "--", "sh", "-c", &NEVER.replace("calls", &calls.to_string_lossy())]).code,
        0
    );
    let called = |count: usize| {
        let begun = Instant::now();
        while std::fs::read_to_string(&calls).unwrap_or_default().lines().count() < count {
            assert!(begun.elapsed() < DEADLINE, "call {count} reaches the server");
            thread::yield_now();
        }
    };
    let session = mcp_session(&home, "", &secret);
    let call = json!({ "name": "mcp_call", "arguments": { "name": "slow::never" } });
    let legacy = http(&home, &format!("POST /mcp HTTP/1.1\r\n{session}"), &secret, &request(7, "tools/call", &call));
    called(1);
    let mut stdio = Client::with_token(&home, &secret);
    let id = stdio.send("tools/call", &call);
    called(2);
    let plain = request(3, "gateway/call", &json!({ "name": "slow::never" }));
    let rpc = http(&home, "POST /rpc HTTP/1.1", &secret, &plain);
    called(3);
    revoke(&home);
    for (face, text) in [("/mcp", all(legacy)), ("stdio", stdio.response(id).to_string()), ("/rpc", all(rpc))] {
        assert!(text.contains(REVOKED), "{face}: {text}");
    }
}

#[test]
fn a_page_ends_with_its_token() {
    let (home, _hub, _page, _) = setting(&["--may", "read"]);
    let origin = "https://shop.example";
    let secret = token(&home, &["shop", "--may", "join", "--origin", origin]);
    let query = format!("clientType=browser&version=1.0.0&token={secret}");
    let mut page = websocket(&home, &query, &[("Origin", origin)]);
    let welcome = page.read().unwrap();
    assert!(welcome.to_text().unwrap().contains("sessionId"), "{welcome}");
    assert_eq!(home.eye(["token", "revoke", "shop"]).code, 0);
    let (_, close) = rest_of(&mut page);
    assert_eq!(close, Some((4007, "the token `shop` was revoked".into())));
}

#[test]
fn a_token_that_expires_ends_what_it_opened() {
    let (home, _hub, page, secret) = setting(&["--may", "eval", "--expires", "3s"]);
    let mut socket = websocket(&home, "clientType=agent", &[("Authorization", &format!("Bearer {secret}"))]);
    socket.send(Message::text(request(1, "eval", &json!({ "code": "held()" })))).unwrap();
    page.held();
    let (texts, close) = rest_of(&mut socket);
    assert!(texts.iter().any(|text| text.contains(r#""id":1"#) && text.contains("has expired")), "{texts:?}");
    assert_eq!(close, Some((4007, "the token `ci` has expired".into())));
}
