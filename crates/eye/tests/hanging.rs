//! Hubs and a nats-server that hang, as on a swapping machine: nothing closes, so only silence shows it. With the real
//! binary and a real nats-server.

use crate::stage::hubs::{hub, lists, setup, until};
use crate::stage::{answers, signal};
use eye_testkit::{DEADLINE, Nats, Reply, ScriptedPage};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::thread;

fn script(code: &str) -> Reply {
    if code == "forever" { Reply::Hold } else { Reply::text(code) }
}

#[test]
fn a_hub_that_hangs_is_given_up_and_its_pages_are_there_again_when_it_goes_on() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), script);
    lists(&a, "shop");
    let call = a.start(["--page", "shop", "forever"]);
    page.held();
    signal(hub_b.pid(), "STOP");
    let ended = call.wait();
    assert!(ended.code != 0 && ended.stderr.contains("may have run"), "{ended:?}");
    until(&a, &["pages"], |ran| !ran.stdout.contains("shop"));
    signal(hub_b.pid(), "CONT");
    until(&a, &["--page", "shop", "afterwards"], |ran| *ran == answers(0, "afterwards\n", ""));
    // Calls from before the hang are not answered any more.
    assert!(!page.cancelled().is_empty());
}

#[test]
fn hubs_whose_server_hangs_serve_their_own_pages_and_are_one_service_again_afterwards() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), script);
    lists(&a, "shop");
    let call = a.start(["--page", "shop", "forever"]);
    page.held();
    signal(nats.pid(), "STOP");
    let ended = call.wait();
    assert!(ended.code != 0 && ended.stderr.contains("may have run"), "{ended:?}");
    assert_eq!(b.eye(["--page", "shop", "own"]), answers(0, "own\n", ""));
    signal(nats.pid(), "CONT");
    until(&a, &["--page", "shop", "afterwards"], |ran| *ran == answers(0, "afterwards\n", ""));
}

#[test]
fn a_server_that_hangs_is_noticed_although_more_waits_to_be_sent_than_the_link_takes() {
    const CALLS: usize = 4_500;
    const CODE_BYTES: usize = 12 << 10;
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let _page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), script);
    lists(&a, "shop");
    let agent = UnixStream::connect(a.socket()).unwrap();
    agent.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut sending = agent.try_clone().unwrap();
    signal(nats.pid(), "STOP");
    let sent = thread::spawn(move || {
        let hello = r#"{"jsonrpc":"2.0","method":"hello","params":{"clientType":"agent","target":"shop"}}"#;
        let code = "x".repeat(CODE_BYTES);
        writeln!(sending, "{hello}").unwrap();
        (0..CALLS).for_each(|id| writeln!(sending, "{id}:{code}").unwrap());
    });
    let mut endings = BufReader::new(&agent).lines();
    for _ in 0..CALLS {
        let ending = endings.next().unwrap().unwrap();
        assert!(ending.contains("the link to the other hubs"), "{ending}");
    }
    sent.join().unwrap();
    signal(nats.pid(), "CONT");
    until(&a, &["--page", "shop", "afterwards"], |ran| *ran == answers(0, "afterwards\n", ""));
}
