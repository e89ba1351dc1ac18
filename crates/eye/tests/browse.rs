//! `eye browse`: the real binary, the real hub and a real Chromium, against pages that no script of ours could be added to.

mod stage;

use eye_testkit::{Home, Hub, Ran};
use stage::home;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

/// Forbids every script, connection, style and `eval`, and text that becomes code.
const STRICT: &str = "default-src 'none'; script-src 'nonce-a'; require-trusted-types-for 'script'";

const SHOP: &str = r#"<!doctype html><title>Shop</title><h1>Shop</h1><input id="who"><button id="go">Go</button>
<a id="next" href="/next">Next</a><a id="new" target="_blank" href="/next">New tab</a><p id="out"></p>
<script nonce="a">
for (const [id, kind] of [["go", "click"], ["who", "input"], ["who", "keydown"]])
  document.getElementById(id).addEventListener(kind, (event) => {
    document.getElementById("out").textContent += ` ${kind}:${event.isTrusted}`;
  });
</script>"#;
const NEXT: &str = "<!doctype html><title>Next</title><h1>Arrived</h1>";

/// Serves the two pages on a port of its own, until the test ends.
fn site() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    url
}

fn answer(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().expect("a socket")).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    while lines.next().is_some_and(|line| !line.is_empty()) {}
    let body = if first.contains(" /next") { NEXT } else { SHOP };
    let head =
        format!("content-type: text/html\r\ncontent-security-policy: {STRICT}\r\ncontent-length: {}", body.len());
    let _ = write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\nconnection: close\r\n\r\n{body}");
}

/// A hub that may start a browser. `None` where none is installed, which is said.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn hub() -> Option<(Home, Hub)> {
    let named = std::env::var("EYE_CHROMIUM").unwrap_or_else(|_| "chromium".into());
    if !Command::new(&named).arg("--version").output().is_ok_and(|ran| ran.status.success()) {
        eprintln!("skipped: no Chromium is installed; name one in EYE_CHROMIUM");
        return None;
    }
    let home = home();
    let hub = Hub::start(&home);
    Some((home, hub))
}

fn ok(ran: Ran) -> String {
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout
}

#[test]
fn every_verb_works_on_a_page_whose_policy_forbids_everything() {
    let Some((home, _hub)) = hub() else { return };
    let url = site();
    let opened = ok(home.eye(["browse", &url, "--headless", "--private"]));
    assert_eq!(opened, format!("Shop {url}/\n"));
    assert_eq!(ok(home.eye(["document.title"])), "Shop\n");
    assert_eq!(ok(home.eye(["await new Promise(r => setTimeout(r, 5)); 6 * 7"])), "42\n");
    let look = ok(home.eye(["look"]));
    assert!(look.contains("[Go]") && look.contains("# Shop"), "{look}");
    ok(home.eye(["click", "#go"]));
    ok(home.eye(["fill", "#who", "Ada"]));
    ok(home.eye(["type", "#who", "x"]));
    assert_eq!(ok(home.eye(["who.value"])), "Adax\n");
    let trusted = ok(home.eye(["out.textContent"]));
    assert!(trusted.contains("click:true") && trusted.contains("input:true") && trusted.contains("keydown:true"));
    assert!(!trusted.contains("false"), "{trusted}");
    assert_eq!(ok(home.eye(["wait", "document.title === 'Shop'"])), "true\n");
    let arrived = ok(home.eye(["click", "#next"]));
    assert!(arrived.contains("Next"), "{arrived}");
    assert_eq!(ok(home.eye(["document.title"])), "Next\n");
    let pages = ok(home.eye(["pages"]));
    assert_eq!(pages.lines().count(), 1, "{pages}");
}

#[test]
fn a_picture_is_a_file_with_its_size_and_price() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    let file = home.path("shot.png");
    let said = ok(home.eye(["shot", "--max", "640", "-o", &file.display().to_string()]));
    let bytes = std::fs::read(&file).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"), "{said}");
    let width = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
    assert_eq!(width, 640, "{said}");
    assert!(said.contains(" 640x") && said.contains("tokens"), "{said}");
    let part = ok(home.eye(["shot", "#go", "-o", &file.display().to_string()]));
    let bytes = std::fs::read(&file).unwrap();
    assert!(u32::from_be_bytes(bytes[16..20].try_into().unwrap()) < 200, "{part}");
    let missing = home.eye(["shot", "#missing", "-o", &file.display().to_string()]);
    assert!(missing.code != 0 && missing.stderr.contains("#missing"), "{missing:?}");
}

#[test]
fn a_dialog_is_told_to_who_waits_and_to_the_next_until_it_is_answered() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    let asked = home.eye(["confirm('Sure?')"]);
    assert!(asked.code != 0 && asked.stderr.contains("Sure?"), "{asked:?}");
    let next = home.eye(["look"]);
    assert!(next.code != 0 && next.stderr.contains("eye dialog --accept"), "{next:?}");
    assert_eq!(ok(home.eye(["dialog"])), "confirm: Sure?\n");
    assert_eq!(ok(home.eye(["dialog", "--accept"])), "confirm: Sure? (accepted)\n");
    assert_eq!(ok(home.eye(["document.title"])), "Shop\n");
}

#[test]
fn a_tab_that_a_click_opens_joins_by_itself() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    ok(home.eye(["click", "#new"]));
    // A page is found by its title once it is there; a call waits for neither.
    let ends = std::time::Instant::now() + eye_testkit::DEADLINE;
    while home.eye(["-p", "Next", "document.title"]).stdout != "Next\n" {
        assert!(std::time::Instant::now() < ends, "{}", home.eye(["pages"]).stdout);
    }
}

#[test]
fn browsers_are_listed_and_stopped_and_what_cannot_be_loaded_is_said() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--profile", "work"]));
    let list = ok(home.eye(["browse", "--list"]));
    assert!(list.starts_with("work ") && list.contains("1 pages"), "{list}");
    let failed = home.eye(["browse", "http://127.0.0.1:1/", "--headless", "--profile", "work"]);
    assert!(failed.code != 0 && failed.stderr.contains("ERR_"), "{failed:?}");
    assert_eq!(ok(home.eye(["browse", "--stop"])), "stopped 1\n");
    assert_eq!(ok(home.eye(["browse", "--list"])), "");
}
