//! A page that is hostile to scripts, in a real Chromium that the hub drives: our scripts do not run in its world.

use crate::stage::browser::{hub, ok};
use crate::stage::site::{Page, Site};
use eye_testkit::{Home, Ran};

/// Forbids text to become code, and everything without a nonce.
const STRICT: &str =
    "content-security-policy: default-src 'none'; script-src 'nonce-a'; require-trusted-types-for 'script'";

/// Replaces the built-ins that scripts use by ones that fail or deceive.
const HOSTILE: &str = include_str!("../../../web/harness/hostile.js");

/// Gets hold of the outgoing connection of the client's half in its own world, and answers requests to the other half.
const FORGING: &str = include_str!("../../../web/harness/forging.js");

const FORM: &str = r#"<h1>Hi</h1><button id="b">Press</button><label>Name <input id="i"></label><p id="out">nothing</p>
<script nonce="a">
  b.onclick = (event) => (out.textContent = "pressed " + event.isTrusted);
  i.oninput = () => (out.textContent = "now " + i.value);
</script>"#;

/// An ordinary page, one that is hostile before it loads, one that also forbids everything, and one that forges
/// answers.
fn form(path: &str, _: &str) -> Page {
    let script = match path {
        "/plain" => "",
        "/forging" => FORGING,
        _ => HOSTILE,
    };
    let head = format!(r#"<script nonce="a">{script}</script>"#);
    let headers: &[&str] = if path == "/strict" { &[STRICT] } else { &[] };
    Page::html(headers, &format!("<!doctype html><title>Form</title>{head}{FORM}"))
}

/// The page's answers to each verb, optionally after evaluating `first`.
fn answers(home: &Home, url: &str, first: Option<&str>) -> Vec<String> {
    ok(home.eye(["browse", url, "--headless", "--private"]));
    if let Some(code) = first {
        ok(home.eye([code]));
    }
    let picture = home.path("b.png").display().to_string();
    let verbs: [&[&str]; 8] = [
        &["look"],
        &["shot", "#b", "-o", &picture],
        &["click", "#b"],
        &["fill", "#i", "Ada"],
        &["wait", "text=now Ada"],
        &["text"],
        &["query", "#i"],
        &["reload"],
    ];
    let outputs = verbs.map(|words| {
        let Ran { stdout, stderr, .. } = home.eye(words);
        (stdout + &stderr).replace(url, "URL")
    });
    ok(home.eye(["browse", "--stop"]));
    outputs.to_vec()
}

#[test]
fn what_a_page_makes_of_its_own_world_changes_nothing_that_is_looked_at_or_done() {
    let Some((home, _hub)) = hub() else { return };
    let site = Site::open(form).url();
    let plain = answers(&home, &format!("{site}/plain"), None);
    assert!(plain[0].contains("[Press]") && plain[2].contains("pressed true"), "{plain:?}");
    assert!(plain[3].contains("now Ada") && plain[5].contains("now Ada"), "{plain:?}");
    for path in ["/hostile", "/strict"] {
        assert_eq!(answers(&home, &format!("{site}{path}"), None), plain, "{path}");
    }
}

#[test]
fn what_a_page_says_through_its_own_half_answers_nothing_that_the_other_was_asked() {
    let Some((home, _hub)) = hub() else { return };
    let site = Site::open(form).url();
    let plain = answers(&home, &format!("{site}/plain"), None);
    assert_eq!(answers(&home, &format!("{site}/forging"), Some("6 * 7")), plain);
    home.logged(&["WARN", "in place of its other half", "half=Page"]);
}
