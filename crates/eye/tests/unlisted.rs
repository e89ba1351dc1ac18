//! Hubs that list fewer pages of others than there are: an unlisted page is looked up. With the real binary and a real
//! nats-server.

use crate::stage::hubs::{ORIGIN, hub, hub_with, lists, setup, until};
use crate::stage::{answers, table};
use eye_testkit::{Home, HubProcess, Nats, Ran, ScriptedPage};
use serde_json::{Value, json};

const NOT_ALL: &str = "note: other hubs may hold more pages than this one lists; name one, and it is looked up\n";

/// A page of the session `s1`, with the alias `cart1` and the title `Shop 1`, or another number.
fn join(home: &Home, number: usize) -> ScriptedPage {
    let setup = setup(home, &format!("Shop {number}"));
    ScriptedPage::join(home, &setup.session(&format!("s{number}")).alias(&format!("cart{number}")), table)
}

/// A hub that lists two pages of others, beside one with this many.
fn beside(nats: &Nats, pages: usize) -> ((Home, HubProcess), (Home, HubProcess), Vec<ScriptedPage>) {
    let there = hub(nats, "b");
    let pages = (0..pages).map(|number| join(&there.0, number)).collect();
    let here = hub_with(nats, "a", &["--cluster-pages", "2"]);
    until(&here.0, &["pages"], |ran| ran.stderr == NOT_ALL && ran.stdout.lines().count() == 2);
    (here, there, pages)
}

fn ask(home: &Home, page: &str) -> Ran {
    home.eye(["--page", page, "document.title"])
}

#[test]
fn a_page_that_is_not_listed_is_found_by_its_id_its_alias_and_its_title() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, hub_b), _pages) = beside(&nats, 5);
    let listed = a.eye(["pages"]);
    assert_eq!((listed.stdout.lines().count(), &*listed.stderr), (2, NOT_ALL), "{listed:?}");
    // It counts the pages of a hub whose heartbeat it has received.
    let counted = "b  at least 2 pages\nother hubs may hold more pages than this one lists";
    until(&a, &["status", "--cluster"], |ran| ran.stdout.contains(counted));
    until(&a, &["doctor"], |ran| ran.stdout.contains("more pages than this one lists"));
    let unnamed = a.eye(["document.title"]);
    assert!(unnamed.stderr.contains("there are more pages than this hub lists"), "{unnamed:?}");
    let unlisted: Vec<usize> = (0..5).filter(|number| !listed.stdout.contains(&format!("cart{number}"))).collect();
    let [first, second, third] = unlisted[..] else { panic!("{unlisted:?}") };
    assert_eq!(ask(&a, &format!("s{first}")), answers(0, "Shop\n", ""));
    assert_eq!(ask(&a, &format!("cart{second}")), answers(0, "Shop\n", ""));
    assert_eq!(ask(&a, &format!("Shop {third}")), answers(0, "Shop\n", ""));
    assert_eq!(a.eye(["pages"]).stdout.lines().count(), 5, "what was found is listed");
    let nothing = ask(&a, "nowhere");
    assert!(nothing.code != 0 && nothing.stderr.contains("no page fits `nowhere`"), "{nothing:?}");
    // A name given to one of them there is valid here.
    assert_eq!(b.eye(["use", &format!("s{first}"), "--as", "till"]).code, 0);
    until(&a, &["--page", "till", "document.title"], |ran| ran.stdout == "Shop\n");
    hub_b.kill();
    until(&a, &["--page", "s0", "document.title"], |ran| ran.stderr.contains("no page is connected"));
}

#[test]
fn a_page_whose_hub_is_not_listed_takes_its_session_along() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b), mut pages) = beside(&nats, 4);
    let listed = a.eye(["pages"]).stdout;
    let number = (0..4).find(|number| !listed.contains(&format!("cart{number}"))).unwrap();
    let (id, page) = (format!("s{number}"), pages.swap_remove(number));
    for (method, params) in [
        ("state/update", json!({ "state": { "n": 1 }, "revision": 1 })),
        ("mailbox/put", json!({ "message": "hello" })),
    ] {
        page.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }
    // The page's answer comes after its messages.
    assert_eq!(ask(&b, &id), answers(0, "Shop\n", ""));
    assert_eq!(b.eye(["use", &id, "--as", "till"]).code, 0);
    let _moved = join(&a, number);
    page.wait_closed();
    let state: Value = serde_json::from_str(&a.eye(["--page", &id, "state", "--json"]).stdout).unwrap();
    assert_eq!((&state["value"], &state["revision"], &state["stale"]), (&json!({ "n": 1 }), &json!(1), &json!(true)));
    assert_eq!(a.eye(["--page", "till", "read"]), answers(0, "hello\n", ""));
    lists(&b, "at a");
    assert_eq!(ask(&b, &id), answers(0, "Shop\n", ""));
}

#[test]
fn another_origin_does_not_get_a_session_that_is_not_listed() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b), _pages) = beside(&nats, 3);
    let listed = a.eye(["pages"]).stdout;
    let number = (0..3).find(|number| !listed.contains(&format!("cart{number}"))).unwrap();
    let other = eye_testkit::PageSetup { origin: Some("http://localhost:9".into()), ..setup(&a, "Evil") };
    let evil = ScriptedPage::join(&a, &other.session(&format!("s{number}")), table);
    evil.wait_closed();
    let rows: Value = serde_json::from_str(&b.eye(["pages", "--json"]).stdout).unwrap();
    let row = rows.as_array().unwrap().iter().find(|row| row["id"] == format!("s{number}")).unwrap();
    assert_eq!((&row["origin"], &row["state"]), (&json!(ORIGIN), &json!("connected")));
}

#[test]
fn without_nats_it_is_not_known_whether_there_is_a_page() {
    let mut nats = Nats::start();
    let ((a, _hub_a), _there, _pages) = beside(&nats, 3);
    nats.kill();
    let unknown = until(&a, &["--page", "elsewhere", "document.title"], |ran| !ran.stderr.contains("no page fits"));
    assert!(unknown.stderr.contains("it is not known whether another hub holds `elsewhere`"), "{unknown:?}");
    nats.run();
    until(&a, &["--page", "elsewhere", "document.title"], |ran| ran.stderr.contains("no page fits `elsewhere`"));
    for number in 0..3 {
        until(&a, &["--page", &format!("s{number}"), "document.title"], |ran| ran.stdout == "Shop\n");
    }
}
