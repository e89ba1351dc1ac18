//! A page that was written for the original 3D server: its messages, as it sends and expects them.

mod stage;

use serde_json::{Value, json};
use stage::{Agent, Hub, ORIGIN, Page};

fn request(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

fn register(hub: &Hub, session: &str) -> Page {
    let mut page = Page(hub.connect("/", &[("origin", ORIGIN)]).expect("the hub lets it in"));
    page.say(&json!({ "type": "registerSession", "sessionId": session }).to_string());
    assert_eq!(page.hear(), json!({ "type": "sessionRegistered", "sessionId": session }).to_string());
    page
}

fn heard(page: &mut Page) -> Value {
    serde_json::from_str(&page.hear()).expect("the hub says JSON")
}

fn answer(agent: &mut Agent) -> Value {
    serde_json::from_str(&agent.hear().expect("an answer")).expect("the hub says JSON")
}

#[test]
fn whoever_begins_otherwise_is_told_to_register() {
    let hub = Hub::start();
    let mut page = Page(hub.connect("/ws", &[("origin", ORIGIN)]).unwrap());
    page.say(r#"{"type":"stateUpdate","state":{}}"#);
    let told = heard(&mut page);
    assert_eq!(told["message"], "Session not registered. Please send registerSession message first.");
    page.say(r#"{"type":"registerSession","sessionId":"now"}"#);
    assert_eq!(heard(&mut page)["type"], "sessionRegistered");
}

#[test]
fn its_state_is_cached_asked_for_and_its_errors_are_told() {
    let hub = Hub::start();
    let mut page = register(&hub, "7e57-1");
    let mut agent = hub.agent();
    agent.say(&request(1, "state/get", r#"{"path":"model.color"}"#));
    let asked = heard(&mut page);
    assert_eq!(asked["type"], "requestState");
    page.say(&json!({ "type": "stateResponse", "requestId": asked["requestId"], "state": { "model": { "color": "#ff0000" } } }).to_string());
    assert_eq!(answer(&mut agent)["result"]["value"], "#ff0000");

    page.say(r##"{"type":"stateUpdate","state":{"model":{"color":"#cc0000"}},"timestamp":1704067200000}"##);
    agent.say(&request(2, "state/get", r#"{"path":"model.color","fresh":true}"#));
    let asked = heard(&mut page);
    page.say(
        &json!({ "type": "stateError", "requestId": asked["requestId"], "error": "State query handler not available" })
            .to_string(),
    );
    assert_eq!(answer(&mut agent)["error"]["message"], "State query handler not available");
    agent.say(&request(3, "state/get", r#"{"path":"model.color"}"#));
    let cached = answer(&mut agent);
    assert_eq!((&cached["result"]["value"], &cached["result"]["wasCached"]), (&json!("#cc0000"), &json!(true)));

    agent.say(&request(4, "state/get", r#"{"fresh":true}"#));
    let asked = heard(&mut page);
    page.say(&json!({ "type": "stateResponse", "requestId": asked["requestId"] }).to_string());
    assert!(answer(&mut agent)["error"]["message"].as_str().unwrap().contains("malformed"));
}

#[test]
fn its_commands_are_tools_that_end_with_the_state_that_follows() {
    let hub = Hub::start();
    let mut page = register(&hub, "scene");
    let mut agent = hub.agent();
    agent.say(&request(1, "tools/call", r##"{"name":"changeColor","arguments":{"color":"#cc0000"},"delta":true}"##));
    let told = heard(&mut page);
    assert_eq!((&told["type"], &told["toolName"]), (&json!("toolCall"), &json!("changeColor")));
    assert_eq!(page.hear(), r##"{"type":"changeColor","color":"#cc0000"}"##);
    page.say(r##"{"type":"stateUpdate","state":{"model":{"color":"#cc0000"}},"timestamp":1}"##);
    let done = answer(&mut agent);
    assert_eq!(done["result"]["content"][0]["text"], "done");
    assert_eq!(done["result"]["delta"]["state"]["model"]["color"], "#cc0000");

    for (params, code) in
        [(r#"{"name":"changeColor","arguments":{}}"#, -32005), (r#"{"name":"paint","arguments":{}}"#, -32004)]
    {
        agent.say(&request(2, "tools/call", params));
        assert_eq!(answer(&mut agent)["error"]["code"], code);
    }
    agent.say("a:document.title");
    assert!(agent.hear().unwrap().contains("it speaks the original 3D server's messages"));
    assert!(agent.ask(&request(3, "page/look", "{}")).contains("cannot do that"));
}

#[test]
fn a_page_that_leaves_ends_only_its_own_queries_and_a_command_without_a_page_is_an_error() {
    let hub = Hub::start();
    let (mut one, mut two) = (register(&hub, "one"), register(&hub, "two"));
    let (mut first, mut second) = (hub.agent(), hub.agent());
    first.say(&request(1, "tools/call", r#"{"name":"swingKeyLightUp","page":"one"}"#));
    second.say(&request(2, "state/get", r#"{"page":"two"}"#));
    heard(&mut one);
    let asked = heard(&mut two);
    drop(one);
    assert_eq!(answer(&mut first)["error"]["message"], "the page left before it answered");
    two.say(&json!({ "type": "stateResponse", "requestId": asked["requestId"], "state": {} }).to_string());
    assert_eq!(answer(&mut second)["result"]["source"], "page");
    first.say(&request(3, "state/get", r#"{"page":"one"}"#));
    assert_eq!(answer(&mut first)["error"]["message"], "Unable to retrieve state: Browser not connected");
}
