//! `eye batch`: many lines, in order and not, over the socket and over a WebSocket.

use crate::stage;
use crate::stage::{answers, home, page};
use eye_protocol::Value;
use eye_testkit::{Home, HubProcess, PageSetup, Reply, ScriptedPage};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

fn numbers(count: usize) -> String {
    (1..=count).fold(String::new(), |text, n| text + &n.to_string() + "\n")
}

fn as_they_come(home: &Home, server: Option<&str>) {
    let lines = numbers(1000);
    let mut command = home.command();
    if let Some(server) = server {
        command.env("EYE_SERVER", server).env("EYE_TOKEN", home.eye(["token", "show"]).stdout.trim());
    }
    let ran = stage::run_reading(&mut command, &lines, &["batch"]);
    let got: BTreeSet<&str> = ran.stdout.lines().collect();
    let want: Vec<String> = (1..=1000).map(|n| format!("{n}:{n}")).collect();
    assert_eq!(got, want.iter().map(String::as_str).collect::<BTreeSet<_>>());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let ran = stage::run_reading(&mut command, &lines, &["--ordered"]);
    assert_eq!(ran, answers(0, &lines, ""));
}

#[test]
fn a_thousand_lines_are_answered_as_they_come_and_in_order() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = ScriptedPage::echo(&home, "Echo");
    as_they_come(&home, None);
}

#[test]
fn a_thousand_lines_are_answered_over_a_websocket_too() {
    let home = home();
    let hub = HubProcess::start(&home);
    let _page = ScriptedPage::echo(&home, "Echo");
    as_they_come(&home, Some(hub.url()));
}

#[test]
fn ids_are_kept_and_failures_end_with_1() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let lines = "a:5\n\nboom\n\"lines\"\nb:boom\n";
    assert_eq!(home.eye_reading(lines, ["batch", "--ordered"]), answers(1, "a:5\n!:x\na\nb\nb!:x\n", ""));
    let ran = home.eye_reading(lines, ["batch"]);
    let got: BTreeSet<&str> = ran.stdout.lines().collect();
    assert_eq!(got, BTreeSet::from(["a:5", "2!:x", "3:a", "b", "b!:x"]));
    let ran = home.eye_reading("a:5\nboom\n", ["batch", "--ordered", "--json"]);
    assert_eq!(
        ran.stdout,
        "{\"id\":\"a\",\"value\":5}\n{\"id\":\"2\",\"error\":{\"code\":-32003,\"message\":\"x\",\"data\":{\"source\":\"page\"}}}\n"
    );
    assert_eq!(home.eye_reading("5\nboom\n", ["batch", "--errors"]), answers(1, "2!:x\n", ""));
    assert_eq!(home.eye_reading("", ["batch"]), answers(0, "", ""));
}

#[test]
fn an_answer_is_printed_while_stdin_is_still_open() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = ScriptedPage::echo(&home, "Echo");
    let mut child = home.command().arg("batch").stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
    for n in 1..=3 {
        writeln!(stdin, "x{n}").unwrap();
        assert_eq!(stdout.next().unwrap().unwrap(), format!("{n}:x{n}"));
    }
    drop(stdin);
    assert!(stdout.next().is_none());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_slow_answer_holds_back_only_ordered_output() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Slow"), |code| match code {
        "slow" => Reply::Hold,
        other => Reply::text(other),
    });
    let mut child = home.command().arg("batch").stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
    stdin.write_all(b"slow\nfast\n").unwrap();
    drop(stdin);
    assert_eq!(stdout.next().unwrap().unwrap(), "2:fast");
    page.answer(&page.held(), &Ok(Value::Json("1".into())));
    assert_eq!(stdout.next().unwrap().unwrap(), "1:1");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_hub_that_dies_in_a_batch_is_reported() {
    let home = home();
    let hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Slow"), |_| Reply::Hold);
    let mut command = home.command();
    let waiting = std::thread::spawn(move || stage::run_reading(&mut command, "a\nb\n", &["batch"]));
    page.held();
    hub.kill();
    let ran = waiting.join().unwrap();
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.starts_with("error: the hub went away"), "{}", ran.stderr);
}

#[test]
fn verbs_are_lines_too_beside_code() {
    let home = home();
    let hub = HubProcess::start(&home);
    let _page = ScriptedPage::offering(&home, &PageSetup::new(&home, "Shop"), &[], |verb, params| match verb {
        "page/click" if params["target"] == "e404" => {
            eye_testkit::ToolReply::Error(eye_protocol::Error::new(eye_protocol::Code::PARAMS, "nothing matches"))
        }
        _ => eye_testkit::ToolReply::Result(serde_json::json!(format!("{verb} {}", params["target"]))),
    });
    let lines = "click e3\na:fill '#name' Ada\nlook\nclick e404\n";
    let want = "page/click \"e3\"\na:page/fill null\npage/look null\n!:nothing matches\n";
    assert_eq!(home.eye_reading(lines, ["batch", "--ordered"]), answers(1, want, ""));
    let mut command = home.command();
    command.env("EYE_SERVER", hub.url()).env("EYE_TOKEN", home.eye(["token", "show"]).stdout.trim());
    assert_eq!(stage::run_reading(&mut command, lines, &["batch", "--ordered"]), answers(1, want, ""));
    let ran = home.eye_reading("click\n", ["batch"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}
