//! `eye repl`, with a terminal and without one.

use crate::stage::{Terminal, home, page};
use eye_testkit::HubProcess;

#[test]
fn the_repl_answers_line_by_line_without_a_terminal() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let ran = home.eye_reading("5\n\nboom\n.page\ndocument.title\n.exit\nnever\n", ["repl"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "error: page: x\n"));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!((lines[0], lines[2], lines.len()), ("5", "Shop", 3));
    assert!(lines[1].contains("shop  Shop  http://localhost:"), "{}", lines[1]);
}

#[test]
fn on_a_terminal_the_repl_takes_pasted_lines_and_keeps_a_history() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let (mut terminal, near) = Terminal::open();
    let mut command = home.command();
    command.arg("repl").env("TERM", "xterm");
    command.stdin(near.try_clone().unwrap()).stdout(near.try_clone().unwrap()).stderr(near);
    let mut child = command.spawn().unwrap();
    terminal.until("> ");
    terminal.keys("document.title\r");
    terminal.until("Shop");
    terminal.until("> ");
    // A paste, as terminals bracket it: two lines are one expression.
    terminal.keys("\x1b[200~one\ntwo\x1b[201~\r");
    assert!(terminal.until("is not defined").contains("one"));
    terminal.until("> ");
    terminal.keys("\x04");
    assert!(child.wait().unwrap().success());
    let history = std::fs::read_to_string(home.path("state/eye/history")).unwrap();
    assert!(history.contains("document.title\n") && history.contains("one\\ntwo"), "{history}");
}

#[test]
fn eye_alone_is_the_repl_on_a_terminal() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let (mut terminal, near) = Terminal::open();
    let mut command = home.command();
    command.env("TERM", "xterm");
    command.stdin(near.try_clone().unwrap()).stdout(near.try_clone().unwrap()).stderr(near);
    let mut child = command.spawn().unwrap();
    terminal.until("> ");
    terminal.keys("document.title\r");
    terminal.until("Shop");
    terminal.until("> ");
    terminal.keys("\x04");
    assert!(child.wait().unwrap().success());
}
