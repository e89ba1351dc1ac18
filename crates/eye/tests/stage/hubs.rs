//! Hubs of one cluster, for tests of several.

use super::home;
use eye_testkit::{DEADLINE, Home, HubProcess, Nats, PageSetup, Ran};
use std::time::Instant;

/// The origin of pages in these tests: pages of one origin join any hub.
pub const ORIGIN: &str = "http://localhost:5173";

/// A home with a hub in it that belongs to the cluster.
pub fn hub(nats: &Nats, name: &str) -> (Home, HubProcess) {
    hub_with(nats, name, &[])
}

/// The same with more flags.
pub fn hub_with(nats: &Nats, name: &str, more: &[&str]) -> (Home, HubProcess) {
    let home = home();
    let hub = HubProcess::start_with(&home, &[&["--cluster", &nats.url(), "--hub-name", name], more].concat());
    (home, hub)
}

/// Repeats a command until its output is as wanted. Each round is a process, so no pause is needed.
pub fn until(home: &Home, args: &[&str], is_it: impl Fn(&Ran) -> bool) -> Ran {
    let end = Instant::now() + DEADLINE;
    loop {
        let ran = home.eye(args);
        if is_it(&ran) {
            return ran;
        }
        assert!(Instant::now() < end, "still {ran:?}");
    }
}

/// Waits until a hub lists a page.
pub fn lists(home: &Home, text: &str) -> Ran {
    until(home, &["pages"], |ran| ran.stdout.contains(text))
}

/// A page of [`ORIGIN`].
pub fn setup(home: &Home, title: &str) -> PageSetup {
    PageSetup { origin: Some(ORIGIN.into()), ..PageSetup::new(home, title) }
}
