//! A page that comes back through another hub keeps the stored data of its session. With the real binary and a real
//! nats-server.

use crate::stage::hubs::{hub, lists, setup, until};
use crate::stage::{answers, table};
use eye_testkit::{DEADLINE, Home, Nats, ScriptedPage};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

/// A page of the session `s1`, with the title `Shop`.
fn join(home: &Home) -> ScriptedPage {
    ScriptedPage::join(home, &setup(home, "Shop").session("s1"), table)
}

/// Sends a frame from a page, and returns when its hub has processed it.
fn notify(home: &Home, page: &ScriptedPage, method: &str, params: &Value) {
    page.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    // The page's answer comes after the frame.
    assert_eq!(home.eye(["--page", "s1", "document.title"]).stdout, "Shop\n");
}

fn state(home: &Home, page: &str) -> Value {
    let ran = home.eye(["--page", page, "state", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

/// A page that has published twice, sent mail and got a name.
fn known(home: &Home) -> ScriptedPage {
    let page = join(home);
    notify(home, &page, "state/update", &json!({ "state": { "n": 1 }, "revision": 1 }));
    let patch = json!([{ "op": "replace", "path": "/n", "value": 2 }]);
    notify(home, &page, "state/patch", &json!({ "patch": patch, "revision": 2 }));
    notify(home, &page, "mailbox/put", &json!({ "message": "hello" }));
    let named = home.eye(["use", "s1", "--as", "till"]);
    assert_eq!(named.code, 0, "{named:?}");
    page
}

#[test]
fn state_mail_and_name_are_the_same_at_every_hub_after_the_page_has_moved() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = known(&a);
    lists(&b, "till");
    let _second = join(&b);
    first.wait_closed();
    // The page has not published here yet: the earlier state is returned, by either hub and under the name.
    let here = state(&b, "till");
    assert_eq!((&here["value"], &here["revision"], &here["stale"]), (&json!({ "n": 2 }), &json!(2), &json!(true)));
    let there = state(&a, "till");
    assert_eq!((&there["value"], &there["revision"]), (&here["value"], &here["revision"]));
    let listed = until(&a, &["pages"], |ran| ran.stdout.contains("at b"));
    assert!(listed.stdout.contains("till"), "{listed:?}");
    assert_eq!(a.eye(["--page", "till", "read"]), answers(0, "hello\n", ""));
    assert_eq!(b.eye(["--page", "till", "read"]).stdout, "", "a letter is given once");
}

#[test]
fn a_page_that_moves_twice_in_a_moment_is_where_it_came_last_with_what_was_kept() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b), (c, _hub_c)) = (hub(&nats, "a"), hub(&nats, "b"), hub(&nats, "c"));
    let first = known(&a);
    lists(&b, "till");
    lists(&c, "till");
    let second = join(&b);
    let _third = join(&c);
    first.wait_closed();
    second.wait_closed();
    until(&a, &["pages"], |ran| ran.stdout.contains("at c"));
    let here = state(&c, "till");
    assert_eq!((&here["value"], &here["revision"], &here["stale"]), (&json!({ "n": 2 }), &json!(2), &json!(true)));
    assert_eq!(a.eye(["--page", "till", "read"]), answers(0, "hello\n", ""));
    assert_eq!(c.eye(["--page", "s1", "document.title"]), answers(0, "Shop\n", ""));
}

#[test]
fn a_page_that_publishes_at_once_goes_on_with_the_next_revision() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = known(&a);
    lists(&b, "till");
    let second = join(&b);
    second.send(r#"{"jsonrpc":"2.0","method":"state/update","params":{"state":{"n":3},"revision":1}}"#);
    let here = state(&b, "s1");
    assert_eq!((&here["value"], &here["revision"], &here["stale"]), (&json!({ "n": 3 }), &json!(3), &json!(false)));
    first.wait_closed();
    assert_eq!(state(&a, "s1")["revision"], json!(3));
}

#[test]
fn what_is_large_arrives_whole() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = join(&a);
    let (large, letter) = ("x".repeat(3 << 20), "y".repeat(1 << 20));
    notify(&a, &first, "state/update", &json!({ "state": { "text": large }, "revision": 1 }));
    for _ in 0..6 {
        notify(&a, &first, "mailbox/put", &json!({ "message": letter }));
    }
    lists(&b, "Shop");
    let _second = join(&b);
    first.wait_closed();
    assert_eq!(state(&b, "s1")["value"]["text"], json!(large));
    assert_eq!(b.eye(["--page", "s1", "read"]).stdout.len(), 6 * ((1 << 20) + 1));
}

#[test]
fn a_page_that_left_a_while_ago_finds_its_things_through_another_hub() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = known(&a);
    lists(&b, "till");
    first.leave();
    // No hub expects it back any more.
    until(&b, &["pages"], |ran| !ran.stdout.contains("Shop"));
    let _second = join(&b);
    until(&b, &["--page", "till", "read"], |ran| *ran == answers(0, "hello\n", ""));
    assert_eq!(state(&b, "till")["revision"], json!(2));
}

#[test]
fn a_hub_that_is_drained_gives_away_what_it_kept() {
    let nats = Nats::start();
    let ((a, hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = known(&a);
    lists(&b, "till");
    let down = a.start(["down", "--drain"]);
    first.wait_closed();
    let _second = join(&b);
    assert_eq!(down.wait(), answers(0, "stopped\n", ""));
    hub_a.wait();
    assert_eq!(b.eye(["--page", "till", "read"]), answers(0, "hello\n", ""));
    assert_eq!(state(&b, "till")["revision"], json!(2));
}

/// An agent that waits for a letter of the page. Its question has arrived where the page is.
fn reader(home: &Home) -> BufReader<UnixStream> {
    let mut socket = UnixStream::connect(home.socket()).unwrap();
    socket.set_read_timeout(Some(DEADLINE)).unwrap();
    let timeout_ms = u64::try_from(DEADLINE.as_millis()).unwrap();
    let read = json!({ "jsonrpc": "2.0", "id": 1, "method": "mailbox/read", "params": { "page": "s1", "timeout": timeout_ms } });
    let eval =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "eval", "params": { "page": "s1", "code": "document.title" } });
    socket.write_all(format!("{read}\n{eval}\n").as_bytes()).unwrap();
    let mut reader = BufReader::new(socket);
    assert_eq!(answer(&mut reader)["id"], 2);
    reader
}

fn answer(reader: &mut BufReader<UnixStream>) -> Value {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn an_agent_that_waits_for_a_letter_gets_it_where_the_page_has_gone() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = join(&a);
    lists(&b, "Shop");
    // From the hub of the agent to another, and back.
    let mut agent = reader(&a);
    let second = join(&b);
    first.wait_closed();
    notify(&b, &second, "mailbox/put", &json!({ "message": "one" }));
    assert_eq!(answer(&mut agent)["result"]["messages"][0]["msg"], "one");
    until(&a, &["pages"], |ran| ran.stdout.contains("at b"));
    let mut agent = reader(&a);
    let third = join(&a);
    second.wait_closed();
    notify(&a, &third, "mailbox/put", &json!({ "message": "two" }));
    assert_eq!(answer(&mut agent)["result"]["messages"][0]["msg"], "two");
}
