//! `eye join`: the texts that a newcomer pastes, for the running hub.

use crate::stage::{answers, home};
use eye_testkit::{HubProcess, Running};
use serde_json::Value;

#[test]
fn the_ways_in_are_listed_with_their_limits() {
    let home = home();
    let ran = home.eye(["join"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "note: no hub runs; the first command starts one\n"));
    assert!(ran.stdout.starts_with(&format!("A page joins http://localhost:{} by one of these.\n", home.port())));
    let _hub = HubProcess::start(&home);
    let ran = home.eye(["join"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for way in ["tag", "vite", "import", "proxy", "bookmarklet", "userscript"] {
        assert!(ran.stdout.contains(&format!("\n{way}, ")), "{way}: {}", ran.stdout);
    }
    assert_eq!(ran.stdout.matches("\n  limits: ").count(), 7, "{}", ran.stdout);
    // It fits on one screen.
    assert!(ran.stdout.lines().count() <= 40, "{}", ran.stdout);
}

#[test]
fn one_way_is_printed_as_it_is_pasted() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let hub = format!("http://localhost:{}", home.port());
    assert_eq!(home.eye(["join", "tag"]), answers(0, &format!("<script src=\"{hub}/eye.js\"></script>\n"), ""));
    let vite =
        format!("import eye from \"eye-client/vite\";\nexport default {{ plugins: [eye({{ hub: \"{hub}\" }})] }};\n");
    assert_eq!(home.eye(["join", "vite"]), answers(0, &vite, ""));
    let bookmarklet = home.eye(["join", "bookmarklet"]).stdout;
    assert!(bookmarklet.starts_with("javascript:") && bookmarklet.contains(&hub), "{bookmarklet}");
    assert_eq!(bookmarklet.lines().count(), 1);
    let ways = home.eye(["join"]).stdout;
    let row = ways.lines().find(|line| line.contains("bookmarklet")).unwrap_or_default();
    assert!(ways.contains("until the page is left or reloaded"), "{row}\n{ways}");
    let userscript = home.eye(["join", "userscript"]).stdout;
    assert!(userscript.starts_with("// ==UserScript==") && userscript.contains(&hub), "{userscript}");
    let proxy = home.eye(["join", "proxy"]).stdout;
    assert!(proxy.contains(&format!("proxy_pass {hub}/;")) && proxy.contains("src=\"/__eye/eye.js\""), "{proxy}");
    assert!(proxy.contains("proxy_set_header Sec-Fetch-Site \"\";"), "{proxy}");
    assert_eq!(home.eye(["join", "nonsense"]).code, 2);
}

#[test]
fn the_ways_in_are_there_as_values_and_for_a_hub_elsewhere() {
    let home = home();
    let ran = Running::of(home.command().args(["join", "--json"]).env("EYE_SERVER", "wss://box.local:8765")).wait();
    let output: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(output["hub"], "https://box.local:8765");
    let ways = output["ways"].as_array().unwrap();
    assert_eq!(ways.len(), 6);
    assert!(ways.iter().all(|way| way["text"].as_str().unwrap().contains("box.local:8765")), "{output}");
    assert!(ways.iter().all(|way| !way["cannot"].as_str().unwrap().is_empty()));
}
