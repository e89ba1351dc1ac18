//! Attacks on a real hub by pages: what a page of one origin, or of a hub that is no more, gets of another's calls, sessions,
//! names and messages.
#![allow(clippy::unwrap_used, reason = "this is test code, also outside of its tests")]

mod stage;

use eye_protocol::Value;
use eye_testkit::{Held, Hub, PageSetup, Reply, ScriptedPage};
use stage::home;

#[test]
fn answers_to_calls_of_a_killed_hub_are_not_believed() {
    const CALLS: usize = 3;
    let home = home();
    let hub = Hub::start(&home);
    let setup = PageSetup::new(&home, "Late").session("late");
    let page = ScriptedPage::join(&home, &setup, |_| Reply::Hold);
    let asked: Vec<_> = (0..CALLS).map(|_| home.start(["slow()"])).collect();
    let old: Vec<Held> = (0..CALLS).map(|_| page.held()).collect();
    hub.kill();
    page.wait_closed();
    for one in asked {
        assert_ne!(one.wait().code, 0, "the hub that was asked is dead");
    }

    let _hub = Hub::start(&home);
    let page = ScriptedPage::join(&home, &setup, |_| Reply::Hold);
    let asked: Vec<_> = (0..CALLS).map(|_| home.start(["slow()"])).collect();
    let new: Vec<Held> = (0..CALLS).map(|_| page.held()).collect();
    // What it never answered the hub before, and what that hub would have asked next.
    let first: u64 = old[0].id.parse().unwrap();
    let guesses = (1..100).chain(first..first + 100).map(|id| Held { id: id.to_string(), code: String::new() });
    for replayed in guesses {
        page.answer(&replayed, &Ok(Value::Text("stolen".into())));
    }
    for held in &new {
        assert!(held.id.parse::<u64>().unwrap() < 1 << 53, "a page may read {} as a JavaScript number", held.id);
        page.answer(held, &Ok(Value::Text("right".into())));
    }
    for one in asked {
        assert_eq!(one.wait().stdout, "right\n");
    }
}
