//! Parses the README's console lines: the commands, and the output that it shows for each.

use crate::place;
use crate::run::TaskError;
use std::fs;

#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    /// As typed after `$ `.
    pub command: String,
    /// The output that the README shows.
    pub output: String,
}

/// The commands of the README's first `console` block.
pub fn console() -> Result<Vec<Shown>, TaskError> {
    let text = fs::read_to_string(place::root().join("README.md")).map_err(TaskError::io("reading README.md"))?;
    let shown = parse(&text);
    if shown.is_empty() {
        return Err(TaskError::Wrong("README.md shows no console commands".into()));
    }
    Ok(shown)
}

fn parse(text: &str) -> Vec<Shown> {
    let block = text.split("```console\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or("");
    let mut shown: Vec<Shown> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), shown.last_mut()) {
            (Some(command), _) => shown.push(Shown { command: command.into(), output: String::new() }),
            (None, Some(last)) => {
                last.output.push_str(line);
                last.output.push('\n');
            }
            (None, None) => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_their_output() {
        let text = "# x\n```console\n$ a b\n1\n2\n$ c\n```\n```console\n$ not this\n```\n";
        let want = [("a b", "1\n2\n"), ("c", "")];
        let want: Vec<Shown> = want.iter().map(|(c, o)| Shown { command: (*c).into(), output: (*o).into() }).collect();
        assert_eq!(parse(text), want);
    }
}
