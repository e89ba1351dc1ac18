//! An agent against a real hub, over both transports.

use crate::stage::{DEADLINE, Hub, holding, named, text};
use eye_client::{Address, Agent, AgentSetup, CallOptions, Code, Error, EvalOptions, Notification, Page, Value};
use eye_testkit::{PageSetup, Reply, ScriptedPage};
use serde_json::json;
use std::time::Duration;

fn scripted(hub: &Hub) -> ScriptedPage {
    let setup = PageSetup {
        session: Some("scripted".into()),
        title: "Scripted".into(),
        url: "http://localhost/scripted".into(),
        alias: None,
        origin: Some("http://localhost".into()),
        capabilities: None,
    };
    ScriptedPage::join_port(hub.port, &setup, |code| match code {
        "'5'" => Reply::text("5"),
        "5" => Reply::json("5"),
        "null" => Reply::json("null"),
        "undefined" => Reply::rendering("undefined"),
        "hold" => Reply::Hold,
        _ => Reply::threw("x is not defined"),
    })
}

#[test]
fn code_comes_to_a_value_with_its_type_or_to_an_error() {
    let hub = Hub::start();
    let _page = scripted(&hub);
    for address in hub.addresses() {
        let agent = Agent::connect(address).unwrap();
        assert_eq!(agent.eval("'5'").unwrap(), Value::Text("5".into()));
        assert_eq!(agent.eval("5").unwrap(), Value::Json("5".into()));
        assert_eq!(agent.eval("null").unwrap(), Value::Json("null".into()));
        assert_eq!(agent.eval("undefined").unwrap(), Value::Rendering("undefined".into()));
        let error = agent.eval("x").unwrap_err();
        assert_eq!((error.code(), error.to_string()), (Some(Code::THREW), "x is not defined".into()));
        let options = EvalOptions { timeout: Some(Duration::from_millis(20)), ..EvalOptions::default() };
        assert_eq!(agent.eval_with("hold", options).unwrap_err().code(), Some(Code::TIMEOUT));
    }
}

#[test]
fn calls_of_eight_threads_share_a_connection_and_get_their_own_answers() {
    let hub = Hub::start();
    let _page = Page::builder()
        .session("echo")
        .tool(named("echo"), |call| Ok(json!({ "said": call.arguments()["n"] })))
        .connect(&hub.socket)
        .unwrap();
    for address in hub.addresses() {
        let agent = Agent::connect(address).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let agent = agent.clone();
                scope.spawn(move || {
                    for n in 0..100 {
                        let n = thread * 1000 + n;
                        let result = agent.call("echo", &json!({ "n": n })).unwrap();
                        assert_eq!(result["structuredContent"]["said"], n);
                    }
                });
            }
        });
        let started: Vec<_> =
            (0..500).map(|n| agent.start("echo", &json!({ "n": n }), CallOptions::default()).unwrap()).collect();
        for (n, call) in started.into_iter().enumerate().rev() {
            assert_eq!(call.wait().unwrap()["structuredContent"]["said"], n);
        }
    }
}

#[test]
fn progress_is_reported_in_order_before_the_result() {
    let hub = Hub::start();
    let _page = Page::builder()
        .tool(named("count"), |call| {
            call.progress(1.0, Some(2.0), "one");
            call.progress(2.0, None, "");
            Ok(json!("done"))
        })
        .connect(&hub.server)
        .unwrap();
    for address in hub.addresses() {
        let agent = Agent::connect(address).unwrap();
        let mut seen = Vec::new();
        let report = |progress: eye_client::Progress| seen.push((progress.progress, progress.total, progress.message));
        let options = CallOptions { on_progress: Some(Box::new(report)), ..CallOptions::default() };
        let result = agent.call_with("count", &json!({}), options).unwrap();
        assert!(text(&result).contains("done"), "{result}");
        assert_eq!(seen, [(1.0, Some(2.0), Some("one".into())), (2.0, None, None)]);
    }
}

#[test]
fn a_cancelled_call_ends_as_cancelled_and_in_the_page() {
    let hub = Hub::start();
    let (_page, received) = holding(&hub);
    for address in hub.addresses() {
        let agent = Agent::connect(address).unwrap();
        let call = agent.start("hold", &json!({}), CallOptions::default()).unwrap();
        assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "began");
        let canceller = call.canceller();
        let ending = std::thread::scope(|scope| {
            let waiting = scope.spawn(move || call.wait());
            canceller.cancel();
            waiting.join().unwrap()
        });
        assert_eq!(ending.unwrap_err().code(), Some(Code::CANCELLED));
        assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "cancelled");
    }
}

#[test]
fn a_dropped_call_is_cancelled_in_the_page() {
    let hub = Hub::start();
    let (_page, received) = holding(&hub);
    let agent = Agent::connect(&hub.socket).unwrap();
    let call = agent.start("hold", &json!({}), CallOptions::default()).unwrap();
    assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "began");
    drop(call);
    assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "cancelled");
    assert!(agent.sessions().is_ok(), "the connection goes on");
}

#[test]
fn an_agent_that_goes_away_cancels_its_calls() {
    let hub = Hub::start();
    let (_page, received) = holding(&hub);
    let agent = Agent::connect(&hub.server).unwrap();
    let call = agent.start("hold", &json!({}), CallOptions::default()).unwrap();
    assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "began");
    drop((agent, call));
    assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "cancelled");
}

#[test]
fn a_timeout_ends_a_call_in_the_page_too() {
    let hub = Hub::start();
    let (_page, received) = holding(&hub);
    let agent = Agent::connect(&hub.socket).unwrap();
    let options = CallOptions { timeout: Some(Duration::from_millis(20)), ..CallOptions::default() };
    assert_eq!(agent.call_with("hold", &json!({}), options).unwrap_err().code(), Some(Code::TIMEOUT));
    assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "began");
    assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "cancelled");
}

#[test]
fn a_page_that_leaves_in_mid_call_ends_the_call_at_once() {
    let hub = Hub::start();
    for address in hub.addresses() {
        let (page, received) = holding(&hub);
        let agent = Agent::connect(address).unwrap();
        let options = CallOptions { timeout: Some(DEADLINE * 2), ..CallOptions::default() };
        let call = agent.start("hold", &json!({}), options).unwrap();
        assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "began");
        drop(page);
        assert_eq!(call.wait().unwrap_err().code(), Some(Code::CONNECTION));
        assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "cancelled");
    }
}

#[test]
fn an_unknown_tool_names_the_near_ones() {
    let hub = Hub::start();
    let _page = Page::builder().tool(named("openNote"), |_| Ok(json!(1))).connect(&hub.socket).unwrap();
    let error = Agent::connect(&hub.socket).unwrap().call("openNot", &json!({})).unwrap_err();
    assert_eq!(error.code(), Some(Code::TOOL));
    assert_eq!(error.hint(), Some("did you mean openNote?"));
}

#[test]
fn arguments_that_do_not_fit_never_reach_the_page() {
    let hub = Hub::start();
    let schema = json!({ "type": "object", "properties": { "a": { "type": "number" } }, "required": ["a"] });
    let _page = Page::builder()
        .tool(json!({ "name": "add", "inputSchema": schema }), |_| panic!("the hub lets wrong arguments through"))
        .connect(&hub.socket)
        .unwrap();
    let agent = Agent::connect(&hub.socket).unwrap();
    let error = agent.call("add", &json!({ "a": "x" })).unwrap_err();
    assert_eq!(error.code(), Some(Code::SCHEMA));
    assert!(error.to_string().contains("/a"), "{error}");
}

#[test]
fn a_named_page_is_asked_and_several_without_a_name_are_an_error() {
    let hub = Hub::start();
    let who = |name: &'static str| {
        let builder = Page::builder().alias(name).tool(named("who"), move |_| Ok(json!({ "name": name })));
        builder.connect(&hub.socket).unwrap()
    };
    let _pages = (who("first"), who("second"));
    let agent = Agent::connect(&hub.socket).unwrap();
    assert_eq!(agent.call("who", &json!({})).unwrap_err().code(), Some(Code::SESSION));
    let options = CallOptions { page: Some("second".into()), ..CallOptions::default() };
    let result = agent.call_with("who", &json!({}), options).unwrap();
    assert_eq!(result["structuredContent"]["name"], "second");
    let setup = AgentSetup { page: Some("first".into()), ..AgentSetup::default() };
    let agent = Agent::connect_as(&hub.server, setup).unwrap();
    assert_eq!(agent.call("who", &json!({})).unwrap()["structuredContent"]["name"], "first");
    assert_eq!(agent.sessions().unwrap().len(), 2);
}

#[test]
fn what_happens_to_a_joined_session_reaches_every_listener() {
    let hub = Hub::start();
    let page = Page::builder().session("s").tool(named("one"), |_| Ok(json!(1))).connect(&hub.socket).unwrap();
    let agent = Agent::connect(&hub.server).unwrap();
    let (mut first, mut second) = (agent.notifications(), agent.notifications());
    let tools = agent.join("s").unwrap();
    assert_eq!(tools, [named("one")]);
    assert_eq!(agent.tools().unwrap(), tools);
    let next = |listener: &mut eye_client::Notifications| listener.next_within(DEADLINE).unwrap();
    page.offer(named("two"), |_| Ok(json!(2))).unwrap();
    let tools = vec![named("one"), named("two")];
    assert_eq!(next(&mut first), Notification::ToolsUpdated { session: "s".into(), tools });
    page.withdraw("one").unwrap();
    let tools = vec![named("two")];
    assert_eq!(next(&mut first), Notification::ToolsUpdated { session: "s".into(), tools });
    drop(page);
    assert_eq!(next(&mut first), Notification::PageGone { session: "s".into() });
    let page = Page::builder().session("s").connect(&hub.socket).unwrap();
    assert_eq!(next(&mut first), Notification::PageBack { session: "s".into() });
    assert!(matches!(next(&mut second), Notification::ToolsUpdated { .. }));
    drop(page);
    hub.stop();
    // The iterator ends with the connection.
    assert_eq!(second.count(), 4);
    assert!(matches!(agent.join("s"), Err(Error::Disconnected { .. })));
}

#[test]
fn a_hub_that_stops_ends_every_call_and_says_why() {
    let hub = Hub::start();
    let (page, received) = holding(&hub);
    let agent = Agent::connect(&hub.socket).unwrap();
    let calls: Vec<_> = (0..3).map(|_| agent.start("hold", &json!({}), CallOptions::default()).unwrap()).collect();
    for _ in &calls {
        assert_eq!(received.recv_timeout(DEADLINE).unwrap(), "began");
    }
    hub.stop();
    for call in calls {
        assert_eq!(call.wait().unwrap_err().code(), Some(Code::CONNECTION));
    }
    assert!(matches!(agent.wait_closed(), Error::Disconnected { .. }));
    assert!(matches!(page.wait_closed(), Error::Disconnected { .. }));
    assert!(matches!(agent.eval("1"), Err(Error::Disconnected { .. })));
}

#[test]
fn an_agent_that_is_refused_gets_the_reason() {
    let hub = Hub::start();
    let wrong = Address::server(format!("ws://127.0.0.1:{}", hub.port), "wrong");
    assert!(matches!(Agent::connect(&wrong), Err(Error::Refused { why, .. }) if why.contains("token")));
    assert!(matches!(Page::builder().connect(&wrong), Err(Error::Refused { .. })));
    let absent = Address::socket("/nowhere/hub.sock");
    assert!(matches!(Agent::connect(&absent), Err(Error::Unreachable { .. })));
}
