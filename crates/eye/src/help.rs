//! The text of `eye --help`: verbs by group, examples, flags, environment and exit codes, from the tables that hold
//! them.

use crate::{env, exit};
use eye_protocol::operations::{self, Faces, Group};
use std::fmt::Write;

const EXAMPLES: [(&str, &str); 4] = [
    ("eye document.title", "the page's title, and nothing else"),
    ("eye -p shop 'await cart.total()'", "in the page whose alias, title or URL has \"shop\""),
    ("eye call addToCart id=7 count=2", "a tool that the page offers; eye tools lists them"),
    ("eye batch --ordered < lines.txt", "many expressions in one go"),
];

/// Whether a word is a verb.
pub fn is_verb(word: &str) -> bool {
    operations::command_named(word).is_some()
}

/// The template of `--help`.
pub fn template() -> String {
    let mut text = String::from("{about}\n\nUsage: eye [FLAGS] EXPR\n       eye [FLAGS] VERB …\n\nExamples:\n");
    table(&mut text, EXAMPLES.iter().map(|(left, right)| ((*left).to_owned(), (*right).to_owned())));
    for group in Group::ALL {
        let _ = write!(text, "\n{}:\n", group.heading());
        let verbs = operations::shown_by(Faces::CLI).filter(|verb| verb.group == group);
        table(&mut text, verbs.map(|verb| (verb.name.to_owned(), verb.about.to_owned())));
    }
    text.push_str("\nFlags:\n{options}\n\nEnvironment:\n");
    table(&mut text, env::TABLE.iter().map(|(_, name, what)| ((*name).to_owned(), (*what).to_owned())));
    text.push_str("\nExit codes:\n");
    table(&mut text, exit::TABLE.iter().map(|(exit, what)| (exit.code().to_string(), (*what).to_owned())));
    text.push_str("\n`eye help VERB` tells more. Put -- before an expression that begins with a hyphen.\n");
    text
}

fn table(text: &mut String, rows: impl Iterator<Item = (String, String)>) {
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0);
    for (left, right) in rows {
        let _ = writeln!(text, "  {left:width$}  {right}");
    }
}
