//! Several hubs as one service, with the real binary and a real nats-server.

use crate::stage;
use crate::stage::hubs::{hub, lists, setup, until};
use crate::stage::{answers, table};
use eye_cluster::packet::{Body, Packet};
use eye_cluster::parts::PARTS_LEN_MAX;
use eye_cluster::wire::{Ask, Beat, Frame, Request, WireCaller, WireScope};
use eye_protocol::SessionId;
use eye_testkit::{DEADLINE, Home, HubProcess, Nats, PageSetup, Reply, ScriptedPage, ToolReply};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The hub's metrics.
fn metrics(home: &Home, token: &str) -> String {
    let mut tcp = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    let head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close";
    write!(tcp, "{head}\r\nAuthorization: Bearer {token}\r\n\r\n").unwrap();
    let mut text = String::new();
    tcp.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_page_of_one_hub_is_asked_through_another() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let _page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), table);
    let listed = lists(&a, "shop");
    assert!(listed.stdout.contains("at b"), "{listed:?}");
    assert_eq!(a.eye(["--page", "shop", "document.title"]), answers(0, "Shop\n", ""));
    // The page used last stays chosen, and types are preserved.
    assert_eq!(a.eye(["({a:1})"]), answers(0, "{\"a\":1}\n", ""));
    assert_eq!(a.eye(["undefined"]), b.eye(["undefined"]));
    // Larger than one message between hubs.
    assert_eq!(a.eye(["large"]).stdout.len(), (5 << 20) + 1);
    // The result is kept by the hub that was used, after the agent has disconnected.
    let kept = a.eye(["async", "document.title"]);
    assert_eq!(kept.code, 0, "{kept:?}");
    let collected = a.eye(["collect", kept.stdout.trim(), "--timeout", "10000"]);
    assert!(collected.stdout.contains("Shop"), "{collected:?}");
    assert!(b.eye(["pages"]).stdout.lines().all(|line| !line.contains("at ")), "a hub's own pages have no hub");
}

#[test]
fn a_hub_that_has_just_started_knows_the_pages_of_the_others_or_waits_until_it_does() {
    let nats = Nats::start();
    let (b, _hub_b) = hub(&nats, "b");
    let _page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), table);
    // The page is in the directory when another hub lists it.
    let (c, _hub_c) = hub(&nats, "c");
    lists(&c, "shop");
    for page in [Some("shop"), Some("http://localhost:5173"), None] {
        let (a, _hub_a) = hub(&nats, "a");
        let page = page.map(|page| ["--page", page]);
        let args = page.iter().flatten().copied().chain(["document.title"]);
        assert_eq!(a.eye(args), answers(0, "Shop\n", ""), "{page:?}");
    }
}

#[test]
fn status_and_metrics_name_the_hubs_of_the_cluster() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let _page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), table);
    let listed = "cluster default, linked\na  0 pages, this hub\nb  1 page\n";
    until(&a, &["status", "--cluster"], |ran| *ran == answers(0, listed, ""));
    let json: Value = serde_json::from_str(&a.eye(["status", "--cluster", "--json"]).stdout).unwrap();
    assert_eq!(json["others"], json!([{ "name": "b", "pages": 1 }]));
    let token = a.eye(["token", "show"]).stdout.trim().to_owned();
    assert!(metrics(&a, &token).contains("eye_cluster_pages{hub=\"b\"} 1\n"));
    let alone = stage::home();
    let _hub = HubProcess::start(&alone);
    let refused = alone.eye(["status", "--cluster"]);
    assert!(refused.code == 2 && refused.stderr.contains("this hub is alone"), "{refused:?}");
}

#[test]
fn tools_of_a_page_elsewhere_are_listed_called_and_checked() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let schema = json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]});
    let tool = json!({"name": "double", "description": "Doubles.", "inputSchema": schema});
    let double = |_: &str, arguments: &Value| ToolReply::Result(json!(arguments["n"].as_i64().unwrap_or(0) * 2));
    let _page = ScriptedPage::offering(&b, &setup(&b, "Sums").alias("sums"), &[tool], double);
    lists(&a, "sums");
    let tools = a.eye(["--page", "sums", "tools"]);
    assert!(tools.stdout.contains("double"), "{tools:?}");
    assert_eq!(a.eye(["--page", "sums", "call", "double", "{\"n\":4}"]), b.eye(["call", "double", "{\"n\":4}"]));
    let refused = a.eye(["--page", "sums", "call", "double", "{}"]);
    assert!(refused.code != 0 && refused.stderr.contains('n'), "{refused:?}");
}

#[test]
fn a_killed_hub_ends_its_calls_once_and_its_pages_are_listed_no_more() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), |_| Reply::Hold);
    lists(&a, "shop");
    let call = a.start(["--page", "shop", "forever"]);
    page.held();
    let killed = Instant::now();
    hub_b.kill();
    let ended = call.wait();
    assert!(ended.code != 0 && ended.stderr.contains("may have run"), "{ended:?}");
    assert!(killed.elapsed() < Duration::from_secs(20), "it waited for its timeout: {:?}", killed.elapsed());
    until(&a, &["pages"], |ran| !ran.stdout.contains("shop"));
}

#[test]
fn without_nats_each_hub_serves_its_own_pages_and_heals() {
    let mut nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let held = ScriptedPage::join(&b, &setup(&b, "Slow").alias("slow"), |_| Reply::Hold);
    let _page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), table);
    lists(&a, "slow");
    lists(&a, "shop");
    let call = a.start(["--page", "slow", "forever"]);
    held.held();
    nats.kill();
    let ended = call.wait();
    assert!(ended.stderr.contains("may have run"), "{ended:?}");
    assert_eq!(b.eye(["--page", "shop", "document.title"]), answers(0, "Shop\n", ""));
    let alone =
        until(&a, &["status"], |ran| ran.stdout.contains("own pages only") || ran.stderr.contains("own pages only"));
    assert_eq!(alone.code, 0, "{alone:?}");
    let refused = a.eye(["--page", "shop", "document.title"]);
    assert!(refused.stderr.contains("did not run"), "{refused:?}");
    // A server that comes back without its files knows no page; the hubs publish theirs again.
    nats.empty();
    nats.run();
    until(&a, &["--page", "shop", "document.title"], |ran| *ran == answers(0, "Shop\n", ""));
}

#[test]
fn a_page_that_comes_back_through_another_hub_takes_its_session_along() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let first = ScriptedPage::join(&b, &setup(&b, "Old").session("s1"), |_| Reply::text("old"));
    lists(&a, "Old");
    let _second = ScriptedPage::join(&a, &setup(&a, "New").session("s1"), |_| Reply::text("new"));
    first.wait_closed();
    let listed = lists(&b, "New");
    assert!(listed.stdout.contains("at a"), "{listed:?}");
    assert_eq!(b.eye(["--page", "s1", "who"]), answers(0, "new\n", ""));
    assert_eq!(a.eye(["--page", "s1", "who"]), answers(0, "new\n", ""));
    // A page of another origin does not get the session.
    let foreign = PageSetup { origin: Some("http://localhost:9".into()), ..setup(&b, "Evil").session("s1") };
    let foreign = ScriptedPage::join(&b, &foreign, |_| Reply::text("evil"));
    assert_ne!(foreign.session(), "s1");
    assert_eq!(b.eye(["--page", "s1", "who"]), answers(0, "new\n", ""));
}

#[test]
fn a_page_that_came_before_the_directory_was_read_keeps_its_session() {
    let mut nats = Nats::start();
    let ((a, hub_a), (b, hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let old = ScriptedPage::join(&b, &setup(&b, "Old").session("s1"), |_| Reply::text("old"));
    lists(&a, "Old");
    // All processes are killed; the directory still says that b holds the session.
    nats.kill();
    hub_a.kill();
    hub_b.kill();
    drop(old);
    let _hub_a = HubProcess::start_with(&a, &["--cluster", &nats.url(), "--hub-name", "a"]);
    let page = ScriptedPage::join(&a, &setup(&a, "New").session("s1"), |_| Reply::text("new"));
    assert_eq!(page.session(), "s1");
    nats.run();
    let (c, _hub_c) = hub(&nats, "c");
    until(&c, &["--page", "s1", "who"], |ran| *ran == answers(0, "new\n", ""));
    assert_eq!(a.eye(["--page", "s1", "who"]), answers(0, "new\n", ""));
}

#[test]
fn messages_that_never_become_whole_are_bounded_and_hold_nobody_up() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let _page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), table);
    lists(&a, "shop");
    let mut stranger = nats.peer();
    stranger.subscribe("eye.default.b");
    stranger.subscribe("eye.default.h.stranger");
    let life = loop {
        let beat: Beat = serde_json::from_slice(&stranger.receive().1).unwrap();
        if beat.hub == "a" {
            break beat.life;
        }
    };
    let subject = format!("eye.default.h.{life}");
    let mut send = |from: String, body: Body<'_>| {
        stranger.publish(&subject, &rmp_serde::to_vec_named(&Packet { from: from.into(), body }).unwrap());
    };
    for number in 0..PARTS_LEN_MAX + 44 {
        send(format!("h{number}"), Body::Part { id: 1, at: 0, last: false, bytes: vec![0; 64].into() });
    }
    // The answer was read after all of that.
    let caller = WireCaller { name: "s".into(), scope: WireScope::All, frame: None };
    let session = SessionId::parse("nowhere").unwrap();
    let request = Request { call: 1, agent: 1, caller, session, lifetime_ms: 60_000, ask: Ask::Info };
    send("stranger".into(), Body::Frames(vec![Frame::Request(Arc::new(request))]));
    while stranger.receive().0 != "eye.default.h.stranger" {}
    let waiting = format!("eye_cluster_parts {PARTS_LEN_MAX}\n");
    let token = a.eye(["token", "show"]).stdout.trim().to_owned();
    let end = Instant::now() + DEADLINE;
    while !metrics(&a, &token).contains(&waiting) {
        assert!(Instant::now() < end, "still {}", metrics(&a, &token));
    }
    assert_eq!(a.eye(["--page", "shop", "large"]).stdout.len(), (5 << 20) + 1);
}
