//! Mail outlives its hub, which is killed with -9: the page comes back through another one, and an agent reads its mail
//! there, once and in order. With the real binary and a real nats-server.

use crate::stage::hubs::{hub, lists, setup, until};
use crate::stage::{answers, table};
use eye_protocol::limits::LASTING_LETTERS_MAX;
use eye_testkit::{Home, Nats, NatsPeer, ScriptedPage};
use serde_json::{Value, json};

/// A page of the session `s1`, with the title `Shop`.
fn join(home: &Home) -> ScriptedPage {
    ScriptedPage::join(home, &setup(home, "Shop").session("s1"), table)
}

fn put(page: &ScriptedPage, message: &Value) {
    let params = json!({ "message": message });
    page.send(&json!({ "jsonrpc": "2.0", "method": "mailbox/put", "params": params }).to_string());
}

/// Subscribes to the entries of the mail stream.
fn observer(nats: &Nats) -> NatsPeer {
    let mut peer = nats.peer();
    peer.subscribe("eye.default.m.>");
    peer
}

/// Waits until a letter with this number is written.
fn is_written(observer: &mut NatsPeer, number: usize) {
    loop {
        let (subject, entry) = observer.receive();
        assert_eq!(subject, "eye.default.m.s1");
        // Entries that remove letters have no content.
        if serde_json::from_slice::<Value>(&entry).is_ok_and(|entry| entry["number"] == number) {
            return;
        }
    }
}

#[test]
fn letters_of_a_hub_that_was_killed_are_read_once_and_in_order_at_another() {
    let nats = Nats::start();
    let mut observer = observer(&nats);
    let ((a, hub_a), (b, hub_b), (c, _hub_c)) = (hub(&nats, "a"), hub(&nats, "b"), hub(&nats, "c"));
    let first = join(&a);
    put(&first, &json!("one"));
    is_written(&mut observer, 1);
    lists(&b, "Shop");
    lists(&c, "Shop");
    assert_eq!(b.eye(["--page", "s1", "read"]), answers(0, "one\n", ""), "by an agent of another hub");
    put(&first, &json!("two"));
    put(&first, &json!("three"));
    is_written(&mut observer, 2);
    hub_a.kill();
    let second = join(&b);
    until(&c, &["pages"], |ran| ran.stdout.contains("at b"));
    assert_eq!(c.eye(["--page", "s1", "read"]).stdout, "two\nthree\n", "what was read before is not read again");
    assert_eq!(b.eye(["--page", "s1", "read"]).stdout, "");
    put(&second, &json!("four"));
    is_written(&mut observer, 1);
    hub_b.kill();
    let _third = join(&c);
    assert_eq!(c.eye(["--page", "s1", "read"]), answers(0, "four\n", ""));
    assert_eq!(c.eye(["--page", "s1", "read"]).stdout, "");
}

#[test]
fn of_too_many_letters_the_oldest_end_with_their_hub_and_are_counted() {
    let nats = Nats::start();
    let mut observer = observer(&nats);
    let ((a, hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = join(&a);
    let all = LASTING_LETTERS_MAX + 10;
    for number in 1..=all {
        put(&first, &json!(number));
    }
    is_written(&mut observer, all);
    lists(&b, "Shop");
    hub_a.kill();
    let _second = join(&b);
    let newest = (11..=all).map(|number| number.to_string() + "\n").collect::<String>();
    assert_eq!(b.eye(["--page", "s1", "read"]), answers(0, &newest, "note: 10 older messages gave way\n"));
}
