//! A watch continues when the hub of the page is killed with -9, when the page changes its hub, and when the network
//! between hubs was cut. With the real binary and a real nats-server.

use crate::stage::cut::Network;
use crate::stage::hubs::{hub, lists, setup, until};
use crate::stage::{home, table};
use eye_testkit::{DEADLINE, Home, HubProcess, Nats, NatsPeer, Running, ScriptedPage};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines};
use std::process::ChildStdout;
use std::sync::mpsc::channel;
use std::time::Duration;

/// A page of the session `s1`, with the title `Shop`.
fn join(home: &Home) -> ScriptedPage {
    ScriptedPage::join(home, &setup(home, "Shop").session("s1"), table)
}

fn publish(page: &ScriptedPage, number: u64, revision: u64) {
    let params = json!({ "state": { "n": number }, "revision": revision });
    page.send(&json!({ "jsonrpc": "2.0", "method": "state/update", "params": params }).to_string());
}

fn is_written(observer: &mut NatsPeer, revision: u64) {
    loop {
        let (_, entry) = observer.receive();
        if serde_json::from_slice::<Value>(&entry).is_ok_and(|entry| entry["revision"] == revision) {
            return;
        }
    }
}

fn read(line: &str) -> (Value, u64) {
    let line: Value = serde_json::from_str(line).unwrap();
    (line["state"]["n"].clone(), line["revision"].as_u64().unwrap())
}

fn next(lines: &mut Lines<BufReader<ChildStdout>>) -> (Value, u64) {
    read(&lines.next().unwrap().unwrap())
}

#[test]
fn a_watch_goes_on_at_the_hub_that_the_page_comes_back_through() {
    let nats = Nats::start();
    let mut observer = nats.peer();
    observer.subscribe("$KV.eye_state-default.>");
    let ((a, hub_a), (b, _hub_b), (c, hub_c)) = (hub(&nats, "a"), hub(&nats, "b"), hub(&nats, "c"));
    let first = join(&a);
    lists(&b, "Shop");
    lists(&c, "Shop");
    let mut watching = Running::of(b.command().args(["--page", "s1", "watch", "state", "--count", "1000"]));
    let mut lines = BufReader::new(watching.child().stdout.take().unwrap()).lines();
    // Changes are missed until the other hub knows the watch; its first line shows that it does.
    let mut last = 0;
    let (_, mut received) = std::thread::scope(|scope| {
        let line = scope.spawn(|| next(&mut lines));
        while !line.is_finished() {
            last += 1;
            publish(&first, last, last);
            is_written(&mut observer, last);
        }
        line.join().unwrap()
    });
    while received < last {
        received = next(&mut lines).1;
    }
    // Through a third hub, where it publishes at once.
    hub_a.kill();
    until(&c, &["pages"], |ran| !ran.stdout.contains("at a"));
    let second = join(&c);
    publish(&second, 2_000, 1);
    assert_eq!(next(&mut lines), (json!(2_000), last + 1));
    publish(&second, 2_001, 2);
    assert_eq!(next(&mut lines), (json!(2_001), last + 2));
    is_written(&mut observer, last + 2);
    // Through the agent's own hub.
    hub_c.kill();
    until(&b, &["pages"], |ran| !ran.stdout.contains("at c"));
    let third = join(&b);
    publish(&third, 3_000, 1);
    assert_eq!(next(&mut lines), (json!(3_000), last + 3));
    publish(&third, 3_001, 2);
    assert_eq!(next(&mut lines), (json!(3_001), last + 4));
}

#[test]
fn a_watch_goes_on_after_the_network_of_either_hub_was_cut() {
    for cut in ["a", "b"] {
        let nats = Nats::start();
        let network = Network::before(nats.port());
        let hub = |name: &str| {
            let url = if name == cut { network.url() } else { nats.url() };
            let home = home();
            let hub = HubProcess::start_with(&home, &["--cluster", &url, "--hub-name", name]);
            (home, hub)
        };
        let ((a, _hub_a), (b, _hub_b)) = (hub("a"), hub("b"));
        let page = join(&a);
        lists(&b, "Shop");
        let mut watching = Running::of(b.command().args(["--page", "s1", "watch", "state", "--count", "1000"]));
        let lines = BufReader::new(watching.child().stdout.take().unwrap()).lines();
        let (sender, received) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(read(&line))));
        // Changes are missed until the other hub knows the watch.
        let received_revision = (1..1_000).find(|revision| {
            publish(&page, *revision, *revision);
            received.recv_timeout(Duration::from_millis(100)).is_ok()
        });
        network.cut();
        let (alone, other) = if cut == "a" { (&a, &b) } else { (&b, &a) };
        until(alone, &["status"], |ran| ran.stdout.contains("own pages only"));
        until(other, &["doctor"], |ran| ran.stdout.contains("others: 0"));
        network.heal();
        lists(&b, "Shop");
        publish(&page, 1_000_000, received_revision.unwrap() + 1);
        let goes_on =
            || received.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("{cut} was cut off: the watch ended"));
        while goes_on().0 != 1_000_000 {}
    }
}
