//! `eye doctor URL`: real pages on loopback with every header that can prevent joining, and the suggested change.

use crate::stage::between;
use crate::stage::home;
use crate::stage::site::{Page, Site};
use eye_testkit::{Home, HubProcess, Ran, Running};
use serde_json::Value;

const STRICT: &str = "content-security-policy: default-src 'self'";

fn pages(path: &str, head: &str) -> Page {
    match path {
        "/plain" => Page::html(&[], "<title>plain</title>"),
        "/strict" => Page::html(&[STRICT, "x-frame-options: DENY"], ""),
        "/two" => {
            Page::html(&["content-security-policy: default-src *", "content-security-policy: connect-src 'self'"], "")
        }
        "/meta" => Page::html(&[], "<meta http-equiv=content-security-policy content=\"script-src 'self'\">"),
        "/report" => Page::html(&["content-security-policy-report-only: default-src 'self'"], ""),
        "/nonce" => Page::html(&["content-security-policy: script-src 'nonce-abc' 'strict-dynamic'"], ""),
        "/trusted" => {
            Page::html(&["content-security-policy: require-trusted-types-for 'script'; trusted-types app"], "")
        }
        "/sandbox" => Page::html(&["content-security-policy: sandbox allow-scripts"], ""),
        "/isolated" => {
            Page::html(&["cross-origin-embedder-policy: require-corp", "cross-origin-opener-policy: same-origin"], "")
        }
        "/json" => Page { status: "200 OK", headers: vec!["content-type: application/json".into()], body: "{}".into() },
        "/login" => {
            Page { status: "401 Unauthorized", headers: vec!["content-type: text/html".into()], body: String::new() }
        }
        "/moved" => Page::to("/moved-again"),
        "/moved-again" => Page::to("/strict"),
        "/round" => Page::to("/round"),
        "/astray" => Page::to("mailto:a@b.test"),
        "/tag" => Page::html(&[STRICT], "<script src=\"/__eye/eye.js\"></script>"),
        "/far" => Page::html(&[], "<script src=\"http://localhost:1/eye.js\"></script>"),
        "/browser" => {
            let like_one = head.contains("Mozilla/5.0") && head.contains("sec-fetch-mode: navigate");
            Page::html(&[if like_one { "x-frame-options: DENY" } else { STRICT }], "")
        }
        // The answer of a proxy to the hub, as the hub would give it.
        "/__eye/why" => Page {
            status: "200 OK",
            headers: vec!["content-type: application/json".into()],
            body: r#"{"allowed":true,"reason":"pages of this origin may join","hint":""}"#.into(),
        },
        _ => Page { status: "404 Not Found", headers: vec!["content-type: text/html".into()], body: String::new() },
    }
}

fn examine(home: &Home, url: &str) -> (i32, Value) {
    let ran = home.eye(["doctor", url, "--json"]);
    let report = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    (ran.code, report)
}

fn finding<'a>(report: &'a Value, what: &str) -> &'a Value {
    let all = report["findings"].as_array().unwrap();
    all.iter().find(|finding| finding["what"] == what).unwrap_or_else(|| panic!("no {what} in {report}"))
}

fn headline(ran: &Ran) -> String {
    ran.stdout.split("\n\n").next().unwrap().to_owned()
}

#[test]
fn a_page_with_nothing_in_the_way_gets_its_tag() {
    let home = home();
    let site = Site::open(pages);
    // A bare address of this machine gets http.
    let ran = home.eye(["doctor", &format!("localhost:{}/plain", site.port)]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let want = format!(
        "✓ http://localhost:{}/plain can join with <script src=\"http://localhost:{}/eye.js\"></script>",
        site.port,
        home.port()
    );
    assert_eq!(headline(&ran), want);
    assert!(ran.stdout.contains("✓ hub: none runs; the first command starts one"), "{}", ran.stdout);
    let _hub = HubProcess::start(&home);
    let ran = home.eye(["doctor", &format!("localhost:{}/plain", site.port)]);
    assert_eq!((ran.code, headline(&ran)), (0, want));
    assert!(!ran.stdout.contains("none runs"), "{}", ran.stdout);
}

#[test]
fn the_one_change_to_a_policy_comes_first_and_once() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let site = Site::open(pages);
    let hub = format!("localhost:{}", home.port());
    let ran = home.eye(["doctor", &format!("http://localhost:{}/moved", site.port)]);
    assert_eq!(ran.code, 3);
    let line = format!(
        "Content-Security-Policy: default-src 'self'; script-src 'self' http://{hub}; connect-src 'self' http://{hub} ws://{hub}"
    );
    assert!(
        headline(&ran).starts_with(&format!(
            "✗ http://localhost:{}/strict cannot join http://{hub}\n  first: let this header read\n      {line}\n",
            site.port
        )),
        "{}",
        ran.stdout
    );
    assert!(headline(&ran).ends_with("eye join vite, or eye join proxy"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches(&line).count(), 1, "{}", ran.stdout);
    let place = |path: &str| format!("http://localhost:{}{path}", site.port);
    assert!(ran.stdout.contains(&format!(
        "{} → 302 → {} → 302 → {}",
        place("/moved"),
        place("/moved-again"),
        place("/strict")
    )));
    assert!(ran.stdout.contains("✓ eval: off: `default-src 'self'` forbids it"), "{}", ran.stdout);
    assert!(ran.stdout.contains("✓ frames: X-Frame-Options DENY: not in the way"), "{}", ran.stdout);
    // With that header, nothing prevents joining.
    let (_, report) = examine(&home, &place("/strict"));
    assert_eq!(report["joins"], false);
    assert_eq!(finding(&report, "socket")["ok"], false);
}

#[test]
fn every_policy_counts_wherever_it_stands_and_reports_do_not() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let site = Site::open(pages);
    let place = |path: &str| format!("http://localhost:{}{path}", site.port);
    for (path, code, what, ok, part) in [
        ("/two", 3, "socket", false, "connect-src 'self' http://localhost:"),
        (
            "/meta",
            3,
            "script",
            false,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'self' http://localhost:",
        ),
        ("/nonce", 3, "script", false, "<script nonce=\"NONCE\" src=\"http://localhost:"),
        ("/report", 0, "report-only policy", true, "before it is enforced"),
        ("/trusted", 0, "eval", true, "add eye to trusted-types"),
        ("/sandbox", 4, "sandbox", false, "add allow-same-origin"),
        ("/json", 3, "page", false, "only HTML documents"),
        ("/login", 0, "page", true, "without your cookies"),
    ] {
        let (ended, report) = examine(&home, &place(path));
        let found = finding(&report, what);
        assert_eq!((ended, found["ok"].as_bool()), (code, Some(ok)), "{path}: {report}");
        assert!(found["hint"].as_str().unwrap().contains(part), "{path}: {found}");
        if !ok {
            assert_eq!(report["change"], found["hint"], "{path}");
        }
    }
    let (code, report) = examine(&home, &place("/isolated"));
    assert_eq!(code, 0);
    let found = finding(&report, "isolation")["found"].as_str().unwrap().to_owned();
    assert!(found.starts_with("COEP require-corp, COOP same-origin: not in the way"), "{found}");
    // The site distinguishes browsers from programs; the doctor is taken for a browser.
    assert_eq!(examine(&home, &place("/browser")).0, 0);
}

#[test]
fn a_tag_that_is_there_is_followed_to_its_hub() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let site = Site::open(pages);
    let (code, report) = examine(&home, &format!("http://localhost:{}/tag", site.port));
    assert_eq!(code, 0, "{report}");
    assert_eq!((report["tag"].as_bool(), report["joins"].as_bool()), (Some(true), Some(true)));
    assert!(finding(&report, "tag")["found"].as_str().unwrap().ends_with("through the page's own server"), "{report}");
    let (code, report) = examine(&home, &format!("http://localhost:{}/far", site.port));
    assert_eq!(code, 3);
    let hint = format!("the hub that your commands ask is at http://localhost:{}", home.port());
    assert_eq!(finding(&report, "tag")["hint"], hint);
    assert!(finding(&report, "hub")["found"].as_str().unwrap().contains("cannot be reached"), "{report}");
}

#[test]
fn an_origin_that_is_not_allowed_gets_the_command() {
    let home = home();
    let site = Site::open(pages);
    // Browsers resolve such a name to this machine; the gate does not know it.
    let url = format!("http://app.localhost:{}/plain", site.port);
    for running in [false, true] {
        let _hub = running.then(|| HubProcess::start(&home));
        let ran = home.eye(["doctor", &url]);
        assert_eq!(ran.code, 4, "{}", ran.stdout);
        let origin = format!("http://app.localhost:{}", site.port);
        assert!(headline(&ran).ends_with(&format!("first: allow it with `eye allow {origin}`")), "{}", ran.stdout);
        assert!(ran.stdout.contains(&format!("✗ origin: pages of {origin} may not join this hub\n")), "{}", ran.stdout);
    }
    assert_eq!(home.eye(["allow", &format!("http://app.localhost:{}", site.port)]).code, 0);
    assert_eq!(home.eye(["doctor", &url]).code, 0);
}

#[test]
fn https_pages_are_read_with_any_signature() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let site = Site::open_encrypted(pages);
    let (code, report) = examine(&home, &format!("https://localhost:{}/plain", site.port));
    assert_eq!(code, 0, "{report}");
    assert!(finding(&report, "certificate")["found"].as_str().unwrap().starts_with("this machine does not trust it: "));
    let mixed = finding(&report, "encryption");
    assert!(mixed["found"].as_str().unwrap().ends_with("Safari does not"), "{mixed}");
    assert_eq!(mixed["hint"], "for Safari: eye tls, then eye up --tls");
}

#[test]
fn a_hub_with_tls_is_joined_so_by_https_pages() {
    let home = home();
    assert_eq!(home.eye(["tls"]).code, 0);
    let _hub = HubProcess::start_with(&home, &["--tls"]);
    let (encrypted, plain) = (Site::open_encrypted(pages), Site::open(pages));
    let (code, report) = examine(&home, &format!("https://localhost:{}/plain", encrypted.port));
    assert_eq!((code, &report["script"]), (0, &format!("https://localhost:{}/eye.js", home.port()).into()), "{report}");
    let (code, report) = examine(&home, &format!("http://localhost:{}/plain", plain.port));
    assert_eq!((code, &report["script"]), (0, &format!("http://localhost:{}/eye.js", home.port()).into()), "{report}");
}

#[test]
fn what_cannot_be_looked_at_is_reported() {
    let home = home();
    let site = Site::open(pages);
    let place = |path: &str| format!("http://localhost:{}{path}", site.port);
    for (url, part) in [
        (format!("http://localhost:{}/", home.port()), "cannot be reached: Connection refused"),
        (place("/round"), "redirects more than 20 times"),
        (place("/astray"), "redirects to mailto:a@b.test, which is no page of the web"),
    ] {
        let ran = home.eye(["doctor", &url]);
        assert_eq!(ran.code, 3, "{}", ran.stdout);
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }
    for url in ["ftp://x", "file:///etc/passwd", "http://", "a b"] {
        let ran = home.eye(["doctor", url]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{url}");
        assert!(ran.stderr.starts_with(&format!("error: `{url}` is no address of a page\nhint: ")), "{}", ran.stderr);
    }
    assert_eq!(home.eye(["doctor", "--fix", "localhost:1"]).code, 2);
}

#[test]
fn a_hub_elsewhere_is_asked_by_its_own_name() {
    let there = home();
    let hub = HubProcess::start(&there);
    let forwarded = between::Between::blocking(there.port(), &[], false);
    let here = home();
    let site = Site::open(pages);
    let ran = Running::of(
        here.command()
            .args(["doctor", &format!("http://localhost:{}/plain", site.port), "--json"])
            .env("EYE_SERVER", forwarded.url()),
    )
    .wait();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["script"], format!("{}/eye.js", forwarded.url()));
    drop(hub);
}
