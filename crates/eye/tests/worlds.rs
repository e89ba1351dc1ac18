//! A page that is hostile to scripts, in a real Chromium that the hub drives: what looks and acts is not in its world.
#![allow(clippy::unwrap_used, reason = "this is test code, also outside of its tests")]

#[allow(dead_code, reason = "the tests of the doctor use more of it")]
#[path = "stage/site.rs"]
mod site;
mod stage;

use eye_testkit::Home;
use site::{Page, Site};
use stage::browser::{hub, ok};

/// Forbids text to become code, and everything that has no nonce.
const STRICT: &str =
    "content-security-policy: default-src 'none'; script-src 'nonce-a'; require-trusted-types-for 'script'";

/// Replaces what scripts are made of, by what breaks or deceives them.
const HOSTILE: &str = r#"
  const broken = () => { throw new Error("hostile"); };
  for (const name of ["map", "filter", "flatMap", "find", "some", "join", "slice", "push", "includes"])
    Array.prototype[name] = broken;
  Document.prototype.querySelectorAll = Document.prototype.querySelector = () => [];
  Element.prototype.querySelectorAll = Element.prototype.matches = Element.prototype.closest = broken;
  Element.prototype.getBoundingClientRect = () => ({ left: 0, top: 0, width: 0, height: 0 });
  Element.prototype.getClientRects = () => [];
  JSON.stringify = () => '"hostile"';
  JSON.parse = broken;
  for (const name of ["then", "catch", "finally"]) Promise.prototype[name] = broken;
  globalThis.Promise = globalThis.MutationObserver = class { constructor() { broken(); } };
  globalThis.getComputedStyle = () => ({ display: "none", visibility: "hidden" });
  globalThis.requestAnimationFrame = globalThis.setTimeout = globalThis.queueMicrotask = () => 0;
  Map.prototype.get = Map.prototype.set = WeakMap.prototype.get = Set.prototype.add = broken;
  EventTarget.prototype.dispatchEvent = broken;
  String.prototype.startsWith = String.prototype.replace = RegExp.prototype.test = broken;
"#;

const FORM: &str = r#"<h1>Hi</h1><button id="b">Press</button><label>Name <input id="i"></label><p id="out">nothing</p>
<script nonce="a">
  b.onclick = (event) => (out.textContent = "pressed " + event.isTrusted);
  i.oninput = () => (out.textContent = "now " + i.value);
</script>"#;

/// A page as pages are, one that is hostile before it loads, and one that forbids everything, too.
fn form(path: &str, _: &str) -> Page {
    let head = if path == "/plain" { String::new() } else { format!(r#"<script nonce="a">{HOSTILE}</script>"#) };
    let headers: &[&str] = if path == "/strict" { &[STRICT] } else { &[] };
    Page::html(headers, &format!("<!doctype html><title>Form</title>{head}{FORM}"))
}

/// What a page answers to each verb.
fn answers(home: &Home, url: &str) -> Vec<String> {
    ok(home.eye(["browse", url, "--headless", "--private"]));
    let asked: [&[&str]; 7] = [
        &["look"],
        &["click", "#b"],
        &["fill", "#i", "Ada"],
        &["wait", "text=now Ada"],
        &["text"],
        &["query", "#i"],
        &["reload"],
    ];
    let said = asked.map(|words| ok(home.eye(words)).replace(url, "URL"));
    ok(home.eye(["browse", "--stop"]));
    said.to_vec()
}

#[test]
fn what_a_page_makes_of_its_own_world_changes_nothing_that_is_looked_at_or_done() {
    let Some((home, _hub)) = hub() else { return };
    let site = Site::open(form).url();
    let plain = answers(&home, &format!("{site}/plain"));
    assert!(plain[0].contains("[Press]") && plain[1].contains("pressed true"), "{plain:?}");
    assert!(plain[2].contains("now Ada") && plain[4].contains("now Ada"), "{plain:?}");
    for path in ["/hostile", "/strict"] {
        assert_eq!(answers(&home, &format!("{site}{path}")), plain, "{path}");
    }
}
