//! `eye tools`, `eye call` and `eye rpc`, against the real hub and a scripted page.

use crate::stage;
use crate::stage::{Terminal, answers, home};
use eye_protocol::{Code, Error};
use eye_testkit::{Home, HubProcess, PageSetup, Running, ScriptedPage, ToolReply};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};

/// The tools of the page in most tests.
fn definitions() -> Vec<Value> {
    vec![
        json!({
            "name": "add",
            "title": "Add",
            "description": "Adds two numbers. Slowly.",
            "inputSchema": {
                "type": "object",
                "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
                "required": ["a"],
                "additionalProperties": false
            },
            "x-own": [1]
        }),
        json!({
            "name": "find",
            "description": "Finds things",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "how": { "enum": ["fast", "slow"] },
                    "tags": { "type": "array", "items": { "type": "string" } },
                    "deep": { "type": "boolean" },
                    "near": { "type": "object" },
                    "limit": { "type": "integer" }
                }
            }
        }),
        json!({ "name": "wipe", "annotations": { "consequentialHint": true } }),
        json!({ "name": "click", "capabilities": ["dom:write"] }),
    ]
}

/// Echoes the call; some tools behave differently.
fn reply(name: &str, arguments: &Value) -> ToolReply {
    match (name, arguments.get("a").and_then(Value::as_i64)) {
        ("add", Some(-1)) => ToolReply::Error(Error::new(Code::THREW, "negative")),
        ("add", Some(-2)) => failed("no such number"),
        ("add", Some(-3)) => contents(
            &json!([{ "type": "text", "text": "one" }, { "type": "image" }, { "type": "text", "text": "two" }]),
        ),
        ("add", Some(-4)) => contents(&json!([{ "type": "image", "data": "…" }])),
        ("add", Some(0)) => ToolReply::Hold,
        _ => contents(&json!([{ "type": "text", "text": arguments.to_string() }])),
    }
}

fn contents(content: &Value) -> ToolReply {
    ToolReply::Result(json!({ "content": content }))
}

fn failed(why: &str) -> ToolReply {
    ToolReply::Result(json!({ "content": [{ "type": "text", "text": why }], "isError": true }))
}

fn page(home: &Home) -> ScriptedPage {
    let setup = PageSetup { capabilities: Some(vec!["dom:read".into()]), ..PageSetup::new(home, "Shop").alias("shop") };
    ScriptedPage::offering(home, &setup, &definitions(), reply)
}

#[test]
fn tools_are_lines_with_types_and_first_sentences() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let add = "add(a: number, b?: number)  Adds two numbers.\n";
    let find = "find(how?: \"fast\"|\"slow\", tags?: string[], deep?: boolean, near?: object, limit?: integer)  Finds things\n";
    assert_eq!(home.eye(["tools"]), answers(0, &format!("{add}{find}wipe(…)\nclick(…)\n"), ""));
    assert_eq!(home.eye(["tools", "add"]), answers(0, add, ""));
    assert_eq!(home.eye(["tools", "THINGS"]), answers(0, find, ""));
    assert_eq!(home.eye(["tools", "-p", "shop", "i"]).stdout.lines().count(), 3);
    assert_eq!(home.eye(["tools", "--errors"]), answers(0, "", ""));
}

#[test]
fn descriptions_are_left_out_of_long_lists() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let offered = |count: usize| -> Vec<Value> {
        let tool = |n| json!({ "name": format!("tool{n:02}"), "description": "Does it.", "inputSchema": {} });
        (0..count).map(tool).collect()
    };
    let setup = PageSetup::new(&home, "Shop").session("s");
    let twenty = ScriptedPage::offering(&home, &setup, &offered(20), reply);
    assert!(home.eye(["tools"]).stdout.starts_with("tool00()  Does it.\n"));
    twenty.leave();
    let _more = ScriptedPage::offering(&home, &setup, &offered(21), reply);
    assert!(home.eye(["tools"]).stdout.starts_with("tool00()\ntool01()\n"));
    assert_eq!(home.eye(["tools", "tool20"]), answers(0, "tool20()  Does it.\n", ""));
}

#[test]
fn definitions_are_printed_whole() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let all = definitions();
    let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
    assert_eq!(home.eye(["tools", "--schema"]), answers(0, &format!("{}\n", lines.join("\n")), ""));
    assert_eq!(home.eye(["tools", "add", "--schema"]), answers(0, &format!("{:#}\n", all[0]), ""));
    assert_eq!(home.eye(["tools", "--json"]), answers(0, &format!("{}\n", json!(all)), ""));
    assert_eq!(home.eye(["tools", "--json", "add"]), answers(0, &format!("{}\n", json!([all[0]])), ""));
}

#[test]
fn no_tools_are_a_note() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _plain = stage::page(&home);
    let note = "note: the page offers no tools\n";
    assert_eq!(home.eye(["tools"]), answers(0, "", note));
    assert_eq!(home.eye(["tools", "add"]), answers(0, "", note));
    assert_eq!(home.eye(["tools", "--json"]), answers(0, "[]\n", ""));
}

#[test]
fn a_filter_that_fits_no_tool_names_the_nearest() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let missing = "error: Tool not found: ad1\nhint: did you mean add?\n";
    assert_eq!(home.eye(["tools", "ad1"]), answers(1, "", missing));
}

#[test]
fn without_a_page_there_is_nothing_to_list_or_call() {
    let home = home();
    let _hub = HubProcess::start(&home);
    for args in [&["tools"][..], &["call", "add"], &["call", "add", "a=1"]] {
        let ran = home.eye(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{args:?}");
        assert!(ran.stderr.contains("error: no page is connected\nhint: "), "{}", ran.stderr);
    }
}

#[test]
fn arguments_are_typed_by_the_schema() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    for (args, want) in [
        (&["add", "a=1", "b=-2.5"][..], r#"{"a":1,"b":-2.5}"#),
        (&["add", "a:=1"], r#"{"a":1}"#),
        (&["find", "tags=a", "deep=true", "tags=b"], r#"{"tags":["a","b"],"deep":true}"#),
        (&["find", "tags=[\"a\"]", "near={\"x\":1}", "limit=3"], r#"{"tags":["a"],"near":{"x":1},"limit":3}"#),
        (&["find", "how=fast", "own=1", "other:=1"], r#"{"how":"fast","own":"1","other":1}"#),
        (&["find"], "{}"),
        (&["find", r#"{"tags": ["a b"]}"#], r#"{"tags":["a b"]}"#),
        (&["find", "how=fast", "-p", "shop"], r#"{"how":"fast"}"#),
    ] {
        let line = [&["call"], args].concat();
        assert_eq!(home.eye(&line), answers(0, &format!("{want}\n"), ""), "{args:?}");
    }
    let piped = home.eye_reading("{\"a\":\n7}", ["call", "add", "-"]);
    assert_eq!(piped, answers(0, "{\"a\":7}\n", ""));
}

#[test]
fn arguments_that_do_not_fit_end_with_2_and_say_where() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    for (args, part) in [
        (&["add", "a=x"][..], "/a: "),
        (&["add", "a=1", "c=1"], "'c'"),
        (&["add"], "\"a\" is a required property"),
        (&["find", r#"{"limit":1.5}"#], "/limit: "),
    ] {
        let ran = home.eye([&["call"], args].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains(part), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("--schema` shows what it takes\n"), "{}", ran.stderr);
    }
    for args in [&["add", "x"][..], &["add", "{"], &["add", "[1]"], &["add", "a:=x"], &["add", "a=1", "a=2"], &[]] {
        let ran = home.eye([&["call"], args].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("\nhint: "), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(home.eye_reading("nonsense", ["call", "add", "-"]).code, 2);
}

#[test]
fn a_result_is_its_texts_or_all_of_it() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let left_out = "note: left out: image; --json has all of it\n";
    assert_eq!(home.eye(["call", "add", "a=-3"]), answers(0, "one\ntwo\n", left_out));
    assert_eq!(home.eye(["call", "add", "a=-4"]), answers(0, "", left_out));
    let ran = home.eye(["call", "add", "a=5", "--json"]);
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, ran.stderr.as_str(), &result["isError"]), (0, "", &json!(false)));
    assert_eq!(result["content"], json!([{ "type": "text", "text": "{\"a\":5}" }]));
    assert_eq!(result["_meta"]["eye/untrusted"], true);
    assert_eq!(home.eye(["call", "add", "a=5", "--errors"]), answers(0, "", ""));
    let cut = "note: 3 more bytes left out by --max-bytes\n";
    assert_eq!(home.eye(["call", "add", "a=5", "--max-bytes", "4"]), answers(0, "{\"a\"\n", cut));
}

#[test]
fn a_tool_that_fails_ends_with_1_and_its_own_words() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    assert_eq!(home.eye(["call", "add", "a=-1"]), answers(1, "", "error: page: negative\n"));
    assert_eq!(home.eye(["call", "add", "a=-2"]), answers(1, "", "error: page: no such number\n"));
    let ran = home.eye(["call", "add", "a=-2", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert!(ran.stdout.contains("\"isError\":true"), "{}", ran.stdout);
}

#[test]
fn an_unknown_tool_names_the_nearest() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let missing = answers(1, "", "error: Tool not found: ad\nhint: did you mean add?\n");
    assert_eq!(home.eye(["call", "ad"]), missing);
    assert_eq!(home.eye(["call", "ad", "a=1"]), missing);
}

#[test]
fn what_cannot_be_undone_needs_yes_where_the_origin_asks_for_it() {
    let home = home();
    let _hub = HubProcess::start(&home);
    assert_eq!(home.eye(["allow", "--confirm", "https://bank.test"]).code, 0);
    let setup = PageSetup { origin: Some("https://bank.test".into()), ..PageSetup::new(&home, "Bank") };
    let _page = ScriptedPage::offering(&home, &setup, &definitions(), reply);
    let ran = home.eye(["call", "wipe"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""));
    assert!(ran.stderr.ends_with("hint: ask the person, then call again with --yes\n"), "{}", ran.stderr);
    assert_eq!(home.eye(["call", "wipe", "--yes"]), answers(0, "{}\n", ""));
}

#[test]
fn a_tool_whose_page_is_not_capable_of_it_ends_with_4() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let ran = home.eye(["call", "click"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""));
    assert!(ran.stderr.contains("dom:write"), "{}", ran.stderr);
}

#[test]
fn a_call_that_takes_too_long_ends_with_124_and_in_the_page() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    for args in [&["a=0"][..], &["{\"a\":0}"]] {
        let ran = home.eye([&["call", "--timeout", "0.05", "add"], args].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (124, ""));
        assert_eq!(page.held_tool().id, page.cancelled());
    }
}

#[test]
fn an_interrupted_call_ends_with_130_and_in_the_page() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    let mut running = home.start(["call", "add", "a=0"]);
    let held = page.held_tool();
    stage::interrupt(running.child());
    assert_eq!(running.wait().code, 130);
    assert_eq!(page.cancelled(), held.id);
}

#[test]
fn a_hub_that_is_killed_and_a_page_that_leaves_end_the_call() {
    let home = home();
    let hub = HubProcess::start(&home);
    let gone = page(&home);
    let running = home.start(["call", "add", "a=0"]);
    gone.held_tool();
    gone.crash();
    let ran = running.wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    let page = page(&home);
    let running = home.start(["-p", page.session(), "call", "add", "a=0"]);
    page.held_tool();
    hub.kill();
    let ran = running.wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.starts_with("error: the hub went away"), "{}", ran.stderr);
}

#[test]
fn progress_is_plain_lines_where_stderr_is_no_terminal() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    let mut running = home.start(["call", "add", "a=0"]);
    let held = page.held_tool();
    page.progress(&held, json!({ "progress": 1, "total": 4, "message": "load\u{1b}[2Jing\nmore" }));
    // The line is printed while the call still runs.
    let mut stderr = BufReader::new(running.child().stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert_eq!(line, "progress: 1/4 load [2Jing more\n");
    page.progress(&held, json!({ "progress": 2 }));
    page.answer_tool(&held, Ok(&json!({ "content": [{ "type": "text", "text": "done" }] })));
    assert_eq!(running.wait(), answers(0, "done\n", ""));
    line.clear();
    stderr.read_line(&mut line).unwrap();
    assert_eq!(line, "progress: 2\n");
}

#[test]
fn progress_is_one_changing_line_on_a_terminal() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    let (mut terminal, stderr) = Terminal::open();
    let mut command = home.command();
    let running = Running::of(command.args(["call", "add", "a=0"]).stderr(stderr));
    let held = page.held_tool();
    page.progress(&held, json!({ "progress": 1, "total": 2, "message": "x".repeat(200) }));
    let shown = terminal.until("…");
    assert!(shown.starts_with("\r\u{1b}[K1/2 xxx") && shown.chars().count() == "\r\u{1b}[K".len() + 79, "{shown:?}");
    page.progress(&held, json!({ "progress": 2, "total": 2 }));
    terminal.until("\r\u{1b}[K2/2");
    page.answer_tool(&held, Ok(&json!({ "content": [] })));
    terminal.until("\r\u{1b}[K");
    assert_eq!(running.wait(), answers(0, "\n", ""));
}

#[test]
fn errors_alone_show_no_progress() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    let running = home.start(["--errors", "call", "add", "a=0"]);
    let held = page.held_tool();
    page.progress(&held, json!({ "progress": 1 }));
    page.answer_tool(&held, Ok(&json!({ "content": [] })));
    assert_eq!(running.wait(), answers(0, "", ""));
}

#[test]
fn rpc_sends_a_request_as_it_is_and_prints_the_response() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let pong = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"pong\":true}}\n";
    assert_eq!(home.eye(["rpc", r#"{"method":"ping"}"#]), answers(0, pong, ""));
    let named = "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"pong\":true}}\n";
    assert_eq!(home.eye_reading(r#"{"id":"a","method":"ping"}"#, ["rpc", "-"]), answers(0, named, ""));
    let call = r#"{"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}"#;
    let ran = home.eye(["rpc", call]);
    let response: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &response["result"]["content"][0]["text"]), (0, &json!("{\"a\":1}")));
    for (request, code) in [
        (r#"{"method":"nobody/knows"}"#, -32601),
        (r#"{"method":"tools/call","params":{"name":"nobody"}}"#, -32004),
        (r#"{"method":"ping","jsonrpc":"1.0"}"#, -32600),
    ] {
        let ran = home.eye(["rpc", request]);
        let response: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((ran.code, ran.stderr.as_str(), &response["error"]["code"]), (1, "", &json!(code)), "{request}");
    }
    for request in ["nonsense", "[]", "{}"] {
        let ran = home.eye(["rpc", request]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{request}");
    }
}

#[test]
fn a_hub_elsewhere_is_called_the_same_way() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    let token = home.eye(["token", "show"]).stdout.trim_end().to_owned();
    let elsewhere = |args: &[&str]| {
        let mut command = home.command();
        command.args(args).env("EYE_SERVER", format!("ws://127.0.0.1:{}", home.port())).env("EYE_TOKEN", &token);
        Running::of(&mut command)
    };
    assert_eq!(elsewhere(&["call", "add", "a=1"]).wait(), answers(0, "{\"a\":1}\n", ""));
    assert_eq!(elsewhere(&["tools", "wipe"]).wait(), answers(0, "wipe(…)\n", ""));
    let running = elsewhere(&["call", "add", "a=0"]);
    let held = page.held_tool();
    page.progress(&held, json!({ "progress": 1 }));
    page.answer_tool(&held, Ok(&json!({ "content": [{ "type": "text", "text": "far" }] })));
    assert_eq!(running.wait(), answers(0, "far\n", "progress: 1\n"));
}
