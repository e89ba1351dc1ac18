//! A page written for the original 3D server, with the messages that it sends and expects.

use crate::stage::{Agent, Hub, ORIGIN, Page};
use serde_json::{Value, json};

const RED: &str = r##"{"model":{"color":"#ff0000","rotation":{"x":0,"y":12.5,"z":0}},"camera":{"distance":64}}"##;

fn request(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

fn register(hub: &Hub, session: &str) -> Page {
    let mut page = Page(hub.connect("/", &[("origin", ORIGIN)]).expect("the hub lets it in"));
    page.send(&json!({ "type": "registerSession", "sessionId": session }).to_string());
    assert_eq!(page.receive(), json!({ "type": "sessionRegistered", "sessionId": session }).to_string());
    page
}

fn received(page: &mut Page) -> Value {
    serde_json::from_str(&page.receive()).expect("the hub says JSON")
}

fn answer(agent: &mut Agent) -> Value {
    serde_json::from_str(&agent.receive().expect("an answer")).expect("the hub says JSON")
}

/// The text of a tool's result, and whether the tool failed.
fn text(agent: &mut Agent) -> (String, bool) {
    let answer = answer(agent);
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    (text.to_owned(), result["isError"] == true)
}

fn call(agent: &mut Agent, name: &str, arguments: &Value) {
    agent.send(&request(9, "tools/call", &json!({ "name": name, "arguments": arguments }).to_string()));
}

/// Acts as the original page on a message: sends its state after a command, and a response to a state request.
fn plays(page: &mut Page, state: &str) -> Value {
    let message = received(page);
    match message["type"].as_str().expect("a type") {
        "toolCall" => {}
        "requestState" => {
            let id = &message["requestId"];
            page.send(&format!(r#"{{"type":"stateResponse","requestId":{id},"state":{state}}}"#));
        }
        _ => page.send(&format!(r#"{{"type":"stateUpdate","state":{state},"timestamp":1704067200000}}"#)),
    }
    message
}

/// `… (queried at TIME, source: …)` without the time.
fn without_time(text: &str) -> String {
    let (before, rest) = text.split_once("(queried at ").expect("a time");
    let (time, after) = rest.split_once(", ").expect("a source");
    assert!(time.len() == 24 && time.ends_with('Z'), "{time}");
    format!("{before}({after}")
}

#[test]
fn a_page_that_begins_otherwise_is_told_to_register() {
    let hub = Hub::start();
    let mut page = Page(hub.connect("/ws", &[("origin", ORIGIN)]).unwrap());
    page.send(r#"{"type":"stateUpdate","state":{}}"#);
    let message = received(&mut page);
    assert_eq!(message["message"], "Session not registered. Please send registerSession message first.");
    page.send(r#"{"type":"registerSession","sessionId":"now"}"#);
    assert_eq!(received(&mut page)["type"], "sessionRegistered");
}

#[test]
fn its_state_is_asked_for_first_and_its_errors_are_reported() {
    let hub = Hub::start();
    let mut page = register(&hub, "7e57-1");
    let mut agent = hub.agent();
    agent.send(&request(1, "state/get", r#"{"path":"model.color"}"#));
    assert_eq!(plays(&mut page, RED)["type"], "requestState");
    assert_eq!(answer(&mut agent)["result"]["value"], "#ff0000");

    // A person has dragged the model: no state was pushed, and the answer is right all the same.
    agent.send(&request(2, "state/get", r#"{"path":"model.color"}"#));
    plays(&mut page, r##"{"model":{"color":"#cc0000"}}"##);
    let sent = answer(&mut agent);
    assert_eq!((&sent["result"]["value"], &sent["result"]["source"]), (&json!("#cc0000"), &json!("page")));

    agent.send(&request(3, "state/get", r#"{"path":"model.color","fresh":true}"#));
    let sent = received(&mut page);
    let failed =
        json!({ "type": "stateError", "requestId": sent["requestId"], "error": "State query handler not available" });
    page.send(&failed.to_string());
    assert_eq!(answer(&mut agent)["error"]["message"], "State query handler not available");

    agent.send(&request(4, "state/get", r#"{"fresh":true}"#));
    let sent = received(&mut page);
    page.send(&json!({ "type": "stateResponse", "requestId": sent["requestId"] }).to_string());
    assert!(answer(&mut agent)["error"]["message"].as_str().unwrap().contains("malformed"));
}

#[test]
fn a_page_that_is_connected_and_silent_is_a_timeout() {
    let hub = Hub::start();
    let mut page = register(&hub, "silent");
    let mut agent = hub.agent();
    agent.send(&request(1, "state/get", "{}"));
    assert_eq!(answer(&mut agent)["error"]["message"], "Unable to retrieve state: State query timeout");
    received(&mut page);
    call(&mut agent, "get_model_color", &json!({}));
    let message =
        "Error retrieving model color: Unable to retrieve state: State query timeout. Browser may be disconnected.";
    assert_eq!(text(&mut agent), (message.to_owned(), true));
    assert_eq!(
        (&received(&mut page)["toolName"], &received(&mut page)["forceRefresh"]),
        (&json!("get_model_color"), &json!(false))
    );
    call(&mut agent, "get_camera_fov", &json!({ "forceRefresh": true }));
    assert_eq!(text(&mut agent), ("Error retrieving camera FOV: State query timeout".to_owned(), true));

    // The answer is the last pushed state instead, with the original's warning.
    page.send(&format!(r#"{{"type":"stateUpdate","state":{RED}}}"#));
    call(&mut agent, "get_model_color", &json!({ "forceRefresh": true }));
    let (message, failed) = text(&mut agent);
    let warned = "Model color: #ff0000 (source: cache (may be stale if user manually interacted))";
    assert_eq!((without_time(&message).as_str(), failed), (warned, false));
    agent.send(&request(2, "state/get", r#"{"path":"model.color"}"#));
    let known = answer(&mut agent);
    assert_eq!((&known["result"]["value"], &known["result"]["source"]), (&json!("#ff0000"), &json!("cache")));
}

#[test]
fn getters_read_the_cache_unless_a_refresh_is_forced() {
    let hub = Hub::start();
    let mut page = register(&hub, "getters");
    let mut agent = hub.agent();
    call(&mut agent, "get_model_rotation", &json!({}));
    plays(&mut page, RED);
    assert_eq!(plays(&mut page, RED)["forceRefresh"], false);
    let fresh = "Model rotation: X (pitch): 0°, Y (yaw): 12.5°, Z (roll): 0° (source: fresh)";
    assert_eq!(without_time(&text(&mut agent).0), fresh);
    page.send(r##"{"type":"stateUpdate","state":{"model":{"color":"#cc0000"}}}"##);
    call(&mut agent, "get_model_color", &json!({ "forceRefresh": true }));
    plays(&mut page, RED);
    assert_eq!(plays(&mut page, RED)["forceRefresh"], true);
    assert_eq!(without_time(&text(&mut agent).0), "Model color: #ff0000 (source: fresh)");
    // Only pushed states are cached, as in the original.
    call(&mut agent, "get_model_color", &json!({}));
    let cached = "Model color: #cc0000 (source: cache (may be stale if user manually interacted))";
    assert_eq!(without_time(&text(&mut agent).0), cached);
}

#[test]
fn its_tools_are_the_originals_and_teal_is_the_crayon() {
    let hub = Hub::start();
    let mut page = register(&hub, "scene");
    let mut agent = hub.agent();
    agent.send(&request(1, "tools/list", "{}"));
    let tools = answer(&mut agent)["result"]["tools"].as_array().unwrap().clone();
    assert_eq!(tools.len(), 67);
    let color = tools.iter().find(|tool| tool["name"] == "change_model_color").unwrap();
    assert_eq!(color["description"], "Change the color of the 3D model in the scene");
    assert_eq!(color["inputSchema"]["additionalProperties"], false);

    call(&mut agent, "change_model_color", &json!({ "color": "teal" }));
    let message = plays(&mut page, RED);
    assert_eq!((&message["type"], &message["toolName"]), (&json!("toolCall"), &json!("change_model_color")));
    assert_eq!(plays(&mut page, RED), json!({ "type": "changeColor", "color": "#008688" }));
    assert_eq!(text(&mut agent), ("Model color changed to teal (#008688)".into(), false));
    assert_eq!(plays(&mut page, RED)["type"], "requestState");

    call(&mut agent, "rotate_model_clockwise", &json!({}));
    let types: Vec<Value> = (0..4).map(|_| plays(&mut page, RED)["type"].clone()).collect();
    assert_eq!(types, ["toolCall", "requestState", "rotateModelClockwise", "requestState"]);
    let turned = "Model rotated 10° clockwise (from current rotation: Y=12.5°)";
    assert_eq!(text(&mut agent), (turned.into(), false));

    call(&mut agent, "dolly_camera", &json!({ "distance": 500 }));
    (0..3).for_each(|_| drop(plays(&mut page, RED)));
    assert_eq!(text(&mut agent).0, "Camera distance set to 500 (the page limits it: 64; asked for 500)");

    call(&mut agent, "change_model_color", &json!({ "color": "red" }));
    let (refused, failed) = text(&mut agent);
    assert!(failed && refused.contains("Must be a hex color code"), "{refused}");
    for alias in ["get_browser_connection_url", "launch_3d_visualization"] {
        call(&mut agent, alias, &json!({}));
        assert!(text(&mut agent).0.contains("\n\nhttp://localhost:5173?sessionId=scene\n\nCopy and paste"));
    }
}

#[test]
fn what_does_not_fit_is_refused_before_the_page_gets_it() {
    let hub = Hub::start();
    let _page = register(&hub, "strict");
    let mut agent = hub.agent();
    for (params, code) in [
        (r#"{"name":"change_model_color","arguments":{}}"#, -32005),
        (r#"{"name":"dolly_camera","arguments":{"distance":0}}"#, -32005),
        (r#"{"name":"set_key_light_position_spherical","arguments":{"azimuth":361,"elevation":1}}"#, -32005),
        (r#"{"name":"set_key_light_position_spherical","arguments":{"azimuth":0,"elevation":91}}"#, -32005),
        (r#"{"name":"paint","arguments":{}}"#, -32004),
    ] {
        agent.send(&request(2, "tools/call", params));
        assert_eq!(answer(&mut agent)["error"]["code"], code, "{params}");
    }
    agent.send("a:document.title");
    assert!(agent.receive().unwrap().contains("it speaks the original 3D server's messages"));
    assert!(agent.ask(&request(3, "page/look", "{}")).contains("cannot do that"));
}

#[test]
fn a_command_ends_with_the_state_that_follows_and_a_late_state_ends_no_other() {
    let hub = Hub::start();
    let mut page = register(&hub, "late");
    let (mut first, mut second) = (hub.agent(), hub.agent());
    first.send(&request(1, "tools/call", r#"{"name":"swing_key_light_up","timeout":1}"#));
    assert_eq!(answer(&mut first)["error"]["code"], -32001);
    let params = r##"{"name":"change_model_color","arguments":{"color":"#cc0000"},"delta":true}"##;
    second.send(&request(2, "tools/call", params));
    // The page handles the first command only now.
    for kind in ["toolCall", "swingKeyLightUp", "requestState", "toolCall"] {
        assert_eq!(plays(&mut page, RED)["type"], kind);
    }
    assert!(second.ask(&request(3, "session/list", "{}")).contains("\"id\":3"), "the second call still waits");
    plays(&mut page, r##"{"model":{"color":"#cc0000"}}"##);
    let done = answer(&mut second);
    assert_eq!(done["result"]["content"][0]["text"], "Model color changed to #cc0000");
    assert_eq!(done["result"]["delta"]["state"]["model"]["color"], "#cc0000");
}

#[test]
fn of_two_tabs_with_one_session_the_newest_is_asked_and_the_older_takes_over_again() {
    let hub = Hub::start();
    let mut older = register(&hub, "shared");
    let mut agent = hub.agent();
    let mut newer = register(&hub, "shared");
    agent.send(&request(1, "state/get", r#"{"path":"tab"}"#));
    plays(&mut newer, r#"{"tab":"newer"}"#);
    assert_eq!(answer(&mut agent)["result"]["value"], "newer");
    // The older tab stays open, but its messages are ignored.
    older.send(r#"{"type":"stateUpdate","state":{"tab":"older"}}"#);
    call(&mut agent, "walk_key_light_in", &json!({}));
    (0..2).for_each(|_| drop(plays(&mut newer, r#"{"tab":"newer"}"#)));
    assert_eq!(text(&mut agent).0, "Key light walked in");
    drop(newer);
    agent.wait_for_pages(1);
    agent.send(&request(2, "state/get", r#"{"path":"tab"}"#));
    assert_eq!(plays(&mut older, r#"{"tab":"older"}"#)["type"], "requestState");
    assert_eq!(answer(&mut agent)["result"]["value"], "older");
    call(&mut agent, "walk_key_light_out", &json!({}));
    let types: Vec<Value> = (0..3).map(|_| plays(&mut older, r#"{"tab":"older"}"#)["type"].clone()).collect();
    assert_eq!(types, ["toolCall", "walkKeyLightOut", "requestState"]);
    assert_eq!(text(&mut agent).0, "Key light walked out");
}

#[test]
fn a_page_that_leaves_ends_only_its_own_queries_and_a_command_without_a_page_is_an_error() {
    let hub = Hub::start();
    let (mut one, mut two) = (register(&hub, "one"), register(&hub, "two"));
    let (mut first, mut second) = (hub.agent(), hub.agent());
    first.send(&request(1, "tools/call", r#"{"name":"swing_key_light_up","page":"one"}"#));
    second.send(&request(2, "state/get", r#"{"page":"two"}"#));
    received(&mut one);
    let sent = received(&mut two);
    drop(one);
    assert_eq!(answer(&mut first)["error"]["message"], "the page left before it answered");
    two.send(&json!({ "type": "stateResponse", "requestId": sent["requestId"], "state": {} }).to_string());
    assert_eq!(answer(&mut second)["result"]["source"], "page");
    first.send(&request(3, "state/get", r#"{"page":"one"}"#));
    assert_eq!(answer(&mut first)["error"]["message"], "Unable to retrieve state: Browser not connected");
}
