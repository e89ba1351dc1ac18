//! `eye state` and `eye watch`, against the real hub and a scripted page.

use crate::stage::{answers, home, page};
use eye_testkit::{Home, HubProcess, PageSetup, Running, ScriptedPage, ToolReply};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};

/// Publishes from the page, and returns when the hub has processed it.
fn publish(home: &Home, page: &ScriptedPage, method: &str, params: &str) {
    page.send(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#));
    // The page's answer comes after what it published.
    assert_eq!(home.eye(["document.title"]).stdout, "Shop\n");
}

#[test]
fn state_prints_the_value_and_nothing_else() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    publish(&home, &page, "state/update", r##"{"state":{"model":{"color":"#fff"},"n":[1,2]},"revision":1}"##);
    assert_eq!(home.eye(["state", "model.color"]), answers(0, "#fff\n", ""));
    assert_eq!(home.eye(["state", "/n/1"]), answers(0, "2\n", ""));
    assert_eq!(home.eye(["state", "$.n[*]"]), answers(0, "[1,2]\n", ""));
    assert_eq!(home.eye(["state"]), answers(0, "{\"model\":{\"color\":\"#fff\"},\"n\":[1,2]}\n", ""));
    publish(
        &home,
        &page,
        "state/patch",
        r##"{"patch":[{"op":"replace","path":"/model/color","value":"#000"}],"revision":2}"##,
    );
    assert_eq!(home.eye(["state", "model.color"]), answers(0, "#000\n", ""));
    let changed = r##"[{"op":"replace","path":"/model/color","value":"#000"}]"##;
    assert_eq!(home.eye(["state", "--since", "1"]), answers(0, &format!("{changed}\n"), ""));
    let answer: Value = serde_json::from_str(&home.eye(["state", "n.0", "--json"]).stdout).unwrap();
    assert_eq!((&answer["value"], &answer["revision"], &answer["source"]), (&1.into(), &2.into(), &"cache".into()));
    let wrong = home.eye(["state", "model.colour"]);
    assert_eq!(wrong, answers(1, "", "error: model has no `colour`\nhint: it has: color\n"));
}

#[test]
fn a_page_that_is_gone_leaves_its_state_and_a_note() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    publish(&home, &page, "state/update", r#"{"state":{"n":1},"revision":1}"#);
    page.leave();
    let ran = home.eye(["state", "n"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "1\n"));
    assert!(ran.stderr.starts_with("note: the page is gone; this is "), "{}", ran.stderr);
    let fresh = home.eye(["state", "n", "--fresh"]);
    assert_eq!(fresh.stdout, "1\n");
    assert!(fresh.stderr.starts_with("note: using cached state"), "{}", fresh.stderr);
}

#[test]
fn a_page_that_publishes_nothing_says_so() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let ran = home.eye(["state"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.starts_with("error: the page publishes no state\n"), "{}", ran.stderr);
}

/// A page with a tool that also answers verbs and says what it did.
fn scene(home: &Home) -> ScriptedPage {
    ScriptedPage::offering(home, &PageSetup::new(home, "Scene"), &[json!({ "name": "paint" })], |name, _| {
        ToolReply::Result(json!(format!("did {name}")))
    })
}

#[test]
fn a_call_is_done_only_at_the_revision_that_it_names() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = scene(&home);
    let none = home.eye(["click", "e1", "--if-revision", "1"]);
    assert_eq!(none.code, 1);
    assert!(none.stderr.contains("the page has published no state"), "{}", none.stderr);
    page.send(r#"{"jsonrpc":"2.0","method":"state/update","params":{"state":{"n":1},"revision":1}}"#);
    assert_eq!(home.eye(["click", "e1"]).code, 0);
    assert_eq!(home.eye(["call", "paint", "--if-revision", "1"]), answers(0, "did paint\n", ""));
    let patch = r#"{"patch":[{"op":"replace","path":"/n","value":2}],"revision":2}"#;
    page.send(&format!(r#"{{"jsonrpc":"2.0","method":"state/patch","params":{patch}}}"#));
    assert_eq!(home.eye(["click", "e1"]).code, 0);
    let refused = answers(
        1,
        "",
        "error: the state is at revision 2, not 1; nothing was done\nhint: see what changed: `eye state --since 1`\n",
    );
    for words in [&["call", "paint"][..], &["click", "e1"], &["eval", "1 + 1"], &["restore", "x"]] {
        if words[0] == "restore" {
            assert_eq!(home.eye(["save", "x"]).code, 0);
        }
        assert_eq!(home.eye([words, &["--if-revision", "1"]].concat()), refused, "{words:?}");
    }
    assert_eq!(home.eye(["click", "e1", "--if-revision", "2"]), answers(0, "did page/click\n", ""));
}

#[test]
fn a_state_is_kept_under_a_name_and_given_back_to_the_page() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = scene(&home);
    page.send(r#"{"jsonrpc":"2.0","method":"state/update","params":{"state":{"n":1},"revision":1}}"#);
    assert_eq!(home.eye(["click", "e1"]).code, 0);
    let kept = home.eye(["save", "before"]);
    assert!(kept.stdout.starts_with("before revision 1 7 bytes "), "{kept:?}");
    assert_eq!(home.eye(["saved"]).stdout, kept.stdout);
    let list: Value = serde_json::from_str(&home.eye(["saved", "--json"]).stdout).unwrap();
    assert_eq!(list["snapshots"][0]["name"], "before");
    let missing = home.eye(["restore", "after"]).stderr;
    assert_eq!(missing, "error: no state is kept under `after`\nhint: there are: before\n");
    // The request reaches the page, and this one cannot set its state.
    assert_eq!(home.eye(["restore", "before"]), answers(1, "", "error: page: no method state/set\n"));
}

#[test]
fn watch_prints_each_change_as_it_happens() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    publish(&home, &page, "state/update", r#"{"state":{"n":1},"revision":1}"#);
    let mut watching = Running::of(home.command().args(["watch", "state", "--count", "2"]));
    let mut lines = BufReader::new(watching.child().stdout.take().unwrap()).lines();
    // Changes are missed until the hub knows the watch; its first line shows that it does.
    let mut revision = 1;
    let first: Value = std::thread::scope(|scope| {
        let line = scope.spawn(|| lines.next().unwrap().unwrap());
        while !line.is_finished() {
            revision += 1;
            let patch =
                format!(r#"{{"patch":[{{"op":"replace","path":"/n","value":{revision}}}],"revision":{revision}}}"#);
            publish(&home, &page, "state/patch", &patch);
        }
        serde_json::from_str(&line.join().unwrap()).unwrap()
    });
    assert_eq!(first["patch"][0]["value"], first["revision"]);
    publish(&home, &page, "state/update", r#"{"state":{"n":"new"},"revision":900}"#);
    let second: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert!(second["revision"].as_u64() > first["revision"].as_u64());
    let ended = home.eye(["watch", "state", "--for", "0"]);
    assert_eq!(ended, answers(0, "", ""));
}
