//! The verbs that a page does, and messages, against the real hub and a scripted page.

use crate::stage;
use crate::stage::{answers, home};
use eye_protocol::{Code, Error};
use eye_testkit::{Home, HubProcess, PageSetup, Running, ScriptedPage, ToolReply};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};

/// A page that reports the verbs and params that it receives.
fn page(home: &Home) -> ScriptedPage {
    ScriptedPage::offering(home, &PageSetup::new(home, "Shop").alias("shop"), &[], |verb, params| {
        let mut params = params.clone();
        let own = params.as_object_mut().and_then(|members| members.shift_remove("agent"));
        assert!(own.is_some(), "the page is told who asks");
        match verb {
            "page/wait" if params["expr"] == "never" => ToolReply::Error(Error {
                value: Some(Box::new(json!(0))),
                ..Error::new(Code::TIMEOUT, "not true within 30 s")
            }),
            "page/logs" if params["follow"] == true => ToolReply::Hold,
            "page/logs" => ToolReply::Result(json!([
                { "n": 1, "level": "error", "text": "boom", "at": 1 },
                { "n": 2, "level": "log", "text": "tick", "at": 2, "count": 3 },
            ])),
            _ => ToolReply::Result(json!(format!("{verb} {params}"))),
        }
    })
}

#[test]
fn every_verb_says_to_the_page_what_the_command_line_says() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    for (args, want) in [
        (&["look"][..], "page/look {}"),
        (&["look", "#cart", "--all", "--since"], r##"page/look {"target":"#cart","all":true,"since":true}"##),
        (&["snapshot"], "page/look {}"),
        (&["text", "main"], r#"page/text {"target":"main"}"#),
        (&["query", ".icon"], r#"page/query {"target":".icon"}"#),
        (&["requests"], "page/requests {}"),
        (&["highlight", "e5", "--ms", "500"], r#"page/highlight {"target":"e5","ms":500}"#),
        (&["highlight"], "page/highlight {}"),
        (&["click", "e5"], r#"page/click {"target":"e5"}"#),
        (&["click", "e5", "--accept"], r#"page/click {"target":"e5","accept":true}"#),
        (&["click", "e5", "--accept=Ada"], r#"page/click {"target":"e5","accept":"Ada"}"#),
        (&["click", "e5", "--dismiss"], r#"page/click {"target":"e5","dismiss":true}"#),
        (&["click", "e5", "--double"], r#"page/click {"target":"e5","double":true}"#),
        (&["click", "e5", "--right", "--mod", "Shift"], r#"page/click {"target":"e5","right":true,"mod":"Shift"}"#),
        (&["click", "e5", "--hold", "500"], r#"page/click {"target":"e5","hold":500}"#),
        (&["click", "e5", "--at", "4,8"], r#"page/click {"target":"e5","at":[4.0,8.0]}"#),
        (&["click", "--at", "4,8"], r#"page/click {"at":[4.0,8.0]}"#),
        (&["dblclick", "e5"], r#"page/dblclick {"target":"e5"}"#),
        (&["focus", "e5"], r#"page/focus {"target":"e5"}"#),
        (&["hover", "text=Menu"], r#"page/hover {"target":"text=Menu"}"#),
        (&["check", "#terms"], r##"page/check {"target":"#terms"}"##),
        (&["uncheck", "#terms", "--timeout", "2"], r##"page/uncheck {"target":"#terms","timeout":2000}"##),
        (&["fill", "e3", "a=b"], r#"page/fill {"fields":[["e3","a=b"]]}"#),
        (&["fill", "e3=x", "e4=y", "--click", "e9"], r#"page/fill {"fields":[["e3","x"],["e4","y"]],"click":"e9"}"#),
        (&["fill", "e3=x", "--accept=yes"], r#"page/fill {"fields":[["e3","x"]],"accept":"yes"}"#),
        (&["type", "e3", "hi"], r#"page/type {"target":"e3","value":"hi"}"#),
        (&["press", "Enter"], r#"page/press {"keys":"Enter"}"#),
        (&["select", "e5", "Blue"], r#"page/select {"target":"e5","value":"Blue"}"#),
        (&["select", "e5", "S", "M"], r#"page/select {"target":"e5","value":["S","M"]}"#),
        (&["scroll"], r#"page/scroll {"to":"down"}"#),
        (&["click", "e5", "--synthetic"], r#"page/click {"target":"e5","synthetic":true}"#),
        (&["fill", "e3=x", "--synthetic"], r#"page/fill {"fields":[["e3","x"]],"synthetic":true}"#),
        (&["scroll", "down", "--synthetic"], r#"page/scroll {"to":"down","synthetic":true}"#),
        (&["scroll", "e7"], r#"page/scroll {"target":"e7"}"#),
        (&["scroll", "up", "--by", "50"], r#"page/scroll {"by":[0,-50]}"#),
        (&["drag", "e3", "300, 20"], r#"page/drag {"from":"e3","to":[300.0,20.0]}"#),
        (&["drag", "10,20", "e4"], r#"page/drag {"from":[10.0,20.0],"to":"e4"}"#),
        (&["drag", "e3", "e4"], r#"page/drag {"from":"e3","to":"e4"}"#),
        (&["send", "claude-eyes", "analyze"], r#"page/send {"app":"claude-eyes","message":"analyze"}"#),
        (&["wait", "text=Done"], r#"page/wait {"target":"text=Done"}"#),
        (&["wait", "n > 1"], r#"page/wait {"expr":"n > 1"}"#),
        (&["goto", "/there"], r#"page/goto {"url":"/there"}"#),
        (&["back"], "page/back {}"),
        (&["forward"], "page/forward {}"),
        (&["look", "--loaded"], r#"page/look {"loaded":true}"#),
        (&["reload"], "page/reload {}"),
    ] {
        assert_eq!(home.eye(args), answers(0, &format!("{want}\n"), ""), "{args:?}");
    }
    assert_eq!(home.eye(["write", r#"{"msg":"hello"}"#]), answers(0, "", ""));
    assert_eq!(home.eye(["fill", "e3=x", "nothing", "e4=y"]).code, 2);
    assert_eq!(home.eye(["click"]).code, 2);
    let nowhere = "error: `here` is not a place\nhint: write --at X,Y, in pixels\n";
    assert_eq!(home.eye(["click", "--at", "here"]), answers(2, "", nowhere));
}

#[test]
fn files_reach_a_page_by_name_and_bytes() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let file = home.path("note.txt");
    std::fs::write(&file, "hi").unwrap();
    let ran = home.eye(["upload", "e6", file.to_str().unwrap()]);
    let want = "page/upload {\"target\":\"e6\",\"files\":[{\"name\":\"note.txt\",\"base64\":\"aGk=\"}]}\n";
    assert_eq!(ran, answers(0, want, ""));
    assert_eq!(home.eye(["upload", "e6", "nowhere.txt"]).code, 1);
}

#[test]
fn a_wait_that_ends_by_its_timeout_prints_the_last_value() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    assert_eq!(home.eye(["wait", "never"]), answers(124, "0\n", "error: page: not true within 30 s\n"));
}

#[test]
fn logs_are_a_line_each_and_go_on_with_what_comes() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    assert_eq!(home.eye(["logs"]), answers(0, "error: boom\nlog: tick ×3\n", ""));
    assert_eq!(home.eye(["logs", "--json"]).stdout.lines().count(), 2);
    let mut following = Running::of(home.command().args(["logs", "-f", "--count", "1"]));
    let held = page.held_tool();
    assert_eq!(held.arguments["follow"], true);
    page.progress(&held, json!({ "entry": { "level": "warn", "text": "late", "at": 3 } }));
    let mut lines = BufReader::new(following.child().stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.by_ref().collect::<Vec<_>>(), ["error: boom", "log: tick ×3", "warn: late"]);
    let mut watching = Running::of(home.command().args(["watch", "logs", "--count", "1"]));
    let held = page.held_tool();
    page.progress(&held, json!({ "entry": { "level": "warn", "text": "late", "at": 3 } }));
    let mut lines = BufReader::new(watching.child().stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), r#"{"level":"warn","text":"late","at":3}"#);
}

#[test]
fn the_change_that_a_call_caused_is_printed_below_its_value() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page =
        ScriptedPage::offering(&home, &PageSetup::new(&home, "Scene"), &[json!({ "name": "paint" })], |name, _| {
            ToolReply::Result(json!(format!("did {name}")))
        });
    assert_eq!(
        home.eye(["call", "paint", "--delta"]),
        answers(0, "did paint\n", "note: the page publishes no state, so there is no delta\n")
    );
    page.send(r#"{"jsonrpc":"2.0","method":"state/update","params":{"state":{"n":1},"revision":1}}"#);
    assert_eq!(home.eye(["click", "e1", "--delta"]), answers(0, "did page/click\ndelta: []\n", ""));
    let answer: Value = serde_json::from_str(&home.eye(["click", "e1", "--delta", "--json"]).stdout).unwrap();
    assert_eq!(answer, json!({ "value": "did page/click", "delta": { "revision": 1, "patch": [] } }));
}

#[test]
fn messages_are_published_received_and_answered() {
    let home = home();
    let _hub = HubProcess::start(&home);
    assert_eq!(home.eye(["pub", "chat", "hello"]), answers(0, "queued: no subscribers\n", ""));
    assert_eq!(home.eye(["sub", "chat", "--count", "1"]), answers(0, "hello\n", ""));
    assert_eq!(home.eye(["pub", "chat", "x", "--no-wait"]), answers(0, "dropped: no subscribers\n", ""));
    home.eye(["pub", "jobs.1", r#"{"id":7}"#]);
    let received = home.eye(["watch", "topic", "jobs.*", "--count", "1"]).stdout;
    let received: Value = serde_json::from_str(&received).unwrap();
    assert_eq!((&received["topic"], &received["message"]), (&json!("jobs.1"), &json!({ "id": 7 })));

    let mut listening = Running::of(home.command().args(["sub", "quotes", "--count", "1", "--json"]));
    let asking = Running::of(home.command().args(["pub", "quotes", r#"{"of":"EUR"}"#, "--reply"]));
    let mut lines = BufReader::new(listening.child().stdout.take().unwrap()).lines().map(Result::unwrap);
    let call: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!(call["message"]["of"], "EUR");
    let topic = call["message"]["_responseTopic"].as_str().unwrap();
    assert_eq!(home.eye(["pub", topic, "1.07"]).stdout, "delivered to 1\n");
    assert_eq!(asking.wait(), answers(0, "1.07\n", ""));
    assert_eq!(home.eye(["pub", "quotes", "x", "--reply", "--timeout", "1"]).code, 124);
}

#[test]
fn a_pages_mail_is_read_once() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = stage::page(&home);
    page.send(r#"{"jsonrpc":"2.0","method":"mailbox/put","params":{"message":"one"}}"#);
    page.send(r#"{"jsonrpc":"2.0","method":"mailbox/put","params":{"message":{"two":2}}}"#);
    assert_eq!(home.eye(["document.title"]).stdout, "Shop\n");
    assert_eq!(home.eye(["read"]), answers(0, "one\n{\"two\":2}\n", ""));
    assert_eq!(home.eye(["read"]), answers(0, "", ""));
    let waiting = Running::of(home.command().args(["read", "--wait", "20"]));
    let running: Value = serde_json::from_str(&home.eye(["status", "--json"]).stdout).unwrap();
    assert!(running.is_object());
    page.send(r#"{"jsonrpc":"2.0","method":"mailbox/put","params":{"message":"late"}}"#);
    assert_eq!(waiting.wait(), answers(0, "late\n", ""));
}
