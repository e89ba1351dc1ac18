//! The list of allowed origins also applies to existing connections: pages and agents of a real hub that were allowed,
//! and no longer are.

use crate::stage::home;
use crate::stage::llm::slow_llm;
use crate::stage::wire::{all, http, mcp_session, request, rest_of, websocket, websocket_at};
use eye_testkit::{Home, HubProcess, PageSetup, Reply, ScriptedPage, ToolReply};
use serde_json::{Value, json};
use std::io::BufRead;
use std::time::{Duration, Instant};
use tungstenite::Message;

const SHOP: &str = "https://shop.test";
const DESK: &str = "https://desk.test";
/// Fails a test that hangs.
const PATIENCE: Duration = Duration::from_mins(1);

fn allow(home: &Home, args: &[&str]) {
    let ran = home.eye(["allow"].iter().chain(args));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// A page of an origin that answers code with the code and has an irreversible tool.
fn page_of(home: &Home, origin: &str) -> ScriptedPage {
    let setup = PageSetup {
        origin: Some(origin.into()),
        url: format!("{origin}/"),
        ..PageSetup::new(home, "Shop").alias("shop")
    };
    let pay = json!({ "name": "pay", "annotations": { "consequentialHint": true } });
    ScriptedPage::acting(home, &setup, |code| Reply::text(code), &[pay], |_, _| ToolReply::Result(json!("paid")))
}

/// Waits until code may be evaluated in the only page, or no longer may.
fn wait_for_eval(home: &Home, wanted: bool) {
    let begun = Instant::now();
    loop {
        let listed = home.eye(["pages", "--json"]);
        let rows: Value = serde_json::from_str(&listed.stdout).unwrap_or_else(|_| panic!("{listed:?}"));
        let row = rows.as_array().or_else(|| rows["sessions"].as_array()).and_then(|rows| rows.first().cloned());
        if row.as_ref().is_some_and(|row| row["eval"] == wanted) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{row:?}");
    }
}

#[test]
fn a_changed_policy_holds_for_pages_that_are_there() {
    for origin in [SHOP, "http://localhost:5173"] {
        let home = home();
        let _hub = HubProcess::start(&home);
        allow(&home, &[origin]);
        let page = page_of(&home, origin);
        assert_eq!(home.eye(["before()"]).stdout, "before()\n");
        assert_eq!(home.eye(["call", "pay"]).code, 0);
        allow(&home, &["--no-eval", "--confirm", origin]);
        wait_for_eval(&home, false);
        let refused = home.eye(["attack()"]);
        assert!(refused.stderr.contains(&format!("may not be evaluated in pages of {origin}")), "{refused:?}");
        let refused = home.eye(["call", "pay"]);
        assert!(refused.code != 0 && refused.stderr.contains("ask for confirmation"), "{refused:?}");
        allow(&home, &[origin]);
        wait_for_eval(&home, true);
        assert_eq!(home.eye(["after()"]).stdout, "after()\n");
        assert_eq!(home.eye(["call", "pay"]).code, 0);
        let sent = page.sent("after()").join("\n");
        assert!(sent.contains("before()") && !sent.contains("attack()"), "{sent}");
    }
}

#[test]
fn a_page_of_an_origin_that_is_allowed_no_more_is_closed_with_the_reason() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let local = ScriptedPage::echo(&home, "Local");
    for (change, why) in [
        (["--remove", SHOP], format!("no longer allowed: pages of {SHOP} may not join this hub")),
        (
            ["--agent", SHOP],
            format!("no longer allowed: {SHOP} is allowed for agents only, so its pages may not join this hub"),
        ),
    ] {
        allow(&home, &[SHOP]);
        // One has sent hello, and one has only connected.
        let mut joined = websocket(&home, "clientType=browser&version=1.0.0", &[("Origin", SHOP)]);
        let welcome = joined.read().unwrap();
        assert!(welcome.to_text().unwrap().contains("sessionId"), "{welcome}");
        let mut silent = websocket(&home, "clientType=browser", &[("Origin", SHOP), ("Sec-WebSocket-Protocol", "eye")]);
        let mut stream =
            http(&home, &format!("GET /events?sessionId=s1&clientType=browser HTTP/1.1\r\nOrigin: {SHOP}"), "none", "");
        let mut first = String::new();
        while !first.contains("data:") {
            assert!(stream.read_line(&mut first).unwrap() > 0, "{first}");
        }
        allow(&home, &change);
        assert_eq!(rest_of(&mut joined).1, Some((4007, why.clone())));
        assert_eq!(rest_of(&mut silent).1, Some((4007, why)));
        all(stream);
        let again = all(http(
            &home,
            &format!("GET /events?sessionId=s1&clientType=browser HTTP/1.1\r\nOrigin: {SHOP}"),
            "none",
            "",
        ));
        assert!(again.starts_with("HTTP/1.1 403"), "{again}");
    }
    assert_eq!(home.eye(["--page", local.session(), "still()"]).stdout, "still()\n");
}

#[test]
fn agents_in_pages_of_an_origin_that_is_allowed_no_more_end_on_every_face() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop"), |code| match code {
        "1" => Reply::json("1"),
        _ => Reply::Hold,
    });
    allow(&home, &["--agent", DESK]);
    let shown = home.eye(["token", "show"]);
    let secret = shown.stdout.trim();
    let bearer = format!("Bearer {secret}");
    let from = format!("\r\nOrigin: {DESK}");
    let held = json!({ "code": "held()" });
    let mut socket = websocket(&home, "clientType=agent", &[("Authorization", &bearer), ("Origin", DESK)]);
    let mut program = websocket(&home, "clientType=agent", &[("Authorization", &bearer)]);
    socket.send(Message::text(request(1, "eval", &held))).unwrap();
    page.held();
    let mut stream = http(&home, &format!("GET /agent HTTP/1.1{from}"), secret, "");
    let mut first = String::new();
    while !first.contains("clientId") {
        assert!(stream.read_line(&mut first).unwrap() > 0, "{first}");
    }
    let session = mcp_session(&home, &from, secret);
    let listening = http(&home, &format!("GET /mcp HTTP/1.1{from}\r\n{session}"), secret, "");
    let call = request(7, "tools/call", &json!({ "name": "eye", "arguments": { "expr": "held()" } }));
    let mut posts = Vec::new();
    for (head, body) in [
        (format!("POST /agent HTTP/1.1{from}"), request(2, "eval", &held)),
        (format!("POST /rpc HTTP/1.1{from}"), request(3, "eval", &held)),
        (format!("POST /mcp HTTP/1.1{from}\r\n{session}"), call),
    ] {
        posts.push((head.clone(), http(&home, &head, secret, &body)));
        page.held();
    }
    allow(&home, &["--remove", DESK]);
    let gone = format!("no longer allowed: agents in pages of {DESK} may not use this hub");
    let (texts, close) = rest_of(&mut socket);
    assert!(texts.iter().any(|text| text.contains(r#""id":1"#) && text.contains(&gone)), "{texts:?}");
    assert_eq!(close, Some((4007, gone.clone())));
    posts.push(("GET /agent".into(), stream));
    for (face, answer) in posts {
        let text = all(answer);
        assert!(text.contains(&gone), "{face}: {text}");
    }
    assert!(all(listening).starts_with("HTTP/1.1 200"), "the stream was open, and ends");
    program.send(Message::text(request(4, "eval", &json!({ "code": "1" })))).unwrap();
    let answer = std::iter::repeat_with(|| program.read().unwrap())
        .find(|message| message.to_text().is_ok_and(|text| text.contains(r#""id":4"#)))
        .unwrap();
    assert!(answer.to_text().unwrap().contains(r#""value":1"#), "{answer}");
}

#[test]
fn what_a_page_uses_of_the_backends_ends_with_the_grant_of_its_origin() {
    let (url, beginning, end) =
        slow_llm("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"first\":1}\n\n");
    let home = home();
    let _hub = HubProcess::start_with(&home, &["--llm", &url]);
    allow(&home, &["--backends", SHOP]);
    let mut granted = websocket_at(&home, "/evolution", &[("Origin", SHOP)]);
    let own = format!("http://localhost:{}", home.port());
    let own = [("Origin", own.as_str()), ("Host", own.trim_start_matches("http://"))];
    let mut other = websocket_at(&home, "/evolution", &own);
    let body = json!({ "messages": [], "stream": true }).to_string();
    let mut answer = http(&home, &format!("POST /v1/chat/completions HTTP/1.1\r\nOrigin: {SHOP}"), "", &body);
    beginning.recv_timeout(PATIENCE).unwrap();
    let mut text = String::new();
    while !text.contains("first") {
        assert!(answer.read_line(&mut text).unwrap() > 0, "{text}");
    }
    // Its pages may still join.
    allow(&home, &[SHOP]);
    let gone =
        format!("no longer allowed: the backends are for agents and for eye's own pages, not for pages of {SHOP}");
    assert_eq!(rest_of(&mut granted).1, Some((4007, gone.clone())));
    text += &all(answer);
    assert!(text.contains(&gone), "{text}");
    end.recv_timeout(PATIENCE).expect("the LLM server is not kept busy");
    other.send(Message::text("{}")).unwrap();
    assert!(other.read().unwrap().is_text(), "eye's own pages go on");
}
