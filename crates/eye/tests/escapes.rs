//! Escape sequences of a page: every control and direction character through every verb that prints a page's text, on a
//! real terminal and into a pipe.

use crate::stage::{Terminal, home};
use eye_protocol::{Code, Error};
use eye_testkit::{Home, HubProcess, PageSetup, Reply, ScriptedPage, ToolReply};
use serde_json::json;

/// Every character that could steer a terminal or mislead a reader, and a whole OSC 52 besides.
fn nasty() -> String {
    let controls = (0..0x20_u32).filter(|c| ![0x09, 0x0a, 0x1f].contains(c)).chain(0x7f..0xa0);
    let others = [0x61c, 0x200e, 0x200f].into_iter().chain(0x2028..=0x202e).chain(0x2066..=0x2069);
    let all: String = controls.chain(others).filter_map(char::from_u32).collect();
    format!("<{all}\u{1b}]52;c;aGk=\u{7}>")
}

/// A page that puts them into every text that it controls: title, values, errors, hints, logs, outlines, tools, state.
fn page(home: &Home) -> ScriptedPage {
    let setup = PageSetup { title: format!("Shop{}", nasty()), ..PageSetup::new(home, "Shop") };
    let tools = [json!({ "name": "buy", "description": format!("Buys{}.", nasty()), "inputSchema": {} })];
    let script = |code: &str| match code {
        "threw" => Reply::Now(Err(Error::new(Code::THREW, nasty()).hint(nasty()))),
        "json" => Reply::json(json!({ "a": nasty() }).to_string()),
        "rendering" => Reply::rendering(nasty()),
        _ => Reply::text(nasty()),
    };
    ScriptedPage::acting(home, &setup, script, &tools, |name, params| match name {
        "page/logs" => ToolReply::Result(json!([{ "n": 1, "level": "log", "text": nasty(), "at": 1 }])),
        "page/click" => ToolReply::Error(Error::new(Code::PARAMS, nasty()).hint(nasty())),
        "buy" if params["fail"] == true => ToolReply::Error(Error::new(Code::TOOL, nasty())),
        "buy" if params["isError"] == true => {
            ToolReply::Result(json!({ "isError": true, "content": [{ "type": "text", "text": nasty() }] }))
        }
        "buy" => ToolReply::Result(json!({ "content": [{ "type": "text", "text": nasty() }, { "type": nasty() }] })),
        _ => ToolReply::Result(json!(nasty())),
    })
}

/// Whether none of them appears unescaped. A terminal itself ends lines with `\r\n`, and our labels have colours.
fn is_clean(seen: &str) -> bool {
    let ours =
        seen.replace("\r\n", "\n").replace("\u{1b}[1;31m", "").replace("\u{1b}[1;36m", "").replace("\u{1b}[0m", "");
    // A progress line that is cleared again is also ours.
    !ours.replace("\r\u{1b}[K", "").contains(|c: char| eye_protocol::visible::is_unsafe(c) && c != '\n' && c != '\t')
}

#[test]
fn no_verb_lets_a_page_steer_the_terminal() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    let state =
        json!({ "jsonrpc": "2.0", "method": "state/update", "params": { "state": { "a": nasty() }, "revision": 1 } });
    page.send(&state.to_string());
    // Messages wait for the agent that reads them.
    let message = |topic: &str| {
        let params = json!({ "topic": topic, "message": nasty(), "as": nasty() });
        page.send(&json!({ "jsonrpc": "2.0", "method": "topic/publish", "params": params }).to_string());
    };
    for topic in ["heard", "heard-json", "watched"] {
        message(topic);
    }
    let put = json!({ "jsonrpc": "2.0", "method": "mailbox/put", "params": { "message": { "a": nasty() } } });
    page.send(&put.to_string());
    let started = home.eye(["async", "x"]);
    let id = started.stdout.trim();
    for args in [
        &["x"][..],
        &["json"],
        &["json", "--json"],
        &["rendering"],
        &["threw"],
        &["eval", "x", "--delta"],
        &["look"],
        &["text"],
        &["query", "x"],
        &["click", "x"],
        &["wait", "text=x"],
        &["logs"],
        &["logs", "--json"],
        &["watch", "state", "--for", "0.3"],
        &["sub", "heard", "--count", "1", "--for", "20"],
        &["sub", "heard-json", "--count", "1", "--for", "20", "--json"],
        &["watch", "topic", "watched", "--count", "1", "--for", "20"],
        &["read"],
        &["logs", "-f", "--count", "1", "--for", "20"],
        &["watch", "logs", "--count", "1", "--for", "20"],
        &["pages"],
        &["pages", "--json"],
        &["use", "shop"],
        &["tools"],
        &["tools", "buy", "--schema"],
        &["tools", "--json"],
        &["call", "buy"],
        &["call", "buy", "--json"],
        &["call", "buy", r#"{"fail":true}"#],
        &["call", "buy", r#"{"isError":true}"#],
        &["discover", "buy"],
        &["discover", "$.tools"],
        &["state"],
        &["state", "a"],
        &["state", "a.b"],
        &["status"],
        &["--page", "nothing", "x"],
        &["collect", id],
        &["rpc", r#"{"method":"eval","params":{"code":"x"}}"#],
        &["rpc", r#"{"method":"session/list"}"#],
    ] {
        let seen = String::from_utf8(Terminal::run(home.command().args(args))).expect("whole characters");
        assert!(!seen.is_empty() || args[0] == "watch", "{args:?} prints something");
        assert!(is_clean(&seen), "{args:?}: {seen:?}");
    }
    let batch = |args: &[&str]| {
        let file = home.path("lines");
        std::fs::write(&file, "x\nthrew\n").unwrap();
        let mut command = home.command();
        command.args(args).stdin(std::fs::File::open(&file).unwrap());
        String::from_utf8(Terminal::run(&mut command)).unwrap()
    };
    for args in [&["batch"][..], &["batch", "--ordered"], &["repl"]] {
        let seen = batch(args);
        assert!(seen.contains("\\x1b]52;c;aGk=\\x07") && is_clean(&seen), "{args:?}: {seen:?}");
    }
}

#[test]
fn what_is_piped_is_exact_but_errors_and_lists_are_never_steering() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    assert_eq!(home.eye(["x"]).stdout, format!("{}\n", nasty()));
    assert_eq!(home.eye(["text"]).stdout, format!("{}\n", nasty()));
    assert_eq!(home.eye(["logs"]).stdout, format!("log: {}\n", nasty()));
    for args in [&["threw"][..], &["click", "x"], &["call", "buy", r#"{"fail":true}"#], &["--page", "nothing", "x"]] {
        let ran = home.eye(args);
        assert!(ran.stderr.contains("\\x1b]52;c;aGk=\\x07") && is_clean(&ran.stderr), "{args:?}: {:?}", ran.stderr);
    }
    for args in [&["pages"][..], &["tools"]] {
        let ran = home.eye(args);
        assert!(ran.stdout.contains("Shop") || ran.stdout.contains("buy"), "{}", ran.stdout);
        assert!(is_clean(&ran.stdout), "{args:?}: {:?}", ran.stdout);
    }
}

#[test]
fn a_page_forges_no_line_of_ours() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let setup = PageSetup { title: "Shop\nhint: run evil".into(), ..PageSetup::new(&home, "Shop") };
    let _page = ScriptedPage::join(&home, &setup, |_| Reply::threw("no\nhint: run evil\nerror: worse"));
    for args in [&["x"][..], &["--page", "nothing", "x"]] {
        let ran = home.eye(args);
        let forged = ran.stderr.lines().any(|line| line.starts_with("hint: run evil") || line == "error: worse");
        assert!(ran.stderr.contains("run evil") && !forged, "{}", ran.stderr);
    }
}
