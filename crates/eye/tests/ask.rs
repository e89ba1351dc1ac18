//! `eye EXPR` and its flags, against the real hub and a scripted page.

use crate::stage;
use crate::stage::{answers, home, page};
use eye_testkit::{HubProcess, PageSetup, Reply, ScriptedPage};
use std::process::Command;

#[test]
fn the_answer_is_the_value_and_a_newline_and_nothing_else() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let ran = home.eye(["document.title"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "Shop\n", ""));
}

#[test]
fn every_kind_of_value_has_its_text_and_its_json() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    for (code, text, json) in [
        ("'5'", "5", "\"5\""),
        ("5", "5", "5"),
        ("({a:1})", "{\"a\":1}", "{\"a\":1}"),
        ("undefined", "undefined", "\"undefined\""),
        ("lines", "a\nb", "\"a\\nb\""),
        ("empty", "", "\"\""),
    ] {
        assert_eq!(home.eye([code]).stdout, format!("{text}\n"), "{code}");
        assert_eq!(home.eye([code, "--json"]).stdout, format!("{json}\n"), "{code}");
        assert_eq!(home.eye(["--json", "eval", code]).stdout, format!("{json}\n"), "{code}");
    }
}

#[test]
fn quiet_changes_nothing_and_errors_prints_nothing_on_success() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    assert_eq!(home.eye(["-q", "5"]).stdout, "5\n");
    assert_eq!(home.eye(["--quiet", "5"]).stdout, "5\n");
    assert_eq!(home.eye(["--errors", "5"]), answers(0, "", ""));
    assert_eq!(home.eye(["--errors", "boom"]), answers(1, "", "error: page: x\n"));
}

#[test]
fn code_that_throws_ends_with_1_and_its_message() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    assert_eq!(home.eye(["boom"]), answers(1, "", "error: page: x\n"));
}

#[test]
fn a_long_value_is_cut_between_characters_and_says_so() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let ran = home.eye(["--max-bytes", "4", "umlauts"]);
    assert_eq!(ran, answers(0, "aäb\n", "note: 2 more bytes left out by --max-bytes\n"));
    assert_eq!(home.eye(["--max-bytes", "6", "umlauts"]), answers(0, "aäbä\n", ""));
}

#[test]
fn two_hyphens_let_an_expression_begin_with_one() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = ScriptedPage::echo(&home, "Echo");
    assert_eq!(home.eye(["--", "-1"]).stdout, "-1\n");
    assert_eq!(home.eye(["--", "status"]).stdout, "status\n");
    let ran = home.eye(["-1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("hint: put -- before an expression"), "{}", ran.stderr);
}

#[test]
fn code_comes_from_stdin_and_from_files_whole() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = ScriptedPage::echo(&home, "Echo");
    let code = "let a = 1\n#x\n  a + 1";
    let file = home.path("code.js");
    std::fs::write(&file, code).unwrap();
    let file = file.to_str().unwrap();
    let want = answers(0, &format!("{code}\n"), "");
    assert_eq!(home.eye_reading(code, ["-"]), want);
    assert_eq!(home.eye_reading(code, ["-f", "-"]), want);
    assert_eq!(home.eye_reading(code, ["eval", "-"]), want);
    assert_eq!(home.eye(["-f", file]), want);
    assert_eq!(home.eye(["eval", "-f", file]), want);
    assert_eq!(home.eye(["-f", "/nowhere.js"]).code, 1);
}

#[test]
fn a_timeout_ends_with_124() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Slow"), |_| Reply::Hold);
    let ran = home.eye(["--timeout", "0.05", "forever()"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (124, ""));
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    let held = page.held();
    assert_eq!(page.cancelled(), held.id);
}

#[test]
fn an_interrupted_call_ends_with_130_and_is_cancelled_in_the_page() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Slow"), |_| Reply::Hold);
    let mut running = home.start(["forever()"]);
    let held = page.held();
    stage::interrupt(running.child());
    assert_eq!(running.wait().code, 130);
    assert_eq!(page.cancelled(), held.id);
}

#[test]
fn tests_that_were_started_in_the_background_can_interrupt_too() {
    // As with `nohup` and a plain `&`: the signal is ignored, and children inherit that.
    let ignoring = r#"trap "" INT; exec "$0" "$@""#;
    let this = std::env::current_exe().unwrap();
    let test = "ask::an_interrupted_call_ends_with_130_and_is_cancelled_in_the_page";
    let again = Command::new("sh").args(["-c", ignoring]).arg(this).args(["--exact", test]).output().unwrap();
    let printed = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && printed.contains("1 passed"), "{printed}");
}

#[test]
fn a_frame_is_asked_by_its_selector() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = ScriptedPage::echo(&home, "Echo");
    assert_eq!(home.eye(["--frame", "#preview", "title"]).stdout, "title@#preview\n");
}

#[test]
fn output_that_nobody_reads_is_success() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Slow"), |_| Reply::Hold);
    let mut running = home.start(["document.title"]);
    let held = page.held();
    drop(running.child().stdout.take());
    page.answer(&held, &Ok(eye_protocol::Value::Text("Shop".into())));
    assert_eq!(running.wait(), answers(0, "", ""));
}

#[test]
fn output_that_cannot_be_written_is_no_success() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = eye_testkit::Running::of(home.command().arg("5").stdout(full)).wait();
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with("error: cannot print the answer"), "{}", ran.stderr);
}

#[test]
fn a_large_value_arrives_whole_and_code_over_the_limit_is_refused() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let ran = home.eye(["large"]);
    assert_eq!((ran.code, ran.stdout.len()), (0, (5 << 20) + 1));
    let ran = home.eye_reading(&"x".repeat(17 << 20), ["-"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("over the limit of 16 MiB"), "{}", ran.stderr);
}

#[test]
fn a_misspelt_verb_is_noticed_when_the_page_does_not_know_it() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let ran = home.eye(["stauts"]);
    assert_eq!(
        ran,
        answers(1, "", "error: page: ReferenceError: stauts is not defined\nhint: did you mean eye status?\n")
    );
}

#[test]
fn fire_prints_nothing_and_reaches_the_page() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Slow"), |_| Reply::Hold);
    assert_eq!(home.eye(["fire", "foo:bar()"]), answers(0, "", ""));
    let held = page.held();
    assert_eq!((held.id.as_str(), held.code.as_str()), ("", "foo:bar()"));
}

#[test]
fn async_prints_an_id_and_collect_its_value() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let id = home.eye(["async", "5"]);
    assert_eq!(id.code, 0);
    let id = id.stdout.trim_end();
    assert_eq!(home.eye(["async", "--id", "b", "boom"]).stdout, "b\n");
    assert_eq!(home.eye(["collect", "b", id]), answers(1, &format!("b!:x\n{id}:5\n"), ""));
    assert_eq!(home.eye(["async", "--id", "c", "({a:1})"]).stdout, "c\n");
    assert_eq!(home.eye(["collect", "--json"]).stdout, "{\"id\":\"c\",\"value\":{\"a\":1}}\n");
    assert_eq!(home.eye(["async", "--id", "no-id", "5"]).code, 2);
}

#[test]
fn what_is_pending_at_the_timeout_is_named() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Slow"), |code| match code {
        "now" => Reply::json("1"),
        _ => Reply::Hold,
    });
    assert_eq!(home.eye(["async", "--id", "a", "later"]).stdout, "a\n");
    assert_eq!(home.eye(["async", "--id", "b", "now"]).stdout, "b\n");
    let held = page.held();
    let ran = home.eye(["collect", "a", "b", "--timeout", "0.05"]);
    assert_eq!(ran, answers(124, "b:1\n", "error: still pending: a\nhint: ask again with eye collect a\n"));
    page.answer(&held, &Ok(eye_protocol::Value::Json("2".into())));
    assert_eq!(home.eye(["collect", "a"]), answers(0, "a:2\n", ""));
}
