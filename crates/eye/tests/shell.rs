//! What needs no hub: help, usage errors, token, allowed origins, completions, colour.

use crate::stage::{Terminal, answers, home};
use eye_testkit::Running;
use std::os::unix::fs::PermissionsExt;

#[test]
fn help_shows_examples_groups_environment_and_exit_codes() {
    let home = home();
    let ran = home.eye(["--help"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for part in [
        "Usage: eye [FLAGS] EXPR",
        "eye document.title",
        "Ask:\n",
        "Hub:\n",
        "EYE_SERVER",
        "Exit codes:\n",
        "  124  timeout",
    ] {
        assert!(ran.stdout.contains(part), "{part}");
    }
    assert_eq!(home.eye(["help"]).stdout, ran.stdout);
    assert_eq!(home.eye(["-h"]).stdout, ran.stdout);
    assert!(!ran.stdout.contains("detached"));
}

#[test]
fn help_of_a_verb_has_an_example() {
    let home = home();
    let ran = home.eye(["help", "up"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("Example: eye up"), "{}", ran.stdout);
    assert_eq!(home.eye(["up", "--help"]).stdout, ran.stdout);
}

#[test]
fn no_arguments_show_the_help_as_a_usage_error() {
    let ran = home().eye([""; 0]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("Usage: eye"));
}

#[test]
fn several_arguments_name_the_nearest_verb_or_ask_for_quotes() {
    let home = home();
    assert_eq!(
        home.eye(["stauts", "now"]),
        answers(2, "", "error: `stauts` is not a verb\nhint: did you mean eye status?\n")
    );
    let quote = "error: more than one argument, and the first is no verb\nhint: quote the expression: eye 'a + b'\n";
    assert_eq!(home.eye(["document.title", "+", "1"]), answers(2, "", quote));
    assert_eq!(home.eye(["document.title", "status"]), answers(2, "", quote));
}

#[test]
fn wrong_flags_are_usage_errors_with_a_hint() {
    let home = home();
    let wrong = "error: unexpected argument '--jsn' found\nhint: a similar argument exists: '--json'\n";
    assert_eq!(home.eye(["--jsn", "x"]), answers(2, "", wrong));
    for args in [
        &["--timeout", "0", "x"][..],
        &["--timeout", "soon", "x"],
        &["--max-bytes", "-1", "x"],
        &["eval"],
        &["up", "--tls-cert", "x"],
        &["status", "now"],
    ] {
        let ran = home.eye(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        assert!(ran.stderr.contains("\nhint: "), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn slips_of_the_first_minutes_are_named() {
    let home = home();
    let typo =
        |message: &str, verb: &str| answers(2, "", &format!("error: {message}\nhint: did you mean eye {verb}?\n"));
    assert_eq!(home.eye(["help", "clik"]), typo("`clik` is not a verb", "click"));
    let unknown = answers(2, "", "error: `zzzzzz` is not a verb\nhint: eye --help lists the verbs\n");
    assert_eq!(home.eye(["help", "zzzzzz"]), unknown);
    let option = "error: unexpected argument '--bogus' found\nhint: eye help look lists its options\n";
    assert_eq!(home.eye(["look", "--bogus"]), answers(2, "", option));
    let expression = "hint: put -- before an expression that begins with a hyphen\n";
    assert!(home.eye(["--bogus"]).stderr.ends_with(expression));
    let ran = home.eye(["open", "nothing.html"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: there is no file nothing.html here\nhint: "), "{}", ran.stderr);
    let _hub = eye_testkit::HubProcess::start(&home);
    assert_eq!(home.eye(["lok"]), typo("`lok` is not a verb, and no page is connected", "look"));
    assert_eq!(home.eye(["document"]).code, 3);
    // The opener reports at once that there is no browser; the command does not wait.
    let began = std::time::Instant::now();
    let ran = Running::of(home.command().args(["open", "http://localhost:1/"]).env("BROWSER", "false")).wait();
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.starts_with("error: no browser was found to open http://localhost:1/\n"), "{}", ran.stderr);
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "the wait for a page is 30 s");
    let ran = home.eye(["goto", "http://localhost:1/"]);
    let hint = "hint: eye browse http://localhost:1/ opens it in eye's own browser";
    assert_eq!(ran.code, 3);
    assert_eq!(ran.stderr.lines().collect::<Vec<_>>(), ["error: no page is connected", hint]);
    let ran = home.eye(["goto", "http://localhost:1/?a='b"]);
    assert!(ran.stderr.contains(r"eye browse 'http://localhost:1/?a='\''b' opens"), "{}", ran.stderr);
}

#[test]
fn a_port_that_is_none_is_a_usage_error() {
    let home = home();
    let ran = Running::of(home.command().arg("up").env("EYE_PORT", "many")).wait();
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("EYE_PORT `many` is no port"), "{}", ran.stderr);
}

#[test]
fn the_token_is_made_once_shown_and_replaced() {
    let home = home();
    let first = home.eye(["token", "show"]);
    assert_eq!((first.code, first.stdout.len(), first.stderr.as_str()), (0, 65, ""));
    assert_eq!(home.eye(["token", "show"]), first);
    let file = home.path("config/eye/token");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let second = home.eye(["token", "new"]);
    assert_eq!((second.code, second.stderr.as_str()), (0, ""));
    assert_ne!(second.stdout, first.stdout);
    assert_eq!(home.eye(["token", "show"]).stdout, second.stdout);
    let ran = Running::of(home.command().args(["token", "show"]).env("EYE_TOKEN", "mine")).wait();
    assert_eq!(ran.stdout, "mine\n");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(home.eye(["token", "show"]).code, 1);
}

#[test]
fn origins_are_allowed_listed_and_removed() {
    let home = home();
    assert_eq!(home.eye(["allow"]), answers(0, "", ""));
    assert_eq!(home.eye(["allow", "https://Shop.example/"]), answers(0, "allowed https://shop.example\n", ""));
    assert_eq!(
        home.eye(["allow", "--no-eval", "http://box:81"]),
        answers(0, "allowed http://box:81 without eval\n", "")
    );
    let list = "https://shop.example\nhttp://box:81 without eval\n";
    assert_eq!(home.eye(["allow", "--list"]), answers(0, list, ""));
    let json = "[{\"origin\":\"https://shop.example\",\"eval\":true,\"confirm\":false,\"pages\":true,\"backends\":false,\"topics\":[]},{\"origin\":\"http://box:81\",\"eval\":false,\"confirm\":false,\"pages\":true,\"backends\":false,\"topics\":[]}]\n";
    assert_eq!(home.eye(["allow", "--list", "--json"]), answers(0, json, ""));
    assert_eq!(home.eye(["allow", "--remove", "http://box:81"]), answers(0, "removed http://box:81\n", ""));
    let ran = home.eye(["allow", "--remove", "http://box:81"]);
    assert_eq!(ran, answers(2, "", "error: http://box:81 is not on the list\nhint: see eye allow --list\n"));
    assert_eq!(home.eye(["allow", "shop.example"]).code, 2);
    assert_eq!(home.eye(["allow", "--list"]).stdout, "https://shop.example\n");
}

#[test]
fn version_and_completions_are_printed() {
    let home = home();
    let version = format!("eye {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(home.eye(["version"]), answers(0, &version, ""));
    assert_eq!(home.eye(["--version"]), answers(0, &version, ""));
    for shell in ["bash", "zsh", "fish"] {
        let ran = home.eye(["completions", shell]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("collect"), "{shell}");
    }
}

#[test]
fn a_socket_that_cannot_be_says_what_to_do() {
    let home = home();
    let ran = Running::of(
        home.command().arg("5").env_remove("XDG_RUNTIME_DIR").env("EYE_SOCKET", home.path("x".repeat(120))),
    )
    .wait();
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("hint: name another with EYE_SOCKET"), "{}", ran.stderr);
}

/// The program's stderr when that is a terminal.
fn on_a_terminal(home: &eye_testkit::Home, no_color: Option<&str>) -> String {
    let (mut terminal, stderr) = Terminal::open();
    let mut command = home.command();
    command.args(["a", "b"]).envs(no_color.map(|value| ("NO_COLOR", value))).stderr(stderr);
    let ran = Running::of(&mut command).wait();
    assert_eq!(ran.code, 2);
    terminal.until("'a + b'")
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let home = home();
    assert!(!home.eye(["a", "b"]).stderr.contains('\x1b'));
    assert!(on_a_terminal(&home, None).contains("\x1b[1;31merror:\x1b[0m more than one"));
    let plain = on_a_terminal(&home, Some("1"));
    assert!(plain.contains("error: more than one") && !plain.contains('\x1b'), "{plain:?}");
}
