//! BTCP over HTTP as the original servers and clients use it. `btcp_streams.rs` tests which of several streams of a
//! session gets a request.

use crate::stage::btcp::{Dialect, Peer, by_query, open_hub, post_with_status, register, request};
use crate::stage::{Hub, ORIGIN};
use eye_hub::Auth;
use serde_json::{Value, json};
use std::io::{Read, Write};

fn get(hub: &Hub, path: &str) -> Value {
    let answer = hub.http(path, "host: localhost\r\n");
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{path}: {answer}"))
}

#[test]
fn a_page_that_names_version_1_0_and_posts_by_query_is_answered_on_its_stream() {
    let hub = open_hub();
    let mut page = by_query(&hub, "browser", "s1");
    let posted = post_with_status(&hub, "/message?sessionId=s1", "", &register("echo"));
    assert_eq!(posted, (200, r#"{"success":true}"#.to_owned()));
    let acknowledged = page.receive_until(|frame| frame["id"] == "r1");
    assert_eq!(acknowledged["result"], json!({ "success": true, "registered": 1 }));
    assert_eq!(get(&hub, "/sessions")["sessions"][0]["toolCount"], 1);
}

#[test]
fn an_agent_without_a_version_that_posts_by_header_is_answered_in_the_body() {
    let hub = open_hub();
    let mut page = Peer::page(&hub, Dialect::H1, "s1");
    let query = "sessionId=agent-1&clientType=agent";
    let mut agent = Peer::events(&hub, query, "/message".into(), "x-session-id: agent-1\r\n".into());
    let join = request("j", "session/join", &json!({ "sessionId": "s1" }));
    let (status, body) = post_with_status(&hub, "/message", "x-session-id: agent-1\r\n", &join);
    let joined: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &joined["result"]["sessionId"]), (200, &json!("s1")), "{joined}");
    assert_eq!(joined["result"]["tools"][0]["name"], "greet");
    // Its later POSTs name the session that it joined; the call is accepted and answered on the stream.
    let call = request("c", "tools/call", &json!({ "name": "greet", "arguments": { "name": "Ada" } }));
    assert_eq!(post_with_status(&hub, "/message", "x-session-id: s1\r\n", &call), (202, String::new()));
    let sent = page.receive_until(|frame| frame["method"] == "tools/call");
    page.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": { "content": [] } }).to_string());
    agent.receive_until(|frame| frame["id"] == "c" && frame["result"]["content"] == json!([]));
    let (status, body) =
        post_with_status(&hub, "/message", "x-session-id: s1\r\n", &request("l", "tools/list", &json!({})));
    assert_eq!(status, 200);
    assert!(body.contains("greet"), "{body}");
}

#[test]
fn streams_are_greeted_as_both_servers_do() {
    let hub = open_hub();
    let mut page = Peer::events(&hub, "sessionId=s1&clientType=browser", String::new(), String::new());
    let first = page.receive();
    assert_eq!((&first["method"], &first["params"]["clientType"]), (&json!("connected"), &json!("browser")));
    assert_eq!(first["params"]["sessionId"], "s1");
    assert!(first["params"]["clientId"].is_string());
    let welcome = page.receive();
    assert_eq!(welcome["id"], "welcome");
    assert_eq!(welcome["result"], json!({ "sessionId": "s1", "message": "Connected to BTCP server" }));

    let mut agent = Peer::events(&hub, "sessionId=a&clientType=agent", String::new(), String::new());
    let sessions = agent.receive();
    assert_eq!((&sessions["id"], &sessions["result"]["sessions"][0]["id"]), (&json!("sessions"), &json!("s1")));
    assert_eq!(sessions["result"]["sessions"][0]["toolCount"], 0);
    let created = sessions["result"]["sessions"][0]["createdAt"].as_str().expect("a time");
    assert!(created.len() == 24 && created.starts_with("20") && created.ends_with('Z'), "{created}");
    assert_eq!(agent.receive()["method"], "connected");
    let welcome = agent.receive();
    assert_eq!(welcome["result"]["availableSessions"], json!(["s1"]));
    assert_eq!(welcome["result"]["message"], "Connected to BTCP server (agent)");

    // A session whose page is away is not listed in the greeting.
    drop(page);
    hub.agent().wait_for_pages(0);
    let mut late = Peer::events(&hub, "sessionId=b&clientType=agent", String::new(), String::new());
    assert_eq!(late.receive()["result"]["sessions"], json!([]));
    late.receive();
    assert_eq!(late.receive()["result"]["availableSessions"], json!([]));
}

#[test]
fn an_agent_joins_calls_and_gets_news_of_its_page_by_query() {
    let hub = open_hub();
    let mut page = by_query(&hub, "browser", "s1");
    page.send(&register("echo"));
    page.receive_until(|frame| frame["id"] == "r1");
    let mut agent = by_query(&hub, "agent", "agent-1");
    // The agent is in no session yet, and gets no page of another session.
    agent.send(&request("c0", "tools/call", &json!({ "name": "echo" })));
    let refused = agent.receive_until(|frame| frame["id"] == "c0");
    assert_eq!(refused["error"]["code"], -32002);
    assert_eq!(refused["error"]["message"], "No browser client connected to this session");
    agent.send(&request("l0", "tools/list", &json!({})));
    assert_eq!(agent.receive_until(|frame| frame["id"] == "l0")["result"], json!({ "tools": [] }));
    agent.send(&request("j0", "session/join", &json!({ "sessionId": "nowhere" })));
    let unknown = agent.receive_until(|frame| frame["id"] == "j0");
    assert_eq!(unknown["error"]["code"], -32002);
    assert_eq!(unknown["error"]["message"], "Session not found: nowhere");
    agent.send(&request("j1", "session/join", &json!({ "sessionId": "s1" })));
    let joined = agent.receive_until(|frame| frame["id"] == "j1");
    assert_eq!((&joined["result"]["success"], &joined["result"]["sessionId"]), (&json!(true), &json!("s1")));
    // From now on it posts to the session that it joined.
    let (status, _) =
        post_with_status(&hub, "/message?sessionId=s1", "", &request("c1", "tools/call", &json!({ "name": "echo" })));
    assert_eq!(status, 200);
    let sent = page.receive_until(|frame| frame["method"] == "tools/call");
    let both = json!({ "content": [{ "type": "text", "text": "Tool failed" }], "isError": true });
    let answer =
        json!({ "jsonrpc": "2.0", "id": sent["id"], "result": both, "error": { "code": -32603, "message": "x" } });
    page.send(&answer.to_string());
    let failed = agent.receive_until(|frame| frame["id"] == "c1");
    assert_eq!(failed["result"]["isError"], true, "a result beside an error is not dropped: {failed}");
    // The original leaves an unknown tool to the page, which answers with a failed result.
    let (_, _) =
        post_with_status(&hub, "/message?sessionId=s1", "", &request("c2", "tools/call", &json!({ "name": "nope" })));
    assert_eq!(agent.receive_until(|frame| frame["id"] == "c2")["result"]["isError"], true);
    page.send(&register("other"));
    agent.receive_until(|frame| frame["method"] == "tools/updated" && frame["params"]["tools"][1]["name"] == "other");
    drop(page);
    let gone = agent.receive_until(|frame| frame["method"] == "browser/disconnected");
    assert_eq!(gone["params"]["sessionId"], "s1");
}

#[test]
fn two_agents_of_a_session_get_their_own_answers() {
    let hub = open_hub();
    for dialect in [Dialect::H2, Dialect::H1] {
        let session = format!("{dialect:?}");
        let mut page = Peer::page(&hub, dialect, &session);
        let call = |id: &str| request(id, "tools/call", &json!({ "name": "greet", "arguments": { "name": id } }));
        std::thread::scope(|scope| {
            let agents = ["one", "two"].map(|id| {
                let (hub, session) = (&hub, &session);
                let mut agent = Peer::agent(hub, dialect, session);
                scope.spawn(move || {
                    agent.send(&call(id));
                    agent.receive_until(|frame| frame["id"] == id)
                })
            });
            for _ in 0..2 {
                let sent = page.receive_until(|frame| frame["method"] == "tools/call");
                let name = &sent["params"]["arguments"]["name"];
                let content = json!({ "content": [{ "type": "text", "text": name }] });
                page.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": content }).to_string());
            }
            for (agent, id) in agents.into_iter().zip(["one", "two"]) {
                assert_eq!(agent.join().expect("an answer")["result"]["content"][0]["text"], id);
            }
        });
    }
}

#[test]
fn what_failed_is_never_answered_with_200() {
    let hub = open_hub();
    let _page = by_query(&hub, "browser", "s1");
    let tool = register("echo");
    let bad =
        request("r", "tools/register", &json!({ "tools": [{ "name": "x", "inputSchema": { "type": "nonsense" } }] }));
    for (path, headers, body, status, words) in [
        ("/message?sessionId=nobody", "", tool.as_str(), 404, "Session not found"),
        ("/message", "x-session-id: nobody\r\n", tool.as_str(), 404, "Session not found"),
        ("/message?sessionId=s1&clientId=guess", "", tool.as_str(), 404, "Session not found"),
        ("/message", "", tool.as_str(), 400, "sessionId is required"),
        ("/message", "x-session-id: s1\r\n", bad.as_str(), 422, "-32602"),
        ("/message?sessionId=s1", "", r#"{"jsonrpc":"2.0","id":"99-1","result":1}"#, 404, "no such call"),
        ("/message", "x-session-id: s1\r\n", r#"{"jsonrpc":"2.0","id":"99-1","result":1}"#, 404, "no such call"),
        ("/message?sessionId=s1", "", "junk", 400, "Failed to parse JSON-RPC message"),
        ("/message?sessionId=s1", "", r#"{"jsonrpc":"2.0"}"#, 400, "Invalid JSON-RPC message structure"),
        ("/message", "x-session-id: s1\r\n", "junk", 400, "Invalid JSON-RPC message"),
        ("/message", "x-session-id: s1\r\n", r#"{"jsonrpc":"2.0"}"#, 400, "Expected request or response"),
    ] {
        let (got, body) = post_with_status(&hub, path, headers, body);
        assert_eq!(got, status, "{path} {headers}: {body}");
        assert!(body.contains(words), "{path} {headers}: {body}");
    }
}

#[test]
fn operators_see_what_the_originals_show() {
    let hub = open_hub();
    assert_eq!(get(&hub, "/sessions"), json!({ "sessions": [] }));
    let page = Peer::page(&hub, Dialect::H2, "s1");
    let agent = Peer::agent(&hub, Dialect::H2, "s1");
    let listed = &get(&hub, "/sessions")["sessions"][0];
    assert_eq!((&listed["id"], &listed["hasBrowser"]), (&json!("s1"), &json!(true)));
    assert_eq!((&listed["toolCount"], &listed["agentCount"]), (&json!(1), &json!(1)));
    assert!(listed["createdAt"].as_str().is_some_and(|time| time.ends_with('Z')), "{listed}");
    let health = get(&hub, "/health");
    assert_eq!((&health["status"], &health["sessions"], &health["clients"]), (&json!("ok"), &json!(1), &json!(2)));
    assert!(health["uptime"].is_number(), "{health}");
    // Without its page the session is listed while it has agents; without both it is not.
    drop(page);
    hub.agent().wait_for_pages(0);
    assert_eq!(get(&hub, "/sessions")["sessions"][0]["hasBrowser"], false);
    drop(agent);
    let deadline = std::time::Instant::now() + eye_testkit::DEADLINE;
    while get(&hub, "/sessions") != json!({ "sessions": [] }) {
        assert!(std::time::Instant::now() < deadline, "the session without a browser is not listed");
    }
}

#[test]
fn a_preflight_is_answered_at_every_path() {
    let hub = open_hub();
    for path in ["/health", "/sessions", "/events", "/message", "/rpc", "/nowhere"] {
        let mut stream = hub.tcp();
        let head =
            format!("OPTIONS {path} HTTP/1.1\r\nhost: localhost\r\norigin: {ORIGIN}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 204 "), "{path}: {answer}");
        assert!(answer.contains("X-Session-ID"), "{path}: {answer}");
    }
    assert!(hub.http("/message", "host: localhost\r\n").starts_with("HTTP/1.1 405 "));
}

#[test]
fn a_ping_belongs_to_the_side_of_its_stream() {
    let hub = open_hub();
    let mut page = by_query(&hub, "browser", "s1");
    page.send(&request("p1", "ping", &json!({})));
    let pong = page.receive_until(|frame| frame["id"] == "p1");
    assert_eq!(pong["result"]["pong"], true);
    assert!(pong["result"]["timestamp"].is_number(), "{pong}");
    let mut agent = by_query(&hub, "agent", "a1");
    agent.send(&request("p2", "ping", &json!({})));
    assert_eq!(agent.receive_until(|frame| frame["id"] == "p2")["result"]["pong"], true);
    let _other = Peer::page(&hub, Dialect::H1, "s2");
    let (status, body) = post_with_status(&hub, "/message", "x-session-id: s2\r\n", &request("p3", "ping", &json!({})));
    assert_eq!((status, body.as_str()), (200, r#"{"jsonrpc":"2.0","id":"p3","result":{"pong":true}}"#));
}

#[test]
fn an_agent_that_names_its_session_before_the_page_joins_it_when_it_comes() {
    let hub = open_hub();
    let mut agent = by_query(&hub, "agent", "later");
    let mut page = by_query(&hub, "browser", "later");
    page.send(&register("echo"));
    agent.receive_until(|frame| frame["method"] == "tools/updated" && frame["params"]["tools"][0]["name"] == "echo");
}

#[test]
fn a_client_over_tcp_is_held_to_its_rate_and_told_when_to_ask_again() {
    let hub = Hub::start_with(|config| {
        config.auth = Auth::None;
        config.rate = eye_hub::Rate { per_s: 1, burst: 3 };
    });
    let mut page = Peer::page(&hub, Dialect::W, "s1");
    let call = |id: &str| request(id, "tools/call", &json!({ "name": "greet", "arguments": { "name": "Ada" } }));
    for dialect in [Dialect::W, Dialect::H1, Dialect::H2, Dialect::R] {
        let calls: Vec<String> = (0..4).map(|n| format!("{dialect:?}{n}")).collect();
        let answers: Vec<Value> = std::thread::scope(|scope| {
            let agent = scope.spawn(|| {
                let mut agent = Peer::agent(&hub, dialect, "s1");
                let ask = |id: &String| {
                    agent.send(&call(id));
                    agent.receive_until(|frame| frame["id"] == id.as_str())
                };
                calls.iter().map(ask).collect()
            });
            for _ in 0..3 {
                let sent = page.receive_until(|frame| frame["method"] == "tools/call");
                page.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "hi" }).to_string());
            }
            agent.join().expect("answers")
        });
        assert!(answers[..3].iter().all(|answer| answer.get("result").is_some()), "{dialect:?}: {answers:?}");
        let refused = &answers[3]["error"];
        assert!(
            refused["message"].as_str().is_some_and(|text| text.contains("calls a second")),
            "{dialect:?}: {refused}"
        );
        let after = refused["data"]["retryAfter"].as_u64().expect("a time");
        assert!((1..=1_000).contains(&after), "{dialect:?}: {refused}");
    }
    // The Unix socket is not rate-limited.
    let mut local = hub.agent();
    for n in 0..8 {
        local.send(&call(&format!("u{n}")));
        let sent = page.receive_until(|frame| frame["method"] == "tools/call");
        page.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "hi" }).to_string());
        assert!(local.receive().is_some_and(|answer| answer.contains("hi")));
    }
}

#[test]
fn json_rpc_in_a_binary_frame_is_read_as_in_a_text_frame() {
    use tungstenite::Message;
    let hub = open_hub();
    let mut page = Peer::page(&hub, Dialect::W, "s1");
    let Peer::Socket(socket) = &mut page else { panic!("a socket") };
    socket.0.send(Message::binary(request("p", "ping", &json!({})).into_bytes())).unwrap();
    assert_eq!(page.receive_until(|frame| frame["id"] == "p")["result"]["pong"], true);
    let mut agent = Peer::agent(&hub, Dialect::W, "s1");
    let Peer::Socket(socket) = &mut agent else { panic!("a socket") };
    socket.0.send(Message::binary(request("l", "tools/list", &json!({})).into_bytes())).unwrap();
    assert_eq!(agent.receive_until(|frame| frame["id"] == "l")["result"]["tools"][0]["name"], "greet");
}
