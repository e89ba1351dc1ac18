//! The text of `eye --help`: verbs by group, examples, flags, environment and exit codes, from the tables that hold them.

use crate::{env, exit};
use clap::Command;
use std::fmt::Write;

/// Every verb, by group.
pub const GROUPS: [(&str, &[&str]); 9] = [
    ("Ask", &["eval", "fire", "async", "collect", "batch", "repl"]),
    ("See", &["look", "text", "query", "state", "watch", "wait", "logs"]),
    ("Act", &["click", "fill", "type", "press", "select", "check", "uncheck", "hover", "scroll", "drag", "upload"]),
    ("Messages", &["pub", "sub", "send", "read", "write"]),
    ("Pages", &["pages", "use", "open", "join", "reload"]),
    ("Tools", &["tools", "call", "discover", "rpc"]),
    ("MCP", &["mcp", "servers"]),
    ("Hub", &["up", "down", "status", "connect", "disconnect", "doctor", "token", "allow", "tls"]),
    ("Shell", &["skill", "completions", "man", "version", "help"]),
];

/// Names that peers of eye use for the same verb.
pub const ALIASES: [(&str, &str); 4] = [("tabs", "pages"), ("snapshot", "look"), ("console", "logs"), ("goto", "open")];

const EXAMPLES: [(&str, &str); 4] = [
    ("eye document.title", "the page's title, and nothing else"),
    ("eye -p shop 'await cart.total()'", "in the page whose alias, title or URL has \"shop\""),
    ("eye call addToCart id=7 count=2", "a tool that the page offers; eye tools lists them"),
    ("eye batch --ordered < lines.txt", "many expressions in one go"),
];

/// Whether a word is a verb.
pub fn is_verb(word: &str) -> bool {
    GROUPS.iter().any(|(_, verbs)| verbs.contains(&word)) || ALIASES.iter().any(|(alias, _)| *alias == word)
}

/// The template of `--help`, with the verbs that the command knows.
pub fn template(command: &Command) -> String {
    let mut text = String::from("{about}\n\nUsage: eye [FLAGS] EXPR\n       eye [FLAGS] VERB …\n\nExamples:\n");
    table(&mut text, EXAMPLES.iter().map(|(left, right)| ((*left).to_owned(), (*right).to_owned())));
    for (group, verbs) in GROUPS {
        let _ = write!(text, "\n{group}:\n");
        table(&mut text, verbs.iter().map(|verb| ((*verb).to_owned(), about(command, verb))));
    }
    text.push_str("\nFlags:\n{options}\n\nEnvironment:\n");
    table(&mut text, env::TABLE.iter().map(|(_, name, what)| ((*name).to_owned(), (*what).to_owned())));
    text.push_str("\nExit codes:\n");
    table(&mut text, exit::TABLE.iter().map(|(exit, what)| (exit.code().to_string(), (*what).to_owned())));
    text.push_str("\n`eye help VERB` tells more. Put -- before an expression that begins with a hyphen.\n");
    text
}

fn about(command: &Command, verb: &str) -> String {
    match command.find_subcommand(verb).and_then(Command::get_about) {
        Some(about) => about.to_string(),
        None => "Help for a verb".into(),
    }
}

fn table(text: &mut String, rows: impl Iterator<Item = (String, String)>) {
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0);
    for (left, right) in rows {
        let _ = writeln!(text, "  {left:width$}  {right}");
    }
}
