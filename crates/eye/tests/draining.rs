//! `eye down --drain`: a hub that is stopped loses no call, alone and in a cluster. With the real binary and a real
//! nats-server.

use crate::stage::hubs::{hub, lists, setup, until};
use crate::stage::{answers, home};
use eye_protocol::Value;
use eye_testkit::{Home, HubProcess, Nats, Reply, ScriptedPage};

/// Answers `slow` when the test says so, and everything else at once.
fn script(code: &str) -> Reply {
    if code == "slow" { Reply::Hold } else { Reply::text(code) }
}

/// Waits until a hub refuses new calls.
fn refuses(home: &Home) {
    let refused = until(home, &["--page", "shop", "new"], |ran| ran.code != 0);
    assert!(refused.stderr.contains("the hub is being stopped"), "{refused:?}");
    assert!(refused.stderr.contains("the call did not run"), "{refused:?}");
}

#[test]
fn a_hub_that_is_drained_answers_what_is_under_way_and_refuses_what_is_new() {
    let home = home();
    let hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &setup(&home, "Shop").alias("shop"), script);
    let idle = ScriptedPage::join(&home, &setup(&home, "Idle"), script);
    let call = home.start(["--page", "shop", "slow"]);
    let held = page.held();
    let down = home.start(["down", "--drain"]);
    refuses(&home);
    // A page without calls leaves at once; the other one stays for its call.
    idle.wait_closed();
    page.answer(&held, &Ok(Value::Text("done".into())));
    assert_eq!(call.wait(), answers(0, "done\n", ""));
    page.wait_closed();
    assert_eq!(down.wait(), answers(0, "stopped\n", ""));
    hub.wait();
}

#[test]
fn what_takes_too_long_is_ended_with_the_hub() {
    let home = home();
    let hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &setup(&home, "Shop").alias("shop"), script);
    let call = home.start(["--page", "shop", "slow"]);
    page.held();
    assert_eq!(home.eye(["down", "--drain", "1"]), answers(0, "stopped\n", ""));
    let ended = call.wait();
    assert!(ended.code != 0 && ended.stderr.contains("the hub shut down before"), "{ended:?}");
    hub.wait();
}

#[test]
fn calls_between_hubs_are_answered_while_either_of_them_is_drained() {
    let nats = Nats::start();
    let ((a, hub_a), (b, hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop").session("s1"), script);
    lists(&a, "shop");
    let call = a.start(["--page", "shop", "slow"]);
    let held = page.held();
    let down = b.start(["down", "--drain"]);
    refuses(&b);
    // The hub that holds the page also refuses agents of the other hub.
    refuses(&a);
    page.answer(&held, &Ok(Value::Text("done".into())));
    assert_eq!(call.wait(), answers(0, "done\n", ""));
    page.wait_closed();
    assert_eq!(down.wait(), answers(0, "stopped\n", ""));
    hub_b.wait();
    // The page comes back through another hub, and now the agent's own hub is drained.
    let (c, _hub_c) = hub(&nats, "c");
    let page = ScriptedPage::join(&c, &setup(&c, "Shop").alias("shop").session("s1"), script);
    until(&a, &["--page", "shop", "again"], |ran| *ran == answers(0, "again\n", ""));
    let call = a.start(["--page", "shop", "slow"]);
    let held = page.held();
    let down = a.start(["down", "--drain"]);
    refuses(&a);
    assert_eq!(c.eye(["--page", "shop", "own"]), answers(0, "own\n", ""));
    page.answer(&held, &Ok(Value::Text("done".into())));
    assert_eq!(call.wait(), answers(0, "done\n", ""));
    assert_eq!(down.wait(), answers(0, "stopped\n", ""));
    hub_a.wait();
}
