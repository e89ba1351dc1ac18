//! BTCP in all its dialects, in every combination: the original clients never met each other.

use crate::stage::btcp::{Dialect, Peer, post};
use crate::stage::{Hub, ORIGIN, Page};
use eye_hub::Auth;
use eye_testkit::inside::TOKEN;
use serde_json::Value;
use std::io::Read;

const CALL: &str =
    r#"{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}"#;

fn open_hub() -> Hub {
    Hub::start_with(|config| config.auth = Auth::None)
}

fn answer_with(page: &mut Peer, text: &str) {
    let request = page.receive_until(|frame| frame["method"] == "tools/call");
    assert_eq!(request["params"]["arguments"]["name"], "Ada", "{request}");
    let id = request["id"].as_str().expect("an id");
    page.send(&format!(
        r#"{{"jsonrpc":"2.0","id":"{id}","result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#
    ));
}

fn text_of(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn every_dialect_works_with_every_other() {
    let hub = open_hub();
    for provider in [Dialect::W, Dialect::H1, Dialect::H2, Dialect::S] {
        for consumer in [Dialect::W, Dialect::H1, Dialect::H2, Dialect::S, Dialect::R] {
            let session = format!("{provider:?}-{consumer:?}");
            let mut page = Peer::page(&hub, provider, &session);
            let received = std::thread::scope(|scope| {
                let agent = scope.spawn(|| {
                    let mut agent = Peer::agent(&hub, consumer, &session);
                    agent.send(CALL);
                    agent.receive_until(|frame| frame["id"] == "c1")
                });
                answer_with(&mut page, &session);
                agent.join().expect("the agent is answered")
            });
            assert_eq!(text_of(&received), session);
        }
    }
}

#[test]
fn a_page_without_a_session_gets_one_and_is_told() {
    let hub = open_hub();
    let mut page = Page(hub.connect("/ws?clientType=browser&version=1.0.0", &[("origin", ORIGIN)]).unwrap());
    let welcome: Value = serde_json::from_str(&page.receive()).unwrap();
    let session = welcome["result"]["sessionId"].as_str().expect("a session").to_owned();
    assert_eq!(welcome["result"]["message"], "Connected to BTCP server");
    let mut agent = hub.agent();
    assert!(agent.ask(r#"{"jsonrpc":"2.0","id":1,"method":"session/list"}"#).contains(&session));
    let refused = agent.ask("a:1+1");
    assert!(refused.contains("speaks plain BTCP"), "{refused}");
}

#[test]
fn an_agent_that_names_an_unknown_session_is_told_which_there_are() {
    let hub = open_hub();
    let _page = Peer::page(&hub, Dialect::W, "shop");
    let mut agent = Page(hub.connect("/ws?sessionId=nope&clientType=agent&version=1.0.0", &[]).unwrap());
    let error = agent.receive();
    assert!(error.contains("Session not found: nope") && error.contains("there are: shop"), "{error}");
    assert_eq!(agent.closed().0, 4001);
}

#[test]
fn wrong_arguments_unknown_tools_and_real_errors_reach_the_agent() {
    let hub = open_hub();
    let mut page = Peer::page(&hub, Dialect::W, "shop");
    let mut agent = Peer::agent(&hub, Dialect::W, "shop");
    for (name, arguments, code, words) in [
        ("greet", "{}", -32005, "\"name\" is a required property"),
        ("greet", r#"{"name":7}"#, -32005, "/name: 7 is not of type \"string\""),
        ("gret", "{}", -32004, "Tool not found: gret"),
    ] {
        agent.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#
        ));
        let error = agent.receive_until(|frame| frame["id"] == 1);
        assert_eq!(error["error"]["code"], code, "{error}");
        assert!(error["error"]["message"].as_str().unwrap().contains(words), "{error}");
    }
    agent.send(CALL);
    let request = page.receive_until(|frame| frame["method"] == "tools/call");
    let id = request["id"].as_str().unwrap();
    page.send(&format!(
        r#"{{"jsonrpc":"2.0","id":"{id}","error":{{"code":-32603,"message":"Tool execution failed: kaboom"}}}}"#
    ));
    assert_eq!(agent.receive_until(|frame| frame["id"] == "c1")["error"]["message"], "Tool execution failed: kaboom");
}

#[test]
fn a_page_gone_in_mid_call_is_known_at_once_and_a_page_back_has_its_tools() {
    let hub = open_hub();
    let mut page = Peer::page(&hub, Dialect::W, "shop");
    let mut agent = Peer::agent(&hub, Dialect::W, "shop");
    agent.send(CALL);
    page.receive_until(|frame| frame["method"] == "tools/call");
    drop(page);
    let ended = agent.receive_until(|frame| frame["id"] == "c1");
    assert_eq!(ended["error"]["code"], -32000, "{ended}");
    agent.receive_until(|frame| frame["method"] == "session/pageGone");
    let mut page = Peer::page(&hub, Dialect::W, "shop");
    agent.receive_until(|frame| frame["method"] == "session/pageBack");
    let updated = agent.receive_until(|frame| frame["method"] == "tools/updated");
    assert_eq!(updated["params"]["tools"][0]["name"], "greet");
    agent.send(CALL);
    answer_with(&mut page, "again");
    assert_eq!(text_of(&agent.receive_until(|frame| frame["id"] == "c1")), "again");
}

#[test]
fn an_agent_whose_page_left_never_acts_in_another_in_any_dialect() {
    let hub = open_hub();
    let mut shop = Peer::page(&hub, Dialect::W, "shop");
    let mut mail = Peer::page(&hub, Dialect::W, "mail");
    let dialects = [Dialect::W, Dialect::H1, Dialect::H2, Dialect::S, Dialect::R];
    let mut agents: Vec<(Dialect, Peer)> =
        dialects.into_iter().map(|dialect| (dialect, Peer::agent(&hub, dialect, "shop"))).collect();
    for (_, agent) in &mut agents {
        std::thread::scope(|scope| {
            let called = scope.spawn(|| {
                agent.send(CALL);
                agent.receive_until(|frame| frame["id"] == "c1")
            });
            answer_with(&mut shop, "shop");
            assert_eq!(text_of(&called.join().expect("the agent is answered")), "shop");
        });
    }
    drop(shop);
    for id in ["c2", "c3"] {
        for (dialect, agent) in &mut agents {
            agent.send(&CALL.replace("c1", id));
            let ended = agent.receive_until(|frame| frame["id"] == id);
            assert!(ended["error"]["code"].is_i64(), "{dialect:?}: {ended}");
        }
    }
    // The other page got no request: the first one it receives is from its own agent.
    let mut own = Peer::agent(&hub, Dialect::W, "mail");
    own.send(&CALL.replace("Ada", "Own"));
    assert_eq!(mail.receive_until(|frame| frame["method"] == "tools/call")["params"]["arguments"]["name"], "Own");
}

#[test]
fn progress_and_cancelling_pass_with_each_sides_own_id() {
    let hub = open_hub();
    let mut page = Peer::page(&hub, Dialect::W, "shop");
    let mut agent = Peer::agent(&hub, Dialect::W, "shop");
    agent.send(CALL);
    let id = page.receive_until(|frame| frame["method"] == "tools/call")["id"].clone();
    page.send(&format!(
        r#"{{"jsonrpc":"2.0","method":"call/progress","params":{{"id":{id},"progress":1,"total":2,"message":"half"}}}}"#
    ));
    let progress = agent.receive_until(|frame| frame["method"] == "call/progress");
    assert_eq!(progress["params"]["id"], "c1");
    assert_eq!(progress["params"]["message"], "half");
    agent.send(r#"{"jsonrpc":"2.0","method":"call/cancel","params":{"id":"c1"}}"#);
    assert_eq!(page.receive_until(|frame| frame["method"] == "call/cancel")["params"]["id"], id);
    assert_eq!(agent.receive_until(|frame| frame["id"] == "c1")["error"]["code"], -32800);
}

#[test]
fn nothing_and_nonsense_end_a_call_at_once() {
    let hub = open_hub();
    let mut page = Peer::page(&hub, Dialect::W, "shop");
    let mut agent = Peer::agent(&hub, Dialect::W, "shop");
    for (members, want) in [(r#""result":null"#, "null"), (r#""other":1"#, "the page's answer is malformed")] {
        agent.send(CALL);
        let id = page.receive_until(|frame| frame["method"] == "tools/call")["id"].clone();
        page.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},{members}}}"#));
        let ended = agent.receive_until(|frame| frame["id"] == "c1").to_string();
        assert!(ended.contains(want), "{ended}");
    }
}

#[test]
fn several_calls_in_one_request_come_back_in_order() {
    let hub = open_hub();
    let mut page = Peer::page(&hub, Dialect::W, "shop");
    let mut agent = Peer::agent(&hub, Dialect::W, "shop");
    agent.send(r#"{"jsonrpc":"2.0","id":"b","method":"tools/callBatch","params":{"calls":[{"name":"greet","arguments":{"name":"Ada"}},{"name":"nope"}]}}"#);
    answer_with(&mut page, "first");
    let both = agent.receive_until(|frame| frame["id"] == "b");
    assert_eq!(both["result"]["results"][0]["result"]["content"][0]["text"], "first");
    assert_eq!(both["result"]["results"][1]["error"]["code"], -32004);
}

#[test]
fn the_original_servers_faults_are_reported_in_its_words() {
    let hub = open_hub();
    for (path, headers, body, words) in [
        ("/message", "", "junk", "Invalid JSON-RPC message"),
        ("/message?sessionId=a&clientId=c1", "", "junk", "Failed to parse JSON-RPC message"),
        ("/message", "x-session-id: nobody\r\n", CALL, "Session not found"),
        ("/rpc", "", "junk", "Expected a JSON-RPC request"),
        ("/rpc", "", CALL, "no page is connected"),
    ] {
        let answer = post(&hub, path, headers, body);
        assert!(answer.contains(words), "{path}: {answer}");
    }
    assert!(hub.http("/events", "host: localhost\r\n").contains("sessionId is required"));
}

#[test]
fn a_list_over_bare_post_is_an_array() {
    let hub = open_hub();
    let _page = Peer::page(&hub, Dialect::W, "shop");
    let answer = post(&hub, "/rpc", "", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["result"][0]["name"], "greet");
}

#[test]
fn without_the_flag_the_originals_need_a_token() {
    let hub = Hub::start();
    assert!(hub.http("/events?sessionId=a&clientType=agent", "host: localhost\r\n").contains(" 401 "));
    let refused = post(&hub, "/rpc", "", CALL);
    assert!(refused.contains("needs the token"), "{refused}");
    let bearer = format!("authorization: Bearer {TOKEN}\r\n");
    assert!(post(&hub, "/rpc", &bearer, CALL).contains("no page is connected"));
    let evil = hub.http("/events?sessionId=a&clientType=browser", "host: localhost\r\norigin: https://evil.test\r\n");
    assert!(evil.contains(" 403 "), "{evil}");
}

#[test]
fn nobody_speaks_for_a_page_of_another_origin() {
    let hub = open_hub();
    let mut page = Peer::page(&hub, Dialect::H1, "shop");
    let steal = r#"{"jsonrpc":"2.0","id":"x","method":"tools/register","params":{"tools":[{"name":"evil"}]}}"#;
    let mut stream = hub.tcp();
    let head = format!(
        "POST /message HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost:666\r\nconnection: close\r\nx-session-id: shop\r\ncontent-length: {}\r\n\r\n{steal}",
        steal.len()
    );
    std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("Session not found"), "{answer}");
    for client in ["c1", "c2", "1"] {
        let path = format!("/message?sessionId=shop&clientId={client}");
        assert!(post(&hub, &path, "", steal).contains("Session not found"), "ids are not to be guessed");
    }
    let mut agent = Peer::agent(&hub, Dialect::S, "shop");
    agent.send(CALL);
    answer_with(&mut page, "mine");
    assert_eq!(text_of(&agent.receive_until(|frame| frame["id"] == "c1")), "mine");
}

#[test]
fn streams_end_cleanly_on_shutdown() {
    let hub = open_hub();
    let Peer::Events { mut stream, .. } = Peer::connect(&hub, Dialect::H2, "agent", "a") else { panic!("a stream") };
    hub.agent().ask(r#"{"jsonrpc":"2.0","id":1,"method":"hub/stop"}"#);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).expect("the stream ends, it does not break");
    assert!(rest.ends_with("0\r\n\r\n"), "{rest:?}");
    hub.join().unwrap();
}

#[test]
fn figures_need_the_token() {
    let hub = Hub::start();
    let (mut page, mut agent) = (hub.page("shop"), hub.agent());
    agent.send("a:x");
    page.receive();
    page.send("1!-32003 oops");
    agent.receive();
    assert!(hub.http("/metrics", "host: localhost\r\n").contains(" 401 "));
    let text = hub.http("/metrics", &format!("host: localhost\r\nauthorization: Bearer {TOKEN}\r\n"));
    for line in ["eye_calls_total 1", "eye_errors_total{code=\"-32003\"} 1", "eye_pages 1", "eye_call_seconds_count 1"]
    {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn a_thousand_sessions_with_ten_tools_each() {
    let hub = open_hub();
    let tools: Vec<String> = (0..10).map(|n| format!(r#"{{"name":"tool{n}"}}"#)).collect();
    let register =
        format!(r#"{{"jsonrpc":"2.0","id":"r","method":"tools/register","params":{{"tools":[{}]}}}}"#, tools.join(","));
    let mut pages: Vec<Page> = (0..1_000)
        .map(|n| {
            let mut page = hub.page(&format!("s{n}"));
            page.send(&register);
            page
        })
        .collect();
    for page in &mut pages {
        assert!(page.receive().contains("\"registered\":10"));
    }
    let mut agent = hub.agent();
    agent.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool9","page":"s777"}}"#);
    assert!(pages[777].receive().contains("tool9"));
    pages[777].send(r#"{"jsonrpc":"2.0","id":"1","result":"here"}"#);
    assert!(agent.receive().unwrap().contains("\"text\":\"here\""));
}

#[test]
fn binary_results_travel_as_bytes_to_agents_that_take_them() {
    use tungstenite::Message;
    let hub = open_hub();
    let mut page = hub.page("shop");
    page.send(r#"{"jsonrpc":"2.0","id":"r","method":"tools/register","params":{"tools":[{"name":"shot"}]}}"#);
    page.receive();
    let mut agent = Page(hub.connect("/ws?clientType=agent", &[]).unwrap());
    let call = r#"{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"shot"}}"#;
    agent.send(r#"{"jsonrpc":"2.0","method":"hello","params":{"binary":true}}"#);
    agent.send(call);
    page.receive();
    page.0.send(Message::binary(b"1 image/png\n\x89PNG\xff".to_vec())).unwrap();
    assert_eq!(agent.0.read().unwrap(), Message::binary(b"\"q\" image/png\n\x89PNG\xff".to_vec()));
    let mut plain = hub.agent();
    plain.send(call);
    page.receive();
    page.0.send(Message::binary(b"2 image/png\n\x01\x02\x03".to_vec())).unwrap();
    let answer: Value = serde_json::from_str(&plain.receive().unwrap()).unwrap();
    assert_eq!(answer["result"]["content"][0]["data"], "AQID");
    assert_eq!(answer["result"]["_meta"]["eye/origin"], ORIGIN);
    plain.send("a:shot()");
    page.receive();
    page.0.send(Message::binary(b"3 image/png\n\x01\x02\x03".to_vec())).unwrap();
    assert_eq!(plain.receive().unwrap(), "a:<image/png, 3 bytes>");
}

#[test]
fn a_malformed_frame_is_answered_and_never_evaluated() {
    let hub = Hub::start();
    let mut page = hub.page("shop");
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("authorization", bearer.as_str())];
    let mut plain = Page(hub.connect("/ws?clientType=agent&version=1.0.0", &headers).unwrap());
    assert!(plain.receive().contains("welcome"));
    let mut own = Page(hub.connect("/ws?clientType=agent", &headers).unwrap());
    let mut local = hub.agent();
    let cut = r#"{"jsonrpc":"2.0","id":1,"method":"ping""#;
    for frame in ["{nonsense", "a:document.cookie", "document.cookie", r#"{"c":"document.cookie"}"#, "[1", "\"x\"", cut]
    {
        plain.send(frame);
        let answer = plain.receive();
        assert!(answer.contains(r#""id":null"#) && answer.contains("-32700"), "{frame}: {answer}");
    }
    own.send(cut);
    assert!(own.receive().contains("-32700"));
    assert!(local.ask(cut).contains("-32700"));
    // None of it reached the page: this is the first request that it receives.
    local.send("z:1");
    assert!(page.receive().ends_with(":1"));
    // Lines still work for peers that speak them.
    own.send("y:2");
    assert!(page.receive().ends_with(":2"));
    // A plain BTCP page gets answers too.
    let path = "/ws?clientType=browser&version=1.0.0&sessionId=plain";
    let mut btcp = Page(hub.connect(path, &[("origin", ORIGIN)]).unwrap());
    assert!(btcp.receive().contains("welcome"));
    for frame in ["{nonsense", "1:x", cut] {
        btcp.send(frame);
        let answer = btcp.receive();
        assert!(answer.contains(r#""id":null"#) && answer.contains("-32700"), "{frame}: {answer}");
    }
}
