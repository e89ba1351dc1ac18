//! The Rust client against the real hub, in the case that its own tests cannot cover: a hub that is killed.

use crate::stage::home;
use eye_client::{Address, Agent, CallOptions, Error, Page};
use eye_testkit::{DEADLINE, HubProcess};
use serde_json::json;
use std::sync::mpsc::channel;

#[test]
fn a_hub_that_is_killed_ends_every_call_of_every_thread() {
    let home = home();
    let hub = HubProcess::start(&home);
    let token = home.eye(["token", "show"]).stdout.trim_end().to_owned();
    let (codes, received) = channel();
    let page = Page::builder()
        .tool(json!({ "name": "hold" }), move |call| {
            let _ = codes.send(());
            call.wait_cancelled(DEADLINE);
            Ok(json!(null))
        })
        .connect(&Address::socket(home.socket()))
        .unwrap();
    let server = format!("ws://127.0.0.1:{}", home.port());
    let agents = [Address::socket(home.socket()), Address::server(server, token)].map(|address| {
        let agent = Agent::connect(&address);
        agent.unwrap()
    });
    let calls: Vec<_> = (0..8)
        .map(|n| {
            let agent = agents[n % 2].clone();
            std::thread::spawn(move || agent.start("hold", &json!({}), CallOptions::default())?.wait())
        })
        .collect();
    for _ in &calls {
        received.recv_timeout(DEADLINE).unwrap();
    }
    hub.kill();
    for call in calls {
        assert!(matches!(call.join().unwrap(), Err(Error::Disconnected { .. })));
    }
    assert!(matches!(page.wait_closed(), Error::Disconnected { .. }));
    for agent in agents {
        assert!(matches!(agent.sessions(), Err(Error::Disconnected { .. })));
    }
}
