//! A watch goes on when the hub that holds the page is killed with -9, and when the page changes its hub. With the real
//! binary and a real nats-server.

use crate::stage::hubs::{hub, lists, setup, until};
use crate::stage::table;
use eye_testkit::{Home, Nats, NatsPeer, Running, ScriptedPage};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines};
use std::process::ChildStdout;

/// A page of the session `s1`, with the title `Shop`.
fn join(home: &Home) -> ScriptedPage {
    ScriptedPage::join(home, &setup(home, "Shop").session("s1"), table)
}

fn publish(page: &ScriptedPage, number: u64, revision: u64) {
    let params = json!({ "state": { "n": number }, "revision": revision });
    page.say(&json!({ "jsonrpc": "2.0", "method": "state/update", "params": params }).to_string());
}

fn is_written(observer: &mut NatsPeer, revision: u64) {
    loop {
        let (_, entry) = observer.heard();
        if serde_json::from_slice::<Value>(&entry).is_ok_and(|entry| entry["revision"] == revision) {
            return;
        }
    }
}

fn next(lines: &mut Lines<BufReader<ChildStdout>>) -> (Value, u64) {
    let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    (line["state"]["n"].clone(), line["revision"].as_u64().unwrap())
}

#[test]
fn a_watch_goes_on_at_the_hub_that_the_page_comes_back_through() {
    let nats = Nats::start();
    let mut observer = nats.peer();
    observer.hear("$KV.eye_state-default.>");
    let ((a, hub_a), (b, _hub_b), (c, hub_c)) = (hub(&nats, "a"), hub(&nats, "b"), hub(&nats, "c"));
    let first = join(&a);
    lists(&b, "Shop");
    lists(&c, "Shop");
    let mut watching = Running::of(b.command().args(["--page", "s1", "watch", "state", "--count", "1000"]));
    let mut lines = BufReader::new(watching.child().stdout.take().unwrap()).lines();
    // Until the watch is known to the other hub, changes pass it by; its first line tells that it is.
    let mut last = 0;
    let (_, mut heard) = std::thread::scope(|scope| {
        let line = scope.spawn(|| next(&mut lines));
        while !line.is_finished() {
            last += 1;
            publish(&first, last, last);
            is_written(&mut observer, last);
        }
        line.join().unwrap()
    });
    while heard < last {
        heard = next(&mut lines).1;
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
    // Through the agent's own.
    hub_c.kill();
    until(&b, &["pages"], |ran| !ran.stdout.contains("at c"));
    let third = join(&b);
    publish(&third, 3_000, 1);
    assert_eq!(next(&mut lines), (json!(3_000), last + 3));
    publish(&third, 3_001, 2);
    assert_eq!(next(&mut lines), (json!(3_001), last + 4));
}
