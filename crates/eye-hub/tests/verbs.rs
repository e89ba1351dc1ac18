//! Verbs, deltas, topics and mailboxes over real sockets.

use crate::stage;
use crate::stage::{Agent, Hub, Page};
use eye_testkit::inside::TOKEN;

fn request(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

fn result(id: u32, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

#[test]
fn a_verb_reaches_the_page_unchanged_and_its_answer_comes_back() {
    let hub = Hub::start();
    let (mut page, mut agent) = (hub.page("shop"), hub.agent());
    agent.send(r#"{"jsonrpc":"2.0","method":"hello","params":{"clientType":"agent","agent":"claude"}}"#);
    agent.send(&request(1, "page/click", r#"{"target":"e5","page":"shop","x":{"b":1,"a":[ 2 ]},"timeout":500}"#));
    let want = r#"{"jsonrpc":"2.0","id":"1","method":"page/click","params":{"agent":"claude","target":"e5","x":{"b":1,"a":[ 2 ]},"timeout":500}}"#;
    assert_eq!(page.receive(), want);
    page.send(r#"{"jsonrpc":"2.0","id":"1","result":"+ e7 Done"}"#);
    assert_eq!(agent.receive().unwrap(), result(1, r#"{"value":"+ e7 Done"}"#));
    agent.send(&request(2, "page/wait", r#"{"expr":"n"}"#));
    page.receive();
    page.send(r#"{"jsonrpc":"2.0","id":"2","error":{"code":-32001,"message":"not true in time","data":{"value":0,"source":"page"}}}"#);
    assert!(agent.receive().unwrap().ends_with(r#""message":"not true in time","data":{"value":0,"source":"page"}}}"#));
    assert!(agent.ask(&request(3, "page/click", "[1]")).contains("-32602"));
}

#[test]
fn an_original_page_is_not_asked_what_it_cannot_do() {
    let hub = Hub::start();
    let path = format!("/api/eye-bridge?token={TOKEN}");
    let mut page = Page(hub.connect(&path, &[("origin", stage::ORIGIN)]).unwrap());
    assert_eq!(page.receive(), "EYE_BRIDGE:ready");
    let mut agent = hub.agent();
    agent.wait_for_pages(1);
    assert!(agent.ask(&request(1, "page/look", "{}")).contains("cannot do that"));
    assert!(agent.ask(&request(2, "state/get", "{}")).contains("the page publishes no state"));
}

#[test]
fn a_call_that_asks_for_its_delta_gets_it_with_its_answer() {
    let hub = Hub::start();
    let (mut page, mut agent) = (hub.page("scene"), hub.agent());
    page.send(r#"{"jsonrpc":"2.0","method":"state/update","params":{"state":{"n":0},"revision":1}}"#);
    page.send(r#"{"jsonrpc":"2.0","id":"r","method":"tools/register","params":{"tools":[{"name":"add"}]}}"#);
    page.receive();
    let patch = |n: u32| format!(r#"[{{"op":"replace","path":"/n","value":{n}}}]"#);
    let published = |page: &mut Page, n: u32| {
        let patch = patch(n);
        page.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"state/patch","params":{{"patch":{patch},"revision":{}}}}}"#,
            n + 1
        ));
    };
    agent.send(&request(1, "eval", r#"{"code":"add()","delta":true}"#));
    assert!(page.receive().ends_with(r#""method":"eval","params":{"code":"add()","delta":true}}"#));
    published(&mut page, 1);
    page.send("1=true");
    let want = format!(r#"{{"value":true,"delta":{{"revision":2,"patch":{}}}}}"#, patch(1));
    assert_eq!(agent.receive().unwrap(), result(1, &want));

    agent.send(&request(2, "tools/call", r#"{"name":"add","delta":true}"#));
    assert!(page.receive().ends_with(r#""params":{"name":"add","arguments":{},"delta":true}}"#));
    published(&mut page, 2);
    page.send(r#"{"jsonrpc":"2.0","id":"2","result":"added"}"#);
    let answer = agent.receive().unwrap();
    assert!(answer.contains(r#""text":"added""#), "{answer}");
    assert!(answer.ends_with(&format!(r#","delta":{{"revision":3,"patch":{}}}}}}}"#, patch(2))), "{answer}");
}

#[test]
fn messages_go_between_pages_and_agents_by_their_topic() {
    let hub = Hub::start();
    let mut page = hub.page("shop");
    let (mut one, mut two) = (hub.agent(), hub.agent());
    assert_eq!(one.ask(&request(1, "topic/subscribe", r#"{"topic":"chat"}"#)), result(1, "{}"));
    page.send(r#"{"jsonrpc":"2.0","id":"t","method":"topic/publish","params":{"topic":"chat","message":"hi"}}"#);
    assert_eq!(page.receive(), r#"{"jsonrpc":"2.0","id":"t","result":{"status":"delivered","count":1}}"#);
    let received = one.receive().unwrap();
    assert!(received.contains(r#""params":{"topic":"chat","message":"hi","from":"shop","origin":"#), "{received}");
    page.send(r#"{"jsonrpc":"2.0","id":"s","method":"topic/subscribe","params":{"topic":"to-page"}}"#);
    page.receive();
    let published = two.ask(&request(2, "topic/publish", r#"{"topic":"to-page","message":{"b":1,"a":2},"from":"me"}"#));
    assert_eq!(published, result(2, r#"{"status":"delivered","count":1}"#));
    assert!(page.receive().contains(r#""topic":"to-page","message":{"b":1,"a":2},"from":"","as":"me""#));
    assert!(two.ask(&request(3, "topic/publish", r#"{"topic":"chat"}"#)).contains("-32602"));
}

#[test]
fn a_pages_mail_waits_for_an_agent_and_an_agent_for_mail() {
    let hub = Hub::start();
    let (mut page, mut agent) = (hub.page("shop"), hub.agent());
    page.send(r#"{"jsonrpc":"2.0","method":"mailbox/put","params":{"message":"first"}}"#);
    page.send(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#);
    page.receive();
    let letters = |agent: &mut Agent| agent.receive().unwrap().matches(r#""msg":"#).count();
    agent.send(&request(1, "mailbox/read", r#"{"timeout":5000}"#));
    assert_eq!(letters(&mut agent), 1);
    agent.send(&request(2, "mailbox/read", "{}"));
    assert_eq!(letters(&mut agent), 0);
    agent.send(&request(3, "mailbox/read", r#"{"timeout":5000}"#));
    agent.ask(&request(4, "ping", "{}"));
    page.send(r#"{"jsonrpc":"2.0","method":"mailbox/put","params":{"message":"second"}}"#);
    assert_eq!(letters(&mut agent), 1);
}
