//! Calls to a driven tab that is navigating: they wait for the new document, but no longer once the browser reports
//! that none comes. The real binary, the real hub and a real Chromium.

use crate::stage::browser::{hub, ok};
use crate::stage::site::{Page, Site};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

const START: &str = r#"<!doctype html><title>Start</title><link rel="icon" href="data:,">
<a href="/empty">Empty</a> <a href="/file">File</a> <a href="/slow">Slow</a>"#;

static SLOW: OnceLock<Slow> = OnceLock::new();

/// The site's notice of a request for `/slow`, and the signal to answer it.
struct Slow {
    sender: Sender<()>,
    answer: Mutex<Receiver<()>>,
}

fn answer(path: &str, _: &str) -> Page {
    let page = |status, headers: &[&str], body: &str| Page {
        status,
        headers: headers.iter().map(|header| (*header).to_owned()).collect(),
        body: body.to_owned(),
    };
    match path {
        "/empty" => page("204 No Content", &[], ""),
        "/file" => page("200 OK", &["content-disposition: attachment; filename=report.txt"], "the report"),
        "/slow" => {
            let slow = SLOW.get().expect("the test has begun");
            slow.sender.send(()).expect("the test waits");
            let _ = slow.answer.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(eye_testkit::DEADLINE);
            Page::html(&[], "<!doctype html><title>Slow</title><h1>Here at last</h1>")
        }
        _ => Page::html(&[], START),
    }
}

#[test]
fn calls_wait_for_where_a_driven_tab_goes_and_no_longer_when_nothing_comes() {
    let Some((home, _hub)) = hub() else { return };
    let (sender, is_asked) = channel();
    let (release, released) = channel();
    assert!(SLOW.set(Slow { sender, answer: Mutex::new(released) }).is_ok(), "one test uses it");
    let site = Site::open(answer).url();
    ok(home.eye(["browse", &site, "--headless", "--private"]));

    for (link, path) in [("text=Empty", "/empty"), ("text=File", "/file")] {
        let clicked = ok(home.eye(["click", link]));
        assert!(clicked.contains(&format!("leaving for {site}{path}")), "{clicked}");
        // The wait would last until the call's own timeout, and end with an error.
        assert_eq!(ok(home.eye(["document.title", "--timeout", "50"])), "Start\n");
        assert!(!ok(home.eye(["look"])).contains("leaving for"), "nothing comes any more");
    }

    ok(home.eye(["fire", "setTimeout(() => document.links[2].click())"]));
    is_asked.recv_timeout(eye_testkit::DEADLINE).expect("the browser asks for the slow page");
    std::thread::scope(|scope| {
        let look = scope.spawn(|| ok(home.eye(["look", "--timeout", "55"])));
        let late = home.eye(["document.title", "--timeout", "0.5"]);
        assert!(late.stderr.contains("/slow`, which has not answered yet"), "{late:?}");
        release.send(()).expect("the site waits");
        let look = look.join().expect("the look ends");
        assert!(look.contains("Here at last"), "{look}");
    });
}
