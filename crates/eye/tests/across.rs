//! Everything that crosses hubs: batches, progress, cancelling, both eras of MCP, state. With the real binary and
//! a real nats-server.

use crate::stage;
use crate::stage::answers;
use crate::stage::hubs::{hub, hub_with, lists, setup};
use crate::stage::mcp::{Client, with_meta};
use crate::stage::wire::{all, http, mcp_session, request};
use eye_testkit::{Home, HubProcess, Nats, PageSetup, Reply, Running, ScriptedPage, ToolReply};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

/// A cluster of two hubs with a page at the second, which the first lists.
struct Two {
    _nats: Nats,
    a: Home,
    b: Home,
    _hubs: [HubProcess; 2],
    page: ScriptedPage,
}

impl Two {
    fn new(script: impl FnMut(&str) -> Reply + Send + 'static) -> Self {
        let nats = Nats::start();
        let ((a, hub_a), (b, hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
        let tools = [
            json!({ "name": "add", "inputSchema": { "type": "object", "required": ["n"] } }),
            json!({ "name": "slow" }),
        ];
        let tool = |name: &str, arguments: &Value| match name {
            "slow" | "page/wait" => ToolReply::Hold,
            _ => ToolReply::Result(json!({ "sum": arguments["n"].as_i64().unwrap_or(0) + 1 })),
        };
        let page = ScriptedPage::acting(&b, &setup(&b, "Shop").alias("shop"), script, &tools, tool);
        lists(&a, "shop");
        Self { _nats: nats, a, b, _hubs: [hub_a, hub_b], page }
    }
}

fn echo(code: &str) -> Reply {
    match code {
        "forever()" => Reply::Hold,
        _ => Reply::text(code),
    }
}

#[test]
fn a_thousand_lines_are_answered_as_they_come_and_in_order() {
    let two = Two::new(echo);
    let lines = (1..=1000).fold(String::new(), |text, n| text + &n.to_string() + "\n");
    let ran = two.a.eye_reading(&lines, ["batch"]);
    let got: BTreeSet<String> = ran.stdout.lines().map(str::to_owned).collect();
    assert_eq!(got, (1..=1000).map(|n| format!("{n}:{n}")).collect::<BTreeSet<_>>(), "{}", ran.stderr);
    assert_eq!(two.a.eye_reading(&lines, ["batch", "--ordered"]), answers(0, &lines, ""));
}

#[test]
fn an_interrupted_call_is_cancelled_in_the_page() {
    let two = Two::new(echo);
    let mut running = two.a.start(["forever()"]);
    let held = two.page.held();
    stage::interrupt(running.child());
    assert_eq!(running.wait().code, 130);
    assert_eq!(two.page.cancelled(), held.id);
}

#[test]
fn progress_of_a_tool_is_reported_while_it_runs() {
    let two = Two::new(echo);
    let mut running = two.a.start(["call", "slow"]);
    let held = two.page.held_tool();
    two.page.progress(&held, json!({ "progress": 1, "total": 4, "message": "loading" }));
    let mut stderr = BufReader::new(running.child().stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert_eq!(line, "progress: 1/4 loading\n");
    two.page.answer_tool(&held, Ok(&json!({ "content": [{ "type": "text", "text": "done" }] })));
    assert_eq!(running.wait(), answers(0, "done\n", ""));
}

/// Checks that are the same in both eras of MCP.
fn mcp(two: &Two, client: &mut Client, params: impl Fn(Value) -> Value) {
    let ask = |client: &mut Client, name: &str, arguments: Value| {
        client.ask("tools/call", &params(json!({ "name": name, "arguments": arguments })))
    };
    let output = ask(client, "eye", json!({ "expr": "document.title", "page": "shop" }));
    assert_eq!(output["content"][0]["text"], "document.title");
    let found = ask(client, "mcp_discover", json!({ "query": "add" }));
    assert!(found.to_string().contains("add"), "{found}");
    let called = ask(client, "mcp_call", json!({ "name": "add", "arguments": { "n": 4 } }));
    assert_eq!(called["structuredContent"], json!({ "sum": 5 }), "{called}");
    // Progress, under the client's own token.
    let slow = json!({ "name": "mcp_call", "arguments": { "name": "slow", "arguments": {} } });
    let mut with_token = params(slow);
    with_token["_meta"]["progressToken"] = "mine".into();
    let id = client.send("tools/call", &with_token);
    let held = two.page.held_tool();
    two.page.progress(&held, json!({ "progress": 1, "total": 2, "message": "half" }));
    let report = client.receive();
    assert_eq!(report["method"], "notifications/progress", "{report}");
    assert_eq!(report["params"]["progressToken"], "mine");
    two.page.answer_tool(&held, Ok(&json!({ "content": [] })));
    assert_eq!(client.response(id)["result"]["content"], json!([]));
    // Cancelling reaches the page and gets no response.
    let wait = params(json!({ "name": "eye", "arguments": { "expr": "forever()" } }));
    let id = client.send("tools/call", &wait);
    let held = two.page.held();
    client
        .send_message(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    assert_eq!(two.page.cancelled(), held.id);
    let next = ask(client, "eye", json!({ "expr": "next" }));
    assert_eq!(next["content"][0]["text"], "next");
    assert!(client.notices.iter().all(|notice| notice["id"] != id), "{:?}", client.notices);
}

#[test]
fn a_legacy_client_of_mcp_uses_a_page_of_another_hub() {
    let two = Two::new(echo);
    let mut client = Client::legacy(&two.a, &[]);
    mcp(&two, &mut client, |params| params);
    client.finish();
}

#[test]
fn a_modern_client_of_mcp_uses_a_page_of_another_hub() {
    let two = Two::new(echo);
    let mut client = Client::start(&two.a, &[]);
    mcp(&two, &mut client, with_meta);
    client.finish();
}

/// Publishes a state from the page, and returns when its hub has processed it.
fn publish(two: &Two, revision: u64) {
    two.page.send(&format!(
        r#"{{"jsonrpc":"2.0","method":"state/update","params":{{"state":{{"n":{revision}}},"revision":{revision}}}}}"#
    ));
    assert_eq!(two.a.eye(["--page", "shop", "sync"]), answers(0, "sync\n", ""));
}

#[test]
fn state_is_a_resource_of_both_eras_that_reports_its_changes() {
    let two = Two::new(echo);
    publish(&two, 1);
    let uri = format!("eye://session/{}/state", two.page.session());
    let mut legacy = Client::legacy(&two.a, &[]);
    let list = legacy.ask("resources/list", &json!({}));
    assert!(list["resources"].as_array().unwrap().iter().any(|resource| resource["uri"] == uri), "{list}");
    legacy.ask("resources/subscribe", &json!({ "uri": uri }));
    let mut modern = Client::start(&two.a, &[]);
    let listen = json!({ "notifications": { "resourceSubscriptions": [uri] } });
    modern.send("subscriptions/listen", &with_meta(listen));
    assert_eq!(modern.receive()["method"], "notifications/subscriptions/acknowledged");
    publish(&two, 2);
    for client in [&mut legacy, &mut modern] {
        while client.receive()["method"] != "notifications/resources/updated" {}
    }
    assert_eq!(legacy.ask("resources/read", &json!({ "uri": uri }))["contents"][0]["text"], r#"{"n":2}"#);
    assert_eq!(modern.modern("resources/read", json!({ "uri": uri }))["contents"][0]["text"], r#"{"n":2}"#);
}

#[test]
fn clients_of_mcp_over_http_use_a_page_of_another_hub() {
    let nats = Nats::start();
    let open = ["--auth", "none"];
    let ((a, _hub_a), (b, _hub_b)) = (hub_with(&nats, "a", &open), hub_with(&nats, "b", &open));
    let _page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), echo);
    lists(&a, "shop");
    let post = |headers: &str, body: &str| all(http(&a, &format!("POST /mcp HTTP/1.1{headers}"), "", body));
    let call = |code: &str| json!({ "name": "eye", "arguments": { "expr": code, "page": "shop" } });
    let session = mcp_session(&a, "", "");
    let answer = post(&format!("\r\n{session}"), &request(2, "tools/call", &call("legacy()")));
    assert!(answer.contains("\"text\":\"legacy()\""), "{answer}");
    let version = "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: eye";
    let answer = post(version, &request(3, "tools/call", &with_meta(call("modern()"))));
    assert!(answer.contains("\"text\":\"modern()\""), "{answer}");
}

#[test]
fn watch_prints_each_change_of_a_page_of_another_hub() {
    let two = Two::new(echo);
    publish(&two, 1);
    let mut watching = Running::of(two.a.command().args(["--page", "shop", "watch", "state", "--count", "3"]));
    let mut lines = BufReader::new(watching.child().stdout.take().unwrap()).lines();
    // Changes are missed until the other hub knows the watch; its first line shows that it does.
    let mut revision = 1;
    let first: Value = std::thread::scope(|scope| {
        let line = scope.spawn(|| lines.next().unwrap().unwrap());
        while !line.is_finished() {
            revision += 1;
            publish(&two, revision);
        }
        serde_json::from_str(&line.join().unwrap()).unwrap()
    });
    publish(&two, 900);
    publish(&two, 901);
    let mut last = first["revision"].as_u64();
    for _ in 0..2 {
        let next: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert!(next["revision"].as_u64() > last, "{next} after {last:?}");
        last = next["revision"].as_u64();
    }
    assert_eq!(watching.wait().code, 0);
}

#[test]
fn a_wait_ends_when_the_page_says_so() {
    let two = Two::new(echo);
    let running = two.a.start(["wait", "text=Done"]);
    let held = two.page.held_tool();
    assert_eq!((held.name.as_str(), &held.arguments["target"]), ("page/wait", &json!("text=Done")));
    two.page.answer_tool(&held, Ok(&json!({ "waited": 1 })));
    let here = two.b.start(["wait", "text=Done"]);
    let held = two.page.held_tool();
    two.page.answer_tool(&held, Ok(&json!({ "waited": 1 })));
    let (there, here) = (running.wait(), here.wait());
    assert_eq!(there, here);
    assert_eq!(there.code, 0, "{there:?}");
}

/// Subscribes a page to topics, and returns when its hub has confirmed it.
fn subscribe(page: &ScriptedPage, pattern: &str) {
    let params = json!({ "topic": pattern });
    page.send(&json!({ "jsonrpc": "2.0", "id": pattern, "method": "topic/subscribe", "params": params }).to_string());
    page.sent(&format!(r#""id":"{pattern}""#));
}

fn publishes(page: &ScriptedPage, topic: &str, message: &str) {
    let params = json!({ "topic": topic, "message": message, "timeout": 60_000 });
    page.send(&json!({ "jsonrpc": "2.0", "method": "topic/publish", "params": params }).to_string());
}

/// The orders that a page has received, in order.
fn orders(frames: &[String]) -> Vec<u32> {
    let all = frames.join("\n");
    all.split("\"order ").skip(1).map(|rest| rest[..rest.find('"').unwrap()].parse().unwrap()).collect()
}

#[test]
fn topics_cross_hubs_in_order_and_only_to_those_of_their_origin() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b), (c, _hub_c)) = (hub(&nats, "a"), hub(&nats, "b"), hub(&nats, "c"));
    let join = |home: &Home, setup: &PageSetup| ScriptedPage::join(home, setup, |code| Reply::text(code));
    let listener = join(&b, &setup(&b, "Listener"));
    let evil = join(&b, &PageSetup { origin: Some("http://localhost:9".into()), ..setup(&b, "Evil") });
    let quiet = join(&c, &setup(&c, "Quiet"));
    subscribe(&listener, "orders.*");
    subscribe(&evil, "*");
    subscribe(&quiet, "news");
    // The traffic to each hub.
    let mut observer = nats.peer();
    observer.subscribe("eye.default.b");
    let life = loop {
        let beat: Value = serde_json::from_slice(&observer.receive().1).unwrap();
        if beat["hub"] == "c" {
            break beat["life"].as_str().unwrap().to_owned();
        }
    };
    let at_c = format!("eye.default.h.{life}");
    observer.subscribe(&at_c);
    // Orders published before the other hubs have reported their subscriptions wait for that.
    let shop = join(&a, &setup(&a, "Shop"));
    for number in 1..=200 {
        publishes(&shop, "orders.new", &format!("order {number}"));
    }
    let received = listener.sent("order 200");
    assert_eq!(orders(&received), (1..=200).collect::<Vec<_>>());
    // An agent publishes to every origin, at every hub.
    let report = a.eye(["pub", "orders.done", "for all", "--all"]);
    assert!(report.stdout.starts_with("delivered") || report.stdout.starts_with("queued"), "{report:?}");
    assert_eq!(orders(&evil.sent("for all")), [0; 0], "another origin heard something");
    publishes(&shop, "news", "fresh");
    quiet.sent("fresh");
    // Nothing was sent to the hub without a listener for orders.
    loop {
        let (subject, payload) = observer.receive();
        let text = String::from_utf8_lossy(&payload);
        assert!(subject != at_c || !text.contains("order "), "{text}");
        if subject == at_c && text.contains("fresh") {
            break;
        }
    }
}

#[test]
fn a_page_that_was_granted_a_topic_receives_it_from_another_hub() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let join = |home: &Home, setup: &PageSetup| ScriptedPage::join(home, setup, |code| Reply::text(code));
    assert_eq!(b.eye(["allow", "http://localhost:9", "--topics", "news"]).code, 0);
    let partner = join(&b, &PageSetup { origin: Some("http://localhost:9".into()), ..setup(&b, "Partner") });
    subscribe(&partner, "*");
    let shop = join(&a, &setup(&a, "Shop"));
    publishes(&shop, "orders", "order 1");
    publishes(&shop, "news", "fresh");
    assert_eq!(orders(&partner.sent("fresh")), [0; 0]);
    // An agent of another hub receives messages from pages of every origin.
    let listening = Running::of(b.command().args(["sub", "orders", "--count", "1"]));
    let received = listening.wait();
    assert!(received.stdout.contains("order 1"), "{received:?}");
}
