//! Pages and agents of BTCP at different hubs. With the real binary and a real nats-server.

use crate::stage::btcp::{Btcp, BtcpByPost};
use crate::stage::hubs::{hub_with, lists};
use eye_testkit::Nats;
use serde_json::json;

#[test]
fn a_page_and_an_agent_of_btcp_work_together_at_two_hubs() {
    let nats = Nats::start();
    let open = ["--auth", "none"];
    let ((a, _hub_a), (b, _hub_b)) = (hub_with(&nats, "a", &open), hub_with(&nats, "b", &open));
    let mut page = Btcp::open(&b, "browser", "shop");
    let schema = json!({ "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } });
    let greet = json!({ "name": "greet", "description": "Greets", "inputSchema": schema });
    page.send_request("r1", "tools/register", &json!({ "sessionId": "shop", "tools": [greet] }));
    page.receive_until(|frame| frame["id"] == "r1");
    lists(&a, "shop");
    let mut agent = Btcp::open(&a, "agent", "shop");
    agent.send_request("j1", "session/join", &json!({ "sessionId": "shop" }));
    let joined = agent.receive_until(|frame| frame["id"] == "j1");
    assert_eq!(joined["result"]["tools"][0]["name"], "greet", "{joined}");
    let ada = json!({ "name": "greet", "arguments": { "name": "Ada" } });
    agent.send_request("c1", "tools/call", &ada);
    page.answers("hello");
    assert_eq!(agent.receive_until(|frame| frame["id"] == "c1")["result"]["content"][0]["text"], "hello");
    // Arguments are checked, and several calls are answered in order.
    agent.send_request("c2", "tools/call", &json!({ "name": "greet", "arguments": {} }));
    assert_eq!(agent.receive_until(|frame| frame["id"] == "c2")["error"]["code"], -32005);
    agent.send_request("b1", "tools/callBatch", &json!({ "calls": [ada, { "name": "nope" }] }));
    page.answers("first");
    let both = agent.receive_until(|frame| frame["id"] == "b1");
    assert_eq!(both["result"]["results"][0]["result"]["content"][0]["text"], "first", "{both}");
    assert_eq!(both["result"]["results"][1]["error"]["code"], -32004, "{both}");
    // Progress and cancelling use the id of each side.
    agent.send_request("c3", "tools/call", &ada);
    let id = page.receive_until(|frame| frame["method"] == "tools/call")["id"].clone();
    let progress = json!({ "id": id, "progress": 1, "total": 2, "message": "half" });
    page.send(&json!({ "jsonrpc": "2.0", "method": "call/progress", "params": progress }));
    let answer = agent.receive_until(|frame| frame["method"] == "call/progress");
    assert_eq!((&answer["params"]["id"], &answer["params"]["message"]), (&json!("c3"), &json!("half")));
    agent.send(&json!({ "jsonrpc": "2.0", "method": "call/cancel", "params": { "id": "c3" } }));
    assert_eq!(page.receive_until(|frame| frame["method"] == "call/cancel")["params"]["id"], id);
    assert_eq!(agent.receive_until(|frame| frame["id"] == "c3")["error"]["code"], -32800);
    // Its tools change, it leaves, and it comes back.
    page.send_request("r2", "tools/register", &json!({ "sessionId": "shop", "tools": [greet, { "name": "other" }] }));
    let updated = agent.receive_until(|frame| frame["method"] == "tools/updated");
    assert_eq!(updated["params"]["tools"].as_array().map(Vec::len), Some(2), "{updated}");
    drop(page);
    agent.receive_until(|frame| frame["method"] == "session/pageGone");
    let _page = Btcp::open(&b, "browser", "shop");
    agent.receive_until(|frame| frame["method"] == "session/pageBack");
}

#[test]
fn an_agent_of_btcp_gets_news_of_its_page_wherever_that_goes() {
    let nats = Nats::start();
    let open = ["--auth", "none"];
    let ((a, _hub_a), (b, _hub_b)) = (hub_with(&nats, "a", &open), hub_with(&nats, "b", &open));
    let (c, _hub_c) = hub_with(&nats, "c", &open);
    let mut page = Btcp::open(&b, "browser", "shop");
    page.send_request("r1", "tools/register", &json!({ "sessionId": "shop", "tools": [{ "name": "greet" }] }));
    page.receive_until(|frame| frame["id"] == "r1");
    let mut agents = [&a, &b].map(|home| {
        lists(home, "shop");
        let mut agent = Btcp::open(home, "agent", "shop");
        agent.send_request("j1", "session/join", &json!({ "sessionId": "shop" }));
        agent.receive_until(|frame| frame["id"] == "j1");
        agent
    });
    for home in [&c, &a] {
        lists(home, "shop");
        let mut page = Btcp::open(home, "browser", "shop");
        page.send_request(
            "r2",
            "tools/register",
            &json!({ "sessionId": "shop", "tools": [{ "name": "one" }, { "name": "two" }] }),
        );
        page.receive_until(|frame| frame["id"] == "r2");
        for agent in &mut agents {
            agent.receive_until(|frame| frame["method"] == "session/pageBack");
            agent.receive_until(|frame| frame["params"]["tools"].as_array().is_some_and(|tools| tools.len() == 2));
        }
        page.send_request("r3", "tools/register", &json!({ "sessionId": "shop", "tools": [{ "name": "three" }] }));
        for agent in &mut agents {
            agent.receive_until(|frame| frame["params"]["tools"].as_array().is_some_and(|tools| tools.len() == 3));
            agent.send_request("c1", "tools/call", &json!({ "name": "three", "arguments": {} }));
            page.answers("hello");
            agent.receive_until(|frame| frame["id"] == "c1");
        }
    }
}

#[test]
fn an_agent_of_btcp_by_events_and_post_calls_a_page_of_another_hub() {
    let nats = Nats::start();
    let open = ["--auth", "none"];
    let ((a, _hub_a), (b, _hub_b)) = (hub_with(&nats, "a", &open), hub_with(&nats, "b", &open));
    let mut page = Btcp::open(&b, "browser", "shop");
    page.send_request("r1", "tools/register", &json!({ "sessionId": "shop", "tools": [{ "name": "greet" }] }));
    page.receive_until(|frame| frame["id"] == "r1");
    lists(&a, "shop");
    let mut agent = BtcpByPost::open(&a, "agent-1");
    let joined = agent.join("shop");
    assert_eq!(joined["result"]["tools"][0]["name"], "greet", "{joined}");
    let (status, body) = agent.post("c1", "tools/call", &json!({ "name": "greet", "arguments": {} }));
    assert_eq!((status, &*body), (202, ""));
    page.answers("hello");
    assert_eq!(agent.receive_until(|frame| frame["id"] == "c1")["result"]["content"][0]["text"], "hello");
    page.send_request(
        "r2",
        "tools/register",
        &json!({ "sessionId": "shop", "tools": [{ "name": "other" }, { "name": "greet" }] }),
    );
    agent.receive_until(|frame| frame["params"]["tools"].as_array().is_some_and(|tools| tools.len() == 2));
}
