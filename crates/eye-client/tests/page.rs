//! A program that is a page, against a real hub, over both transports.

use crate::stage;
use crate::stage::{Hub, named, text};
use eye_client::{Agent, Code, Error, Page, ToolError};
use serde_json::json;

#[test]
fn a_tool_answers_with_values_contents_and_errors() {
    let hub = Hub::start();
    for address in hub.addresses() {
        let page = Page::builder()
            .tool(named("number"), |_| Ok(json!(5)))
            .tool(named("nothing"), |_| Ok(json!(null)))
            .tool(named("text"), |_| Ok(json!("hi")))
            .tool(named("content"), |_| Ok(json!({ "content": [{ "type": "text", "text": "own" }], "isError": true })))
            .tool(named("parse"), |_| Ok(json!("x".parse::<u8>()?)))
            .tool(named("denied"), |_| Err(ToolError::new("not for you").code(Code::DENIED)))
            .connect(address)
            .unwrap();
        let agent = Agent::connect(&hub.socket).unwrap();
        agent.join(page.session()).unwrap();
        assert_eq!(text(&agent.call("number", &json!({})).unwrap()), "5");
        assert_eq!(text(&agent.call("nothing", &json!({})).unwrap()), "null");
        assert_eq!(text(&agent.call("text", &json!({})).unwrap()), "hi");
        let own = agent.call("content", &json!({})).unwrap();
        assert_eq!((text(&own), &own["isError"]), ("own", &json!(true)));
        let error = agent.call("parse", &json!({})).unwrap_err();
        assert_eq!((error.code(), error.to_string()), (Some(Code::THREW), "invalid digit found in string".into()));
        assert_eq!(agent.call("denied", &json!({})).unwrap_err().code(), Some(Code::THREW), "only the hub denies");
    }
}

#[test]
fn a_tool_that_panics_has_failed_and_its_page_goes_on() {
    let hub = Hub::start();
    let _page = Page::builder()
        .tool(named("panics"), |_| panic!("on purpose"))
        .tool(named("fine"), |_| Ok(json!("fine")))
        .connect(&hub.socket)
        .unwrap();
    let agent = Agent::connect(&hub.socket).unwrap();
    let error = agent.call("panics", &json!({})).unwrap_err();
    assert_eq!((error.code(), error.to_string()), (Some(Code::THREW), "the tool panics panicked".into()));
    assert!(agent.call("fine", &json!({})).is_ok());
}

#[test]
fn a_slow_call_does_not_hold_back_others() {
    let hub = Hub::start();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = std::sync::Mutex::new(released);
    let _page = Page::builder()
        .tool(named("slow"), move |_| {
            released.lock().unwrap().recv_timeout(stage::DEADLINE)?;
            Ok(json!("slow"))
        })
        .tool(named("quick"), |_| Ok(json!("quick")))
        .connect(&hub.socket)
        .unwrap();
    let agent = Agent::connect(&hub.socket).unwrap();
    let slow = agent.start("slow", &json!({}), eye_client::CallOptions::default()).unwrap();
    assert!(agent.call("quick", &json!({})).is_ok());
    release.send(()).unwrap();
    assert!(slow.wait().is_ok());
}

#[test]
fn a_page_keeps_its_session_and_a_second_one_takes_it_over() {
    let hub = Hub::start();
    for address in hub.addresses() {
        let first = Page::builder().session("mine").connect(address).unwrap();
        assert_eq!(first.session(), "mine");
        let second = Page::builder().session("mine").connect(address).unwrap();
        assert_eq!(second.session(), "mine");
        let Error::Disconnected { why } = first.wait_closed() else { panic!("a page ends when it is disconnected") };
        assert!(why.contains("Another browser client"), "{why}");
    }
    assert!(Page::builder().session("not an id").connect(&hub.socket).is_err());
}

#[test]
fn a_tool_that_the_hub_does_not_take_is_named() {
    let hub = Hub::start();
    for definition in [
        json!({ "name": "a b" }),
        json!({ "description": "no name" }),
        json!({ "name": "bad", "inputSchema": { "type": "nonsense" } }),
    ] {
        let connected =
            Page::builder().tool(named("good"), |_| Ok(json!(1))).tool(definition.clone(), |_| Ok(json!(1)));
        assert!(matches!(connected.connect(&hub.socket), Err(Error::Tool { .. })), "{definition}");
    }
}

#[test]
fn tools_that_need_what_the_page_cannot_are_refused() {
    let hub = Hub::start();
    let definition = json!({ "name": "click", "capabilities": ["dom:write"] });
    let page = Page::builder().capabilities(["dom:read"]).tool(definition, |_| Ok(json!(1)));
    let _page = page.connect(&hub.socket).unwrap();
    let error = Agent::connect(&hub.socket).unwrap().call("click", &json!({})).unwrap_err();
    assert_eq!(error.code(), Some(Code::DENIED));
}

#[test]
fn a_program_evaluates_nothing_and_says_so() {
    let hub = Hub::start();
    let _page = Page::builder().title("Program").connect(&hub.socket).unwrap();
    let error = Agent::connect(&hub.socket).unwrap().eval("1").unwrap_err();
    assert_eq!(error.code(), Some(Code::DENIED));
    assert!(error.to_string().contains("it is a program"), "{error}");
}
