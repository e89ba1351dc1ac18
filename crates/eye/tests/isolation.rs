//! Attacks on a real hub by pages: what a page of one origin, or of an earlier hub, can get of another's calls,
//! sessions, names and messages.

use crate::stage::home;
use eye_protocol::Value;
use eye_testkit::{DEADLINE, Held, Home, HubProcess, PageSetup, Reply, Running, ScriptedPage, ToolReply};
use serde_json::json;
use std::time::Instant;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

type Stream = tungstenite::stream::MaybeTlsStream<std::net::TcpStream>;

#[test]
fn answers_to_calls_of_a_killed_hub_are_not_believed() {
    const CALLS: usize = 3;
    let home = home();
    let hub = HubProcess::start(&home);
    let setup = PageSetup::new(&home, "Late").session("late");
    let page = ScriptedPage::join(&home, &setup, |_| Reply::Hold);
    let calls: Vec<_> = (0..CALLS).map(|_| home.start(["slow()"])).collect();
    let old: Vec<Held> = (0..CALLS).map(|_| page.held()).collect();
    hub.kill();
    page.wait_closed();
    for one in calls {
        assert_ne!(one.wait().code, 0, "the hub that was asked is dead");
    }

    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &setup, |_| Reply::Hold);
    let calls: Vec<_> = (0..CALLS).map(|_| home.start(["slow()"])).collect();
    let new: Vec<Held> = (0..CALLS).map(|_| page.held()).collect();
    // The ids that it never answered at the earlier hub, and the ids that hub would have used next.
    let first: u64 = old[0].id.parse().unwrap();
    let guesses = (1..100).chain(first..first + 100).map(|id| Held { id: id.to_string(), code: String::new() });
    for replayed in guesses {
        page.answer(&replayed, &Ok(Value::Text("stolen".into())));
    }
    for held in &new {
        assert!(held.id.parse::<u64>().unwrap() < 1 << 53, "a page may read {} as a JavaScript number", held.id);
        page.answer(held, &Ok(Value::Text("right".into())));
    }
    for one in calls {
        assert_eq!(one.wait().stdout, "right\n");
    }
}

/// A page of an allowed origin; everything else can be chosen.
fn page_of(home: &Home, origin: &str, title: &str, session: Option<&str>, alias: Option<&str>) -> ScriptedPage {
    let setup = PageSetup {
        session: session.map(Into::into),
        alias: alias.map(Into::into),
        origin: Some(origin.into()),
        url: format!("{origin}/"),
        ..PageSetup::new(home, title)
    };
    let title = title.to_owned();
    ScriptedPage::join(home, &setup, move |_| Reply::text(title.clone()))
}

const SHOP: &str = "https://shop.test";
const EVIL: &str = "https://evil.test";

/// A hub that lets both origins join.
fn hub(home: &Home) -> HubProcess {
    let hub = HubProcess::start(home);
    for origin in [SHOP, EVIL] {
        assert_eq!(home.eye(["allow", origin]).code, 0);
    }
    hub
}

fn notify(method: &str, params: &serde_json::Value) -> String {
    serde_json::json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

fn request(id: &str, method: &str, params: &serde_json::Value) -> String {
    serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// Waits until a page of this session has left.
fn wait_gone(home: &Home, session: &str) {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let rows: serde_json::Value = serde_json::from_str(&home.eye(["pages", "--json"]).stdout).unwrap();
        let row = rows.as_array().unwrap().iter().find(|row| row["id"] == session).cloned();
        if row.is_none_or(|row| row["state"] == "gone") {
            return;
        }
        assert!(Instant::now() < deadline, "{session} is still there");
    }
}

#[test]
fn a_session_is_kept_for_its_origin_and_nothing_of_it_goes_to_another() {
    let home = home();
    let _hub = hub(&home);
    let shop = page_of(&home, SHOP, "Shop", Some("till"), None);
    shop.send(&notify("state/update", &json!({ "state": { "secret": "s3cret" }, "revision": 1 })));
    shop.send(&notify("mailbox/put", &json!({ "message": "s3cret mail" })));
    assert_eq!(home.eye(["use", "till"]).code, 0);
    assert_eq!(home.eye(["1"]).stdout, "Shop\n");
    assert!(home.eye(["state"]).stdout.contains("s3cret"));

    // While its page is connected, another origin is refused; it is told so and may join with another id.
    let while_there = raw_join(&home, EVIL, "till");
    assert_eq!(while_there, Err(4004));

    shop.leave();
    // During the two seconds for a reload, and after them, it gets an id of its own.
    let evil = page_of(&home, EVIL, "Evil", Some("till"), None);
    assert_ne!(evil.session(), "till");
    assert!(evil.sent("").iter().all(|frame| !frame.contains("till") && !frame.contains("s3cret")));
    wait_gone(&home, "till");
    let again = page_of(&home, EVIL, "Evil", Some("till"), None);
    assert_ne!(again.session(), "till");
    let ran = home.eye(["1"]);
    assert_ne!(ran.code, 0, "the agent's page is gone, and no other takes its place: {}", ran.stdout);
    assert!(ran.stderr.contains("used last is gone") || ran.stderr.contains("left"), "{}", ran.stderr);
    assert!(!home.eye(["--page", evil.session(), "state"]).stdout.contains("s3cret"));
    assert_eq!(home.eye(["--page", evil.session(), "read"]).stdout, "");

    // The session's own origin gets it back, with its mail.
    let shop = page_of(&home, SHOP, "Shop", Some("till"), None);
    assert_eq!(shop.session(), "till");
    assert_eq!(home.eye(["--page", "till", "read"]).stdout, "s3cret mail\n");
    let refused = home.eye(["pages", "forget", "till"]);
    assert!(refused.code != 0 && refused.stderr.contains("close its tab"), "{refused:?}");

    // Once forgotten, the id is free; neither the state nor the agent's last page is passed on.
    shop.leave();
    wait_gone(&home, "till");
    assert_eq!(home.eye(["pages", "forget", "till"]).stdout, "forgot till\n");
    let evil = page_of(&home, EVIL, "Evil", Some("till"), None);
    assert_eq!(evil.session(), "till");
    let ran = home.eye(["1"]);
    assert!(ran.code != 0 && ran.stderr.contains("used last is gone"), "{ran:?}");
    assert!(!home.eye(["--page", "till", "state"]).stdout.contains("s3cret"));
}

/// Joins with a session id and sends hello; returns the session, or the close code.
fn raw_join(home: &Home, origin: &str, session: &str) -> Result<String, u16> {
    let url = format!("ws://127.0.0.1:{}/ws?clientType=browser&sessionId={session}", home.port());
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("Origin", origin.parse().unwrap());
    request.headers_mut().insert("Sec-WebSocket-Protocol", "eye".parse().unwrap());
    let (mut socket, _) = tungstenite::connect(request).unwrap();
    socket.send(Message::text(r#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"typed":true}}"#)).unwrap();
    let mut report = String::new();
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => {
                report = text.to_string();
                // A ping with a response shows that it was not closed after its welcome.
                socket.send(Message::text(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#)).unwrap();
                if report.contains("pong") {
                    return Ok(report);
                }
            }
            Ok(Message::Close(Some(frame))) => return Err(frame.code.into()),
            Ok(_) => {}
            Err(error) => panic!("{error} after {report}"),
        }
    }
}

#[test]
fn a_page_receives_no_topic_of_another_origin_unless_it_was_granted() {
    let home = home();
    let _hub = hub(&home);
    let shop = page_of(&home, SHOP, "Shop", Some("till"), None);
    let evil = page_of(&home, EVIL, "Evil", None, None);
    evil.send(&request("s", "topic/subscribe", &json!({ "topic": "*" })));
    evil.send(&request("t", "topic/subscribe", &json!({ "topic": "_mailbox" })));
    evil.sent(r#""id":"t""#);
    shop.send(&notify("topic/publish", &json!({ "topic": "orders.new", "message": "s3cret order", "queue": false })));
    shop.send(&notify("mailbox/put", &json!({ "message": "s3cret mail" })));
    assert_eq!(home.eye(["--page", SHOP, "pub", "orders.new", "s3cret word", "--no-wait"]).code, 0);
    assert_eq!(home.eye(["--page", SHOP, "pub", "_log", "s3cret log", "--all", "--no-wait"]).code, 0);
    assert_eq!(home.eye(["--page", SHOP, "pub", "chat", "for all", "--all"]).stdout, "delivered to 1\n");
    let sent = evil.sent("for all").join("\n");
    assert!(!sent.contains("s3cret") && !sent.contains("till"), "{sent}");

    assert_eq!(home.eye(["allow", EVIL, "--topics", "_mailbox"]).code, 2, "topics of our own are never shared");
    let allowed = home.eye(["allow", EVIL, "--topics", "orders.*,news"]);
    assert_eq!(allowed.stdout, "allowed https://evil.test sharing orders.*, news\n");
    let partner = page_of(&home, EVIL, "Partner", None, None);
    partner.send(&request("s", "topic/subscribe", &json!({ "topic": "*" })));
    partner.sent(r#""id":"s""#);
    shop.send(&notify("topic/publish", &json!({ "topic": "chat", "message": "s3cret chat", "queue": false })));
    shop.send(&notify("topic/publish", &json!({ "topic": "orders.new", "message": "order 2" })));
    let sent = partner.sent("order 2").join("\n");
    assert!(!sent.contains("s3cret"), "only what was granted: {sent}");
    assert!(sent.contains(r#""from":"till","origin":"https://shop.test""#), "{sent}");
}

#[test]
fn the_hub_says_who_speaks_and_no_page_can() {
    let home = home();
    let _hub = hub(&home);
    let shop = page_of(&home, SHOP, "Shop", None, Some("desktop"));
    let evil = page_of(&home, EVIL, "Evil", None, Some("desktop"));
    let received = |page: &ScriptedPage, params: &serde_json::Value| {
        let mut listening = home.command();
        let running = Running::of(listening.args(["sub", "chat", "--count", "1", "--json"]));
        page.send(&notify("topic/publish", params));
        serde_json::from_str::<serde_json::Value>(&running.wait().stdout).unwrap()
    };
    let forged = json!({ "topic": "chat", "message": 1, "from": "person", "timeout": 30_000 });
    let message = received(&evil, &forged);
    assert_eq!((message["from"].as_str(), message["as"].as_str()), (Some(evil.session()), Some("person")));
    assert_eq!(message["origin"], EVIL);
    drop(evil);
    wait_gone(&home, "desktop");
    let own = json!({ "topic": "chat", "message": 2, "as": "claude-eyes", "timeout": 30_000 });
    let message = received(&shop, &own);
    assert_eq!(message["as"], "claude-eyes");
    assert_eq!(message["origin"], SHOP);
}

#[test]
fn a_name_that_a_person_gave_cannot_be_taken_by_a_page() {
    let home = home();
    let hub = hub(&home);
    let shop = page_of(&home, SHOP, "Shop", Some("s1"), None);
    assert!(home.eye(["use", SHOP, "--as", "till"]).stdout.contains("till"));
    let _by_alias = page_of(&home, EVIL, "Evil", None, Some("till"));
    let _by_id = page_of(&home, EVIL, "Evil", Some("till"), None);
    let _by_title = page_of(&home, EVIL, "till", None, None);
    assert_eq!(home.eye(["--page", "till", "1"]).stdout, "Shop\n");
    assert_eq!(home.eye(["--page", SHOP, "1"]).stdout, "Shop\n");
    // An origin cannot be claimed by a page, whatever its title says.
    let _by_words = page_of(&home, EVIL, SHOP, None, Some(SHOP));
    assert_eq!(home.eye(["--page", SHOP, "1"]).stdout, "Shop\n");
    // A page whose alias is the id of another session does not receive its calls.
    let _rival = page_of(&home, EVIL, "Evil", None, Some("s1"));
    let ran = home.eye(["--page", "s1", "1"]);
    assert!(ran.code != 0 && ran.stderr.contains("several origins"), "{ran:?}");
    assert!(ran.stderr.contains(&format!("--page {SHOP}")), "{}", ran.stderr);
    // The name outlives the hub.
    hub.kill();
    shop.wait_closed();
    let _hub = HubProcess::start(&home);
    let _by_alias = page_of(&home, EVIL, "Evil", None, Some("till"));
    let _shop = page_of(&home, SHOP, "Shop", Some("s1"), None);
    assert_eq!(home.eye(["--page", "till", "1"]).stdout, "Shop\n");
}

#[test]
fn no_page_learns_the_agents_folder() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let folder = home.path("work/very-secret-project");
    std::fs::create_dir_all(&folder).unwrap();
    let tools = [json!({ "name": "echo" })];
    let setup = PageSetup::new(&home, "Shop");
    let done = |_: &str, _: &serde_json::Value| ToolReply::Result(json!("done"));
    let page = ScriptedPage::acting(&home, &setup, |_| Reply::text("1"), &tools, done);
    page.send(&request("s", "topic/subscribe", &json!({ "topic": "*" })));
    page.sent(r#""id":"s""#);
    for args in [
        &["1"][..],
        &["look"],
        &["click", "text=Buy"],
        &["send", "chat", "hello"],
        &["write", "hello"],
        &["call", "echo"],
        &["state"],
        &["logs"],
        &["apps"],
        &["open", "chat"],
        &["read"],
        &["fire", "1"],
        &["pub", "chat", "the last word"],
    ] {
        let mut command = home.command();
        Running::of(command.current_dir(&folder).args(args)).wait();
    }
    let sent = page.sent("the last word").join("\n");
    for method in ["page/look", "page/click", "page/send", "page/write", "tools/call", "topic/message"] {
        assert!(sent.contains(method), "{method} reached the page: {sent}");
    }
    assert!(!sent.contains("very-secret-project") && !sent.contains(&*home.path("").to_string_lossy()), "{sent}");
}

/// A WebSocket that offers a subprotocol, or none.
fn socket(home: &Home, path: &str, header: (&'static str, &str), protocol: Option<&str>) -> WebSocket<Stream> {
    let mut request = format!("ws://127.0.0.1:{}{path}", home.port()).into_client_request().unwrap();
    request.headers_mut().insert(header.0, header.1.parse().unwrap());
    if let Some(protocol) = protocol {
        request.headers_mut().insert("Sec-WebSocket-Protocol", protocol.parse().unwrap());
    }
    tungstenite::connect(request).unwrap().0
}

#[test]
fn a_client_without_our_subprotocol_speaks_json_rpc_only() {
    const NOT_JSON_RPC: [&str; 7] =
        ["{nonsense", "a:stolen()", ":stolen()", "stolen()", r#"["a","stolen()"]"#, r#"{i:1,c:"stolen()"}"#, "[]["];
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop"), |code| Reply::text(code));
    let token = format!("Bearer {}", home.eye(["token", "show"]).stdout.trim());
    let origin = format!("http://localhost:{}", home.port());
    for (path, header) in [
        ("/ws?clientType=agent", ("Authorization", token.as_str())),
        ("/ws?clientType=agent&version=1.0.0", ("Authorization", &token)),
        ("/ws?clientType=browser", ("Origin", &origin)),
        ("/ws?clientType=browser&version=1.0.0&sessionId=plain", ("Origin", &origin)),
    ] {
        let mut socket = socket(&home, path, header, None);
        let welcome = socket.read().unwrap();
        assert!(welcome.to_text().unwrap().contains(r#""id":"welcome""#), "{path} is welcomed at once: {welcome}");
        for frame in NOT_JSON_RPC {
            socket.send(Message::text(frame)).unwrap();
            let answer: serde_json::Value = serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(null), &json!(-32700)), "{path} {frame}");
        }
        socket.send(Message::text(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)).unwrap();
        assert!(socket.read().unwrap().to_text().unwrap().contains("pong"), "{path} goes on");
    }
    // A client that offers it speaks lines, as our own clients do.
    let mut agent = socket(&home, "/ws?clientType=agent", ("Authorization", &token), Some("eye"));
    agent.send(Message::text(r#"{"jsonrpc":"2.0","id":1,"method":"session/use","params":{"page":"Shop"}}"#)).unwrap();
    assert!(agent.read().unwrap().to_text().unwrap().contains("Shop"));
    agent.send(Message::text("a:the end")).unwrap();
    assert_eq!(agent.read().unwrap().to_text().unwrap(), "a:the end");
    assert!(page.sent("the end").iter().all(|frame| !frame.contains("stolen")));
}
