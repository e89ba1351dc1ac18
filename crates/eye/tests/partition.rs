//! Hubs whose network is cut and restored, and servers that hubs cannot work with. With the real binary and a real
//! nats-server.

use crate::stage::cut::Network;
use crate::stage::hubs::{hub, lists, setup, until};
use crate::stage::{answers, home};
use eye_testkit::{Home, HubProcess, Nats, Reply, ScriptedPage};
use std::sync::{Arc, Mutex};

fn script(code: &str) -> Reply {
    if code == "forever" { Reply::Hold } else { Reply::text(code) }
}

fn expect_answer(home: &Home, page: &str, code: &str) {
    let wanted = answers(0, &format!("{code}\n"), "");
    until(home, &["--page", page, code], |ran| *ran == wanted);
}

#[test]
fn hubs_that_are_cut_apart_serve_their_own_pages_and_are_one_service_again_when_the_network_heals() {
    let nats = Nats::start();
    let network = Network::before(nats.port());
    let a = home();
    let _hub_a = HubProcess::start_with(&a, &["--cluster", &network.url(), "--hub-name", "a"]);
    let (b, _hub_b) = hub(&nats, "b");
    let near = ScriptedPage::join(&a, &setup(&a, "Near").alias("near"), script);
    let received = Arc::new(Mutex::new(Vec::new()));
    let seen = received.clone();
    let far = ScriptedPage::join(&b, &setup(&b, "Far").alias("far"), move |code| {
        seen.lock().unwrap().push(code.to_owned());
        script(code)
    });
    expect_answer(&a, "far", "before");
    expect_answer(&b, "near", "before");
    let calls = [a.start(["--page", "far", "forever"]), b.start(["--page", "near", "forever"])];
    near.held();
    far.held();
    network.cut();
    for call in calls {
        let ended = call.wait();
        assert!(ended.code != 0 && ended.stderr.contains("may have run"), "{ended:?}");
    }
    // Each side knows that it is alone, and continues with its own pages.
    until(&a, &["status"], |ran| ran.stdout.contains("own pages only"));
    until(&b, &["pages"], |ran| !ran.stdout.contains("Near"));
    expect_answer(&a, "near", "alone");
    expect_answer(&b, "far", "alone");
    let refused = a.eye(["--page", "far", "never"]);
    assert!(refused.code != 0 && refused.stderr.contains("did not run"), "{refused:?}");
    network.heal();
    expect_answer(&a, "far", "after");
    expect_answer(&b, "near", "after");
    until(&a, &["status"], |ran| !ran.stdout.contains("problem"));
    // Calls that were refused while the network was cut did not arrive later.
    assert!(!received.lock().unwrap().iter().any(|code| code == "never"));
}

#[test]
fn calls_end_when_the_pages_hub_loses_its_link_for_so_short_that_nobody_takes_it_for_dead() {
    let nats = Nats::start();
    let network = Network::before(nats.port());
    let (a, _hub_a) = hub(&nats, "a");
    let b = home();
    let _hub_b = HubProcess::start_with(&b, &["--cluster", &network.url(), "--hub-name", "b"]);
    let far = ScriptedPage::join(&b, &setup(&b, "Far").alias("far"), script);
    expect_answer(&a, "far", "before");
    // Far longer than the test waits.
    let call = a.start(["--page", "far", "--timeout", "3600", "forever"]);
    far.held();
    network.break_connections();
    let ended = call.wait();
    assert!(ended.code != 0 && ended.stderr.contains("may have run"), "{ended:?}");
    expect_answer(&a, "far", "after");
}

#[test]
fn a_session_that_moved_while_its_hub_was_cut_off_stays_where_it_went() {
    let nats = Nats::start();
    let network = Network::before(nats.port());
    let a = home();
    let _hub_a = HubProcess::start_with(&a, &["--cluster", &network.url(), "--hub-name", "a"]);
    let (b, _hub_b) = hub(&nats, "b");
    let old = ScriptedPage::join(&a, &setup(&a, "Old").session("s1"), |_| Reply::text("old"));
    lists(&b, "Old");
    network.cut();
    until(&a, &["status"], |ran| ran.stdout.contains("own pages only"));
    let _new = ScriptedPage::join(&b, &setup(&b, "New").session("s1"), |_| Reply::text("new"));
    assert_eq!(b.eye(["--page", "s1", "who"]), answers(0, "new\n", ""));
    network.heal();
    // The hub that was cut off learns of it, closes its own page and uses the other hub's.
    old.wait_closed();
    until(&a, &["--page", "s1", "who"], |ran| *ran == answers(0, "new\n", ""));
}

#[test]
fn a_server_without_jetstream_and_one_that_is_too_old_are_findings_of_the_doctor() {
    for (nats, wanted) in
        [(Nats::start_plain(), "the directory cannot be read"), (Nats::start_old(), "older than 2.11")]
    {
        let (a, _hub) = hub(&nats, "a");
        let _page = ScriptedPage::join(&a, &setup(&a, "Shop").alias("shop"), script);
        expect_answer(&a, "shop", "own");
        let found = until(&a, &["doctor"], |ran| ran.stdout.contains(wanted));
        assert!(found.code != 0, "{found:?}");
        let status = a.eye(["status"]);
        assert!(status.stdout.contains(wanted), "{status:?}");
    }
    let nats = Nats::start();
    let (a, _hub) = hub(&nats, "a");
    until(&a, &["doctor"], |ran| ran.stdout.contains("`default`: this hub is `a`, others: 0"));
    let (_b, _hub) = hub(&nats, "b");
    until(&a, &["doctor"], |ran| ran.stdout.contains("`default`: this hub is `a`, others: 1"));
}
