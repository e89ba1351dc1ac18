//! State outlives its hub, which is killed with -9: any hub returns it, and the page continues from it. With the real
//! binary and a real nats-server.

use crate::stage::hubs::{ORIGIN, hub, lists, setup, until};
use crate::stage::{answers, home, table};
use eye_testkit::{DEADLINE, Home, Nats, NatsPeer, PageSetup, Ran, Running, ScriptedPage};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A page of the session `s1`, with the title `Shop`.
fn join(home: &Home) -> ScriptedPage {
    ScriptedPage::join(home, &setup(home, "Shop").session("s1").alias("cart"), table)
}

fn publish(page: &ScriptedPage, state: &Value, revision: u64) {
    let params = json!({ "state": state, "revision": revision });
    page.send(&json!({ "jsonrpc": "2.0", "method": "state/update", "params": params }).to_string());
}

/// Subscribes to the entries of the state bucket.
fn observer(nats: &Nats) -> NatsPeer {
    let mut peer = nats.peer();
    peer.subscribe("$KV.eye_state-default.>");
    peer
}

/// Waits until a state of this revision is written.
fn is_written(observer: &mut NatsPeer, revision: u64) -> Value {
    loop {
        let (subject, entry) = observer.receive();
        assert_eq!(subject, "$KV.eye_state-default.s1");
        let entry: Value = serde_json::from_slice(&entry).unwrap();
        if entry["revision"] == revision {
            return entry;
        }
    }
}

fn read(home: &Home, page: &str) -> Ran {
    home.eye(["--page", page, "state", "--json"])
}

fn state(home: &Home, page: &str) -> Value {
    let ran = read(home, page);
    assert_eq!(ran.code, 0, "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

fn is(answer: &Value, value: &Value, revision: u64, stale: bool) {
    assert_eq!((&answer["value"], &answer["revision"], &answer["stale"]), (value, &json!(revision), &json!(stale)));
}

#[test]
fn any_hub_returns_the_last_state_of_a_page_whose_hub_was_killed_and_the_page_goes_on_from_it() {
    let nats = Nats::start();
    let mut observer = observer(&nats);
    let ((a, hub_a), (b, _hub_b), (c, _hub_c)) = (hub(&nats, "a"), hub(&nats, "b"), hub(&nats, "c"));
    let first = join(&a);
    publish(&first, &json!({ "n": 1 }), 1);
    is_written(&mut observer, 1);
    assert_eq!(a.eye(["use", "s1", "--as", "till"]).code, 0);
    publish(&first, &json!({ "n": 2 }), 2);
    is_written(&mut observer, 2);
    lists(&b, "till");
    lists(&c, "till");
    hub_a.kill();
    // Read at once, before any hub has noticed the loss, and under each of its names.
    for name in ["s1", "till", "cart", "Shop"] {
        is(&state(&b, name), &json!({ "n": 2 }), 2, true);
    }
    until(&c, &["pages"], |ran| !ran.stdout.contains("at a"));
    is(&state(&c, "till"), &json!({ "n": 2 }), 2, true);
    first.wait_closed();
    // The page comes back through b: its earlier state is returned until it publishes again.
    let second = join(&b);
    is(&state(&b, "s1"), &json!({ "n": 2 }), 2, true);
    publish(&second, &json!({ "n": 3 }), 1);
    is_written(&mut observer, 3);
    is(&state(&b, "till"), &json!({ "n": 3 }), 3, false);
    until(&c, &["--page", "till", "state", "--json"], |ran| ran.stdout.contains(r#""n":3"#));
}

#[test]
fn what_was_published_and_put_last_outlives_a_hub_that_is_stopped() {
    let nats = Nats::start();
    let ((a, hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = join(&a);
    // Most of these are published within one second, in which a state is written only once.
    for revision in 1..=20 {
        publish(&first, &json!({ "n": revision }), revision);
        first
            .send(&json!({ "jsonrpc": "2.0", "method": "mailbox/put", "params": { "message": revision } }).to_string());
    }
    lists(&b, "Shop");
    // The page's answer comes after its messages.
    assert_eq!(a.eye(["--page", "s1", "document.title"]).stdout, "Shop\n");
    assert_eq!(a.eye(["down"]).code, 0);
    hub_a.wait();
    first.wait_closed();
    is(&state(&b, "s1"), &json!({ "n": 20 }), 20, true);
    let _second = join(&b);
    is(&state(&b, "s1"), &json!({ "n": 20 }), 20, true);
    let read = b.eye(["--page", "s1", "read"]);
    let letters: Vec<String> = (1..=20).map(|number| number.to_string()).collect();
    assert_eq!(read.stdout.lines().collect::<Vec<_>>(), letters);
}

#[test]
fn a_session_without_letters_is_recalled_without_a_warning() {
    let nats = Nats::start();
    let (a, hub_a) = hub(&nats, "a");
    let b = home();
    assert_eq!(b.eye(["up", "--cluster", &nats.url(), "--hub-name", "b"]).code, 0);
    let _first = join(&a);
    lists(&b, "Shop");
    hub_a.kill();
    let _second = join(&b);
    // Waits for what the killed hub has kept.
    assert_eq!(b.eye(["--page", "s1", "read"]).stdout, "");
    assert_eq!(b.eye(["down"]).code, 0);
    let log = std::fs::read_to_string(b.path("state/eye/hub.log")).unwrap();
    assert!(log.contains("the link to the other hubs is up") && !log.contains("cannot be recalled"), "{log}");
}

#[test]
fn a_page_that_comes_back_and_publishes_at_once_goes_on_with_the_next_revision() {
    let nats = Nats::start();
    let mut observer = observer(&nats);
    let ((a, hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = join(&a);
    for revision in 1..=3 {
        publish(&first, &json!(revision), revision);
        is_written(&mut observer, revision);
    }
    lists(&b, "Shop");
    hub_a.kill();
    let second = join(&b);
    publish(&second, &json!("new"), 1);
    is(&state(&b, "s1"), &json!("new"), 4, false);
    assert_eq!(is_written(&mut observer, 4)["epoch"], json!(2));
}

#[test]
fn a_hub_that_starts_afterwards_returns_it_and_what_is_forgotten_is_gone_at_every_hub() {
    let nats = Nats::start();
    let mut observer = observer(&nats);
    let (a, hub_a) = hub(&nats, "a");
    let first = join(&a);
    publish(&first, &json!({ "n": 1 }), 1);
    is_written(&mut observer, 1);
    hub_a.kill();
    let ((b, _hub_b), (c, _hub_c)) = (hub(&nats, "b"), hub(&nats, "c"));
    until(&b, &["--page", "s1", "state", "--json"], |ran| ran.code == 0);
    until(&c, &["--page", "s1", "state", "--json"], |ran| ran.code == 0);
    // Until the loss of its hub is known, the page counts as connected there.
    let forgot = until(&b, &["pages", "forget", "s1"], |ran| ran.code == 0);
    assert_eq!(forgot, answers(0, "forgot s1\n", ""));
    until(&c, &["--page", "s1", "state"], |ran| ran.stderr.contains("no page is connected"));
    assert!(read(&b, "s1").stderr.contains("no page is connected"));
}

#[test]
fn a_state_that_is_too_large_ends_with_its_hub_and_the_answer_says_so() {
    let nats = Nats::start();
    let mut observer = observer(&nats);
    let ((a, hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = join(&a);
    publish(&first, &json!("x".repeat(60 << 10)), 1);
    assert_eq!(is_written(&mut observer, 1)["text"].as_str().map(str::len), Some((60 << 10) + 2));
    publish(&first, &json!("x".repeat(64 << 10)), 2);
    assert_eq!(is_written(&mut observer, 2)["text"], Value::Null);
    lists(&b, "Shop");
    hub_a.kill();
    let answer = read(&b, "s1");
    assert!(answer.code != 0 && answer.stderr.contains("larger than 64 KiB, and ended with its hub"), "{answer:?}");
}

#[test]
fn a_token_for_another_origin_learns_nothing() {
    let nats = Nats::start();
    let mut observer = observer(&nats);
    let ((a, hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = join(&a);
    publish(&first, &json!("secret"), 1);
    is_written(&mut observer, 1);
    lists(&b, "Shop");
    let token = |name: &str, origin: &str| {
        let made = b.eye(["token", "new", name, "--may", "read", "--pages", origin]);
        assert_eq!(made.code, 0, "{made:?}");
        made.stdout.trim().to_owned()
    };
    let (own, other) = (token("own", ORIGIN), token("other", "http://localhost:9"));
    let by = |token: &str, page: &str| {
        Running::of(b.command().args(["--page", page, "state"]).env("EYE_TOKEN", token)).wait()
    };
    hub_a.kill();
    // Before it has been restored at this hub, and after.
    for _ in 0..2 {
        for page in ["s1", "cart", "Shop"] {
            let answer = by(&other, page);
            assert!(answer.code != 0 && !answer.stdout.contains("secret"), "{answer:?}");
            assert!(answer.stderr.contains("no page"), "{answer:?}");
        }
        let answer = by(&own, "s1");
        assert!(answer.stdout.contains("secret"), "{answer:?}");
    }
    // A page of another origin does not get the session with it either.
    let foreign = PageSetup { origin: Some("http://localhost:9".into()), ..setup(&b, "Evil") };
    let foreign = ScriptedPage::join(&b, &foreign.session("s1"), table);
    assert_ne!(foreign.session(), "s1");
}

#[test]
fn without_nats_nothing_hangs_and_what_is_here_is_returned() {
    let mut nats = Nats::start();
    let mut observer = observer(&nats);
    let ((a, hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = join(&a);
    publish(&first, &json!({ "n": 1 }), 1);
    is_written(&mut observer, 1);
    lists(&b, "Shop");
    hub_a.kill();
    is(&state(&b, "s1"), &json!({ "n": 1 }), 1, true);
    drop(observer);
    nats.kill();
    until(&b, &["status"], |ran| ran.stdout.contains("own pages only"));
    is(&state(&b, "s1"), &json!({ "n": 1 }), 1, true);
    assert!(read(&b, "s2").stderr.contains("no page is connected"));
    // Its page comes back meanwhile. When the server is back without its files, the state is written again.
    let second = join(&b);
    publish(&second, &json!({ "n": 2 }), 1);
    is(&state(&b, "s1"), &json!({ "n": 2 }), 2, false);
    nats.empty();
    nats.run();
    let mut observer = self::observer(&nats);
    publish(&second, &json!({ "n": 3 }), 2);
    assert_eq!(is_written(&mut observer, 3)["text"], json!(r#"{"n":3}"#));
}

/// Reads or changes the stream of states at the server; returns its configuration.
fn stream(nats: &Nats, verb: &str, config: &Value) -> Value {
    let payload = if config.is_null() { String::new() } else { config.to_string() };
    let subject = format!("$JS.API.STREAM.{verb}.KV_eye_state-default");
    let answer: Value = serde_json::from_slice(&nats.peer().ask(&subject, payload.as_bytes())).unwrap();
    assert!(answer["error"].is_null(), "{answer}");
    answer
}

#[test]
fn states_are_kept_on_file_for_an_hour_and_the_oldest_make_room() {
    let nats = Nats::start();
    let mut observer = observer(&nats);
    let ((a, hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = join(&a);
    publish(&first, &json!("x".repeat(10 << 10)), 1);
    is_written(&mut observer, 1);
    publish(&first, &json!("y".repeat(10 << 10)), 2);
    is_written(&mut observer, 2);
    let mut config = stream(&nats, "INFO", &Value::Null)["config"].clone();
    let setting = |name: &str| config[name].clone();
    assert_eq!((setting("storage"), setting("discard")), (json!("file"), json!("old")));
    assert_eq!((setting("max_age"), setting("max_bytes")), (json!(3_600_000_000_000_u64), json!(256 << 20)));
    assert_eq!((setting("max_msgs_per_subject"), setting("max_msg_size")), (json!(1), json!(128 << 10)));
    // When space is short, a new state of another page is still written, and the older one is dropped.
    config["max_bytes"] = json!(15 << 10);
    stream(&nats, "UPDATE", &config);
    let second = ScriptedPage::join(&a, &setup(&a, "Till").session("s2"), table);
    publish(&second, &json!("z".repeat(10 << 10)), 1);
    let (subject, _) = observer.receive();
    assert_eq!(subject, "$KV.eye_state-default.s2");
    // The observer may receive it before it is stored.
    let until = Instant::now() + DEADLINE;
    while stream(&nats, "INFO", &Value::Null)["state"]["messages"] != json!(1) {
        assert!(Instant::now() < until, "the older state is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
    lists(&b, "Till");
    hub_a.kill();
    is(&state(&b, "s2"), &json!("z".repeat(10 << 10)), 1, true);
    let gone = read(&b, "s1");
    assert!(gone.code != 0 && gone.stderr.contains("no page"), "{gone:?}");
}
