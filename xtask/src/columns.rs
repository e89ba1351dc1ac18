//! Checks that comments and prose fit into 120 columns. Formatters handle code and leave only what cannot be broken.

use crate::place;
use crate::tutorial::tracked;
use std::fs;
use std::path::Path;

const COLUMNS_MAX: usize = 120;

/// Whether a file is written by `cargo xtask gen` or another tool.
fn is_generated(path: &str) -> bool {
    ["/assets/", "/golden/", "/corpus/", "/snapshots/"].iter().any(|folder| path.contains(folder))
}

fn ends_in(path: &str, kinds: &[&str]) -> bool {
    Path::new(path).extension().is_some_and(|kind| kinds.iter().any(|known| kind == *known))
}

/// The lines of a text that its author wraps by hand, with their numbers.
fn wrapped<'a>(path: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    let is_prose = ends_in(path, &["md"]);
    let (mut in_block, mut in_generated) = (false, false);
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let start = line.trim_start();
        if start.starts_with("```") {
            in_block = !in_block;
        }
        if start.starts_with("<!--") {
            in_generated = line.contains("begin");
        }
        let is_free = if is_prose {
            !in_block && !in_generated && !start.starts_with(['|', '<', '`'])
        } else {
            start.starts_with("//") || start.starts_with("* ")
        };
        if is_free {
            lines.push((number, line));
        }
    }
    lines
}

#[test]
fn comments_and_prose_fit_into_the_columns() {
    let root = place::root();
    let mut long = Vec::new();
    let mut read = 0;
    for file in tracked(&root).unwrap() {
        let path = file.to_string_lossy().into_owned();
        let is_ours = ends_in(&path, &["rs", "ts", "tsx", "mjs", "md"]);
        let Ok(text) = fs::read_to_string(root.join(&file)) else { continue };
        if is_ours && !is_generated(&path) {
            read += 1;
            let lines = wrapped(&path, &text).into_iter().filter(|(_, line)| line.chars().count() > COLUMNS_MAX);
            long.extend(lines.map(|(number, _)| format!("{path}:{number}")));
        }
    }
    assert!(read > 500, "{read} files");
    assert!(long.is_empty(), "longer than {COLUMNS_MAX} columns: {long:#?}");
}

#[test]
fn tables_and_code_are_not_wrapped() {
    let text = "a\n| b |\n```\nc\n```\n<!-- begin -->\nd\n<!-- end -->\ne";
    assert_eq!(wrapped("x.md", text), [(1, "a"), (9, "e")]);
    assert_eq!(wrapped("x.rs", "let a = 1; // b\n// c\n  /// d"), [(2, "// c"), (3, "  /// d")]);
}
