//! Calls that a person has paused wait until they are resumed, on every front end; at the real hub.

use crate::stage::console::Console;
use crate::stage::mcp::Client;
use crate::stage::{answers, home};
use eye_testkit::{Home, HubProcess, Nats, PageSetup, Reply, ScriptedPage};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// The code that a page received, in order.
type ReceivedCode = Arc<Mutex<Vec<String>>>;

/// A page that answers with the code it receives.
fn page(home: &Home, title: &str) -> (ScriptedPage, ReceivedCode) {
    let received = ReceivedCode::default();
    let sink = received.clone();
    let script = move |code: &str| {
        sink.lock().unwrap().push(code.to_owned());
        Reply::text(code)
    };
    (ScriptedPage::join(home, &PageSetup::new(home, title), script), received)
}

fn received_by(received: &ReceivedCode) -> Vec<String> {
    received.lock().unwrap().clone()
}

#[test]
fn what_is_paused_waits_until_it_may_go_on() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (page, received) = page(&home, "Shop");
    let mut console = Console::open(&home);
    let agent = home.path("work").display().to_string();
    for (at, what) in [
        json!({ "what": "all" }),
        json!({ "what": "agent", "name": agent }),
        json!({ "what": "page", "name": page.session() }),
    ]
    .iter()
    .enumerate()
    {
        console.pauses(what, true);
        let code = format!("{at}+1");
        let call = home.start([&code]);
        console.until_waiting(1);
        assert_eq!(received_by(&received).len(), at, "{what}: nothing reaches the page");
        assert_eq!(home.eye(["pages"]).code, 0, "lists are not held back");
        console.pauses(what, false);
        assert_eq!(call.wait(), answers(0, &format!("{code}\n"), ""), "{what}");
    }
    assert_eq!(received_by(&received), ["0+1", "1+1", "2+1"]);
    assert_eq!(console.request("console/pause", &json!({ "what": "agent" }))["error"]["code"], -32602);
}

#[test]
fn a_paused_call_ends_with_its_own_timeout_and_says_that_a_person_paused_it() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (_page, received) = page(&home, "Shop");
    let mut console = Console::open(&home);
    let all = json!({ "what": "all" });
    console.pauses(&all, true);
    for args in [&["1+1"][..], &["state"], &["look"], &["call", "buy"], &["pub", "orders", "1"]] {
        let ran = home.eye(["--timeout", "0.2"].iter().chain(args));
        assert_eq!(ran.code, 124, "{args:?}: {ran:?}");
        let want = "a person has paused all agents; the call waited 0.2 s for them";
        assert!(ran.stderr.contains(want), "{args:?}: {ran:?}");
    }
    console.pauses(&all, false);
    assert_eq!(home.eye(["after"]).stdout, "after\n");
    assert_eq!(received_by(&received), ["after"], "what was given up is never done");
}

#[test]
fn paused_calls_go_on_in_their_order_and_those_of_an_agent_that_left_do_not() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (page, received) = page(&home, "Shop");
    let mut console = Console::open(&home);
    let what = json!({ "what": "page", "name": page.session() });
    console.pauses(&what, true);
    let mut left = home.start(["left"]);
    console.until_waiting(1);
    left.child().kill().unwrap();
    left.wait();
    console.until_waiting(0);
    let batch = std::thread::scope(|scope| {
        let batch = scope.spawn(|| home.eye_reading("a1\na2\na3\n", ["batch"]));
        console.until_waiting(3);
        console.pauses(&what, false);
        batch.join().unwrap()
    });
    assert_eq!(batch, answers(0, "1:a1\n2:a2\n3:a3\n", ""));
    assert_eq!(received_by(&received), ["a1", "a2", "a3"]);
}

#[test]
fn a_paused_call_can_be_cancelled_and_holds_up_no_other_page() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (paused, received) = page(&home, "Shop");
    let (free, _) = page(&home, "Desk");
    let mut console = Console::open(&home);
    let what = json!({ "what": "page", "name": paused.session() });
    console.pauses(&what, true);
    let mut agent = Console::agent(&home);
    agent.send("gone", "eval", &json!({ "code": "gone", "page": paused.session() }));
    agent.send("first", "eval", &json!({ "code": "first", "page": paused.session() }));
    console.until_waiting(2);
    agent.send_frame(&json!({ "jsonrpc": "2.0", "method": "call/cancel", "params": { "id": "gone" } }));
    assert_eq!(agent.until(|frame| frame["id"] == "gone")["error"]["message"], "the call was cancelled");
    let answer = agent.request("eval", &json!({ "code": "free", "page": free.session() }));
    assert_eq!(answer["result"]["value"], "free", "another page's calls pass: {answer}");
    console.pauses(&what, false);
    assert_eq!(agent.until(|frame| frame["id"] == "first")["result"]["value"], "first");
    assert_eq!(received_by(&received), ["first"]);
}

/// A server whose only tool leaves a mark when it is called.
fn marked(home: &Home) -> String {
    let script = format!(
        r#"read a; echo '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}}}}}}'
read b; read c
echo '{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{{"name":"act","description":"Acts.","inputSchema":{{"type":"object"}}}}]}}}}'
id=3
while read d; do
  echo x >> {mark}
  echo '{{"jsonrpc":"2.0","id":'$id',"result":{{"content":[{{"type":"text","text":"acted"}}]}}}}'
  id=$((id + 1))
done"#,
        mark = home.path("mark").display(),
    );
    json!(["sh", "-c", script]).to_string()
}

fn marks(home: &Home) -> usize {
    std::fs::read_to_string(home.path("mark")).map_or(0, |text| text.lines().count())
}

#[test]
fn calls_of_servers_wait_too_by_the_command_line_and_by_mcp() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let config = format!("servers:\n  s: {{ command: {}, timeout: 60 }}\n", marked(&home));
    std::fs::create_dir_all(home.path("config/eye")).unwrap();
    std::fs::write(home.path("config/eye/config.yaml"), config).unwrap();
    let mut console = Console::open(&home);
    let mut client = Client::legacy(&home, &[]);
    assert_eq!(home.eye(["call", "s::act"]).stdout.trim(), "acted");
    let arguments = json!({ "name": "s::act", "arguments": {} });
    assert_eq!(client.text("mcp_call", &arguments, false), "acted");
    assert_eq!(marks(&home), 2);
    // An MCP client is named by the program that started it and its folder, the command line by its folder.
    let folder = home.path("work").display().to_string();
    let program = format!("mcp {} {folder}", std::process::id());
    let named = |name: &str| json!({ "what": "agent", "name": name });
    for (at, pauses) in [vec![json!({ "what": "all" })], vec![named(&folder), named(&program)]].iter().enumerate() {
        for what in pauses {
            console.pauses(what, true);
        }
        assert_eq!(home.eye(["servers"]).code, 0, "lists are not held back");
        let by_line = home.start(["call", "s::act"]);
        console.until_waiting(1);
        let by_mcp = client.send("tools/call", &json!({ "name": "mcp_call", "arguments": arguments }));
        console.until_waiting(2);
        assert_eq!(marks(&home), 2 + 2 * at, "{pauses:?}: nothing reaches the server");
        for what in pauses {
            console.pauses(what, false);
        }
        assert_eq!(by_line.wait().stdout.trim(), "acted");
        assert_eq!(client.response(by_mcp)["result"]["content"][0]["text"], "acted");
    }
    // A call that waits too long ends with the reason; a cancelled one does not run.
    console.pauses(&json!({ "what": "all" }), true);
    let ran = home.eye(["--timeout", "0.2", "call", "s::act"]);
    assert!(ran.code == 124 && ran.stderr.contains("a person has paused all agents"), "{ran:?}");
    let cancelled = client.send("tools/call", &json!({ "name": "mcp_call", "arguments": arguments }));
    console.until_waiting(1);
    let params = json!({ "requestId": cancelled });
    client.send_message(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    console.until_waiting(0);
    console.pauses(&json!({ "what": "all" }), false);
    assert_eq!(client.text("mcp_call", &arguments, false), "acted");
    assert_eq!(marks(&home), 7);
}

#[test]
fn a_server_call_of_an_mcp_client_ends_with_the_timeout_of_the_server() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let config = format!("servers:\n  s: {{ command: {}, timeout: 0.3 }}\n", marked(&home));
    std::fs::create_dir_all(home.path("config/eye")).unwrap();
    std::fs::write(home.path("config/eye/config.yaml"), config).unwrap();
    let mut console = Console::open(&home);
    assert_eq!(home.eye(["discover", "act"]).code, 0);
    let mut client = Client::legacy(&home, &[]);
    console.pauses(&json!({ "what": "all" }), true);
    let id = client.send("tools/call", &json!({ "name": "mcp_call", "arguments": { "name": "s::act" } }));
    let output: Value = client.response(id);
    assert!(output.to_string().contains("a person has paused all agents; the call waited 0.3 s for them"), "{output}");
    assert_eq!(marks(&home), 0);
}

#[test]
fn a_page_is_paused_for_agents_of_other_hubs_too() {
    let nats = Nats::start();
    let (a, b) = (home(), home());
    let of = |home: &Home, name: &str| HubProcess::start_with(home, &["--cluster", &nats.url(), "--hub-name", name]);
    let (_hub_a, _hub_b) = (of(&a, "a"), of(&b, "b"));
    let (page, received) = page(&b, "Shop");
    let mut console = Console::open(&b);
    let end = std::time::Instant::now() + eye_testkit::DEADLINE;
    while !a.eye(["pages"]).stdout.contains("at b") {
        assert!(std::time::Instant::now() < end, "the page is not listed");
    }
    let what = json!({ "what": "page", "name": page.session() });
    console.pauses(&what, true);
    let call = a.start(["1+1"]);
    console.until_waiting(1);
    assert_eq!(received_by(&received).len(), 0);
    console.pauses(&what, false);
    assert_eq!(call.wait(), answers(0, "1+1\n", ""));
}
