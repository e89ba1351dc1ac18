//! The mailbox as files: `in` for the agent to read, `out` for it to write, and calls of the bridge in both.

use crate::stage::home;
use eye_testkit::{DEADLINE, Home, HubProcess, PageSetup, Reply, ScriptedPage, ToolReply};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// A home with the original's folder, a hub, and a page that reports the messages it receives.
fn opened() -> (Home, HubProcess, ScriptedPage, Receiver<Value>, PathBuf) {
    let home = home();
    let folder = home.path(".algo");
    fs::create_dir(&folder).unwrap();
    let hub = HubProcess::start(&home);
    let (sender, written) = channel();
    let setup = PageSetup::new(&home, "Desk").alias("desk");
    let page = ScriptedPage::offering(&home, &setup, &[], move |verb, params| {
        assert_eq!(verb, "page/write");
        sender.send(params["message"].clone()).unwrap();
        ToolReply::Result(json!({}))
    });
    (home, hub, page, written, folder)
}

/// Waits until a file has this many lines.
fn lines(file: &Path, count: usize) -> Vec<Value> {
    let ends = Instant::now() + DEADLINE;
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        if text.lines().count() >= count && text.ends_with('\n') {
            return text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        }
        assert!(Instant::now() < ends, "{} has {count} lines in time: {text}", file.display());
        std::thread::yield_now();
    }
}

fn append(file: &Path, line: &str) {
    use std::io::Write;
    let mut file = fs::OpenOptions::new().create(true).append(true).open(file).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

#[test]
fn what_a_page_says_is_a_line_and_still_waits_to_be_read() {
    let (home, _hub, page, _written, folder) = opened();
    page.send(r#"{"jsonrpc":"2.0","method":"mailbox/put","params":{"message":{"a":1}}}"#);
    let output = lines(&folder.join("in"), 1);
    assert_eq!((&output[0]["from"], &output[0]["msg"]), (&json!("desk"), &json!({ "a": 1 })));
    assert_eq!(home.eye(["read"]).stdout, "{\"a\":1}\n");
}

#[test]
fn reading_empties_the_originals_file() {
    let (home, _hub, page, _written, folder) = opened();
    page.send(r#"{"jsonrpc":"2.0","method":"mailbox/put","params":{"message":"one"}}"#);
    lines(&folder.join("in"), 1);
    assert_eq!(home.eye(["read"]).stdout, "one\n");
    assert_eq!(fs::read_to_string(folder.join("in")).unwrap(), "");
    // Later messages are written to it again.
    page.send(r#"{"jsonrpc":"2.0","method":"mailbox/put","params":{"message":"two"}}"#);
    assert_eq!(lines(&folder.join("in"), 1)[0]["msg"], "two");
}

#[test]
fn what_is_written_is_a_line_of_out_and_reaches_the_page_once() {
    let (home, _hub, _page, written, folder) = opened();
    for (line, message) in [(r#"{"msg":"hello"}"#, json!({ "msg": "hello" })), ("plain", json!("plain"))] {
        assert_eq!(home.eye(["write", line]).code, 0);
        assert_eq!(written.recv_timeout(DEADLINE).unwrap(), message);
    }
    let ends = Instant::now() + DEADLINE;
    while fs::read_to_string(folder.join("out")).unwrap_or_default() != "{\"msg\":\"hello\"}\nplain\n" {
        assert!(Instant::now() < ends, "both are lines in time");
        std::thread::yield_now();
    }
    // Lines of other programs still arrive, and the lines above did not reach the page again.
    append(&folder.join("out"), "last");
    assert_eq!(written.recv_timeout(DEADLINE).unwrap(), "last");
}

#[test]
fn what_is_put_into_out_reaches_the_page_in_order() {
    let (_home, _hub, _page, written, folder) = opened();
    append(&folder.join("out"), "hello");
    assert_eq!(written.recv_timeout(DEADLINE).unwrap(), "hello");
    append(&folder.join("out"), r#"{"msg":1}"#);
    assert_eq!(written.recv_timeout(DEADLINE).unwrap(), json!({ "msg": 1 }));
}

#[test]
fn a_call_of_the_bridge_in_one_file_is_answered_in_the_other() {
    let home = home();
    let folder = home.path(".algo");
    fs::create_dir(&folder).unwrap();
    let _hub = HubProcess::start(&home);
    let _page = ScriptedPage::join(&home, &PageSetup::new(&home, "Desk"), |code| {
        assert!(code.contains("globalThis.ALGO?.bridge, \"getState\", [1]"), "{code}");
        Reply::json(r#"{"success":true,"result":{"user":"root"}}"#)
    });
    for (file, answered, id) in [("in", "out", 7), ("out", "in", 8)] {
        let before = fs::read_to_string(folder.join(answered)).unwrap_or_default().lines().count();
        append(&folder.join(file), &json!({ "_bridge": "getState", "_args": [1], "_id": id }).to_string());
        let answer = lines(&folder.join(answered), before + 1).pop().unwrap();
        assert_eq!(answer, json!({ "success": true, "result": { "user": "root" }, "_id": id }));
    }
}
