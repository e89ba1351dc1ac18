//! A driven tab besides its document: device, cookies, login, requests, downloads, end. The real binary, the real hub
//! and a real Chromium.

use crate::stage::browser::{hub, ok};
use crate::stage::site::{Page, Site};
use eye_testkit::Chromium;
use std::os::unix::fs::PermissionsExt;

const TAB: &str = r#"<!doctype html><title>Tab</title><link rel="icon" href="data:,">
<button id="go">Go</button><a id="file" href="/file">File</a><button id="ask">Ask</button>
<script>
  const asked = { method: "POST", body: "question", headers: { "X-Api-Key": "k1" } };
  ask.addEventListener("click", () => fetch("/data", asked));
</script>"#;

/// A local site with a page, an answer that logs in, and a file to download.
fn site() -> String {
    Site::open(answer).url()
}

fn answer(path: &str, _: &str) -> Page {
    let (headers, body): (&[&str], &str) = match path {
        "/data" => (&["content-type: application/json", "set-cookie: id=s3cret; HttpOnly"], r#"{"answer":42}"#),
        "/file" => {
            (&["content-type: text/plain", "content-disposition: attachment; filename=report.txt"], "the report")
        }
        _ => return Page::html(&[], TAB),
    };
    let headers = headers.iter().map(|header| (*header).to_owned()).collect();
    Page { status: "200 OK", headers, body: body.to_owned() }
}

/// Repeats a command until its output contains the text.
fn until(home: &eye_testkit::Home, words: &[&str], wanted: &str) -> String {
    let ends = std::time::Instant::now() + eye_testkit::DEADLINE;
    loop {
        let output = ok(home.eye(words.iter().copied()));
        if output.contains(wanted) {
            return output;
        }
        assert!(std::time::Instant::now() < ends, "{words:?}: {output}");
    }
}

#[test]
fn a_tab_has_another_device_cookies_and_an_end() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    let output = ok(home.eye(["emulate", "--viewport", "390x844", "--dark", "--touch"]));
    assert_eq!(output, "viewport 390x844, dark, touch\n");
    assert_eq!(ok(home.eye(["[innerWidth, innerHeight].join()"])), "390,844\n");
    assert_eq!(ok(home.eye(["matchMedia('(prefers-color-scheme: dark)').matches"])), "true\n");
    ok(home.eye(["taps = []; addEventListener('touchstart', (event) => taps.push(event.isTrusted)); 0"]));
    ok(home.eye(["click", "#go"]));
    assert_eq!(ok(home.eye(["taps.join()"])), "true\n");
    assert_eq!(ok(home.eye(["document.activeElement.id"])), "go\n");
    ok(home.eye(["emulate", "--reset"]));
    assert_ne!(ok(home.eye(["innerWidth"])), "390\n");
    assert_eq!(home.eye(["emulate"]).code, 1);
    let wrong = home.eye(["emulate", "--viewport", "390"]);
    assert!(wrong.code != 0 && wrong.stderr.contains("390x844"), "{wrong:?}");

    assert_eq!(ok(home.eye(["cookies", "get"])), "no cookies\n");
    ok(home.eye(["cookies", "set", "theme", "dark"]));
    ok(home.eye(["cookies", "set", "lang", "en"]));
    assert_eq!(ok(home.eye(["document.cookie.split('; ').sort().join()"])), "lang=en,theme=dark\n");
    assert_eq!(ok(home.eye(["cookies", "get", "theme"])), "theme=dark 127.0.0.1/\n");
    assert_eq!(ok(home.eye(["cookies", "clear", "theme"])), "removed 1\n");
    assert_eq!(ok(home.eye(["document.cookie"])), "lang=en\n");
    assert_ne!(home.eye(["cookies", "set", "theme"]).code, 0);

    assert_eq!(ok(home.eye(["close"])), "closed\n");
    let ends = std::time::Instant::now() + eye_testkit::DEADLINE;
    while !ok(home.eye(["browse", "--list"])).contains(" 0 pages") {
        assert!(std::time::Instant::now() < ends, "{}", home.eye(["browse", "--list"]).stdout);
    }
}

#[test]
fn an_endless_script_is_ended_and_the_page_goes_on() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    assert_eq!(ok(home.eye(["stop-script"])), "no script is running\n");
    ok(home.eye(["setTimeout(() => { for (;;); }, 0); 0"]));
    assert_eq!(ok(home.eye(["stop-script"])), "stopped the script that ran\n");
    assert_eq!(ok(home.eye(["document.title"])), "Tab\n");
}

#[test]
fn requests_are_listed_since_last_asked_and_logins_are_hidden() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    let begins = ok(home.eye(["net"]));
    assert!(begins.starts_with("requests are recorded from now on"), "{begins}");
    assert_eq!(ok(home.eye(["net"])), "nothing new\n");
    ok(home.eye(["click", "#ask"]));
    let row = until(&home, &["net", "--all"], "ms ");
    assert!(row.starts_with("n1 POST 200 fetch ") && row.trim_end().ends_with("/data"), "{row}");
    let one = ok(home.eye(["net", "n1"]));
    assert!(one.contains("\nsent:\nquestion\n") && one.contains("\nanswer:\n{\"answer\":42}\n"), "{one}");
    assert!(one.contains("< content-type: application/json") && one.contains("> x-api-key: (hidden"), "{one}");
    assert!(!one.contains("s3cret") && !one.contains("k1"), "{one}");
    let all = until(&home, &["net", "n1", "--secrets"], "set-cookie: id=s3cret");
    assert!(all.contains("x-api-key: k1"), "{all}");
    ok(home.eye(["reload"]));
    assert!(until(&home, &["net", "--all"], " document ").contains("n2 GET 200 document "));
    let missing = home.eye(["net", "n99"]);
    assert!(missing.code != 0 && missing.stderr.contains("eye net --all"), "{missing:?}");
    assert_eq!(ok(home.eye(["net", "--off"])), "requests are not recorded any more\n");
    assert!(ok(home.eye(["net"])).starts_with("requests are recorded from now on"));
}

#[test]
fn a_login_is_carried_to_another_browser_in_a_file_of_ones_own() {
    let Some((home, _hub)) = hub() else { return };
    let url = site();
    ok(home.eye(["browse", &url, "--headless", "--private"]));
    ok(home.eye([
        "await fetch('/data', { method: 'POST' }); localStorage.setItem('who', 'Ada'); document.cookie = 'a=1'; 0",
    ]));
    let file = home.path("login.json");
    let name = file.display().to_string();
    ok(home.eye(["storage", "save", &name]));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&file).unwrap().contains("s3cret"));

    ok(home.eye(["browse", "--stop"]));
    ok(home.eye(["browse", &url, "--headless", "--private"]));
    assert_eq!(ok(home.eye(["localStorage.length + document.cookie"])), "0\n");
    let loaded = ok(home.eye(["storage", "load", &name]));
    assert!(loaded.starts_with("2 cookies, 1 items of local storage"), "{loaded}");
    assert_eq!(ok(home.eye(["localStorage.who + document.cookie"])), "Adaa=1\n");
    assert!(ok(home.eye(["cookies", "get", "id"])).starts_with("id=s3cret 127.0.0.1/ HttpOnly"));
    std::fs::write(&file, "no login").unwrap();
    let wrong = home.eye(["storage", "load", &name]);
    assert!(wrong.code != 0 && wrong.stderr.contains("holds no login"), "{wrong:?}");
}

#[test]
fn a_download_is_listed_with_its_file() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    assert_eq!(ok(home.eye(["downloads"])), "no downloads\n");
    ok(home.eye(["click", "#file"]));
    let row = until(&home, &["downloads"], "10 bytes");
    let path = row.trim_end().strip_prefix("report.txt 10 bytes ").unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "the report");
    assert_eq!(ok(home.eye(["document.title"])), "Tab\n");
}

#[test]
fn the_tabs_of_a_browser_that_runs_are_pages_and_stay_when_eye_leaves() {
    let Some((home, _hub)) = hub() else { return };
    let none = home.eye(["browse", "--attach", "auto"]);
    assert!(none.code != 0 && none.stderr.contains("chrome://inspect"), "{none:?}");
    let url = site();
    let mut browser = Chromium::open(&home.path(".config/chromium"), &url);
    until(&home, &["browse", "--attach", "auto"], &format!("Tab {url}/"));
    assert_eq!(ok(home.eye(["document.title"])), "Tab\n");
    ok(home.eye(["marked = 1; 0"]));
    ok(home.eye(["click", "#go"]));
    assert!(ok(home.eye(["browse", "--list"])).starts_with("auto "));
    // The permissions of pages there are the user's business.
    let granted = home.eye(["emulate", "--grant", "geolocation"]);
    assert!(granted.code != 0 && granted.stderr.contains("is a person's"), "{granted:?}");
    ok(home.eye(["emulate", "--reset"]));
    assert_eq!(ok(home.eye(["(await navigator.permissions.query({ name: 'geolocation' })).state"])), "prompt\n");

    assert_eq!(ok(home.eye(["browse", "--stop"])), "stopped 1\n");
    assert!(browser.runs(), "it was not eye's to end");
    let again = ok(home.eye(["browse", "--attach", "auto"]));
    assert!(again.contains("Tab"), "{again}");
    let id = again.split(' ').next().unwrap_or_default();
    assert_eq!(ok(home.eye(["--page", id, "marked"])), "1\n");
    let opened = ok(home.eye(["browse", &format!("{url}/other"), "--attach", "auto"]));
    assert!(opened.contains("/other"), "{opened}");
}
