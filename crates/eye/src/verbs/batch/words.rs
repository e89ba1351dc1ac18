//! Recognises a batch line that is a verb of the page: splits it into words like a shell, and parses it like the
//! command line.

use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::page;
use crate::verbs::page::params::with_options;
use eye_protocol::operations::{self, Operation};
use serde_json::{Map, Value};

/// A page verb as a JSON-RPC request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub method: &'static str,
    pub params: Map<String, Value>,
}

/// The request of a verb line. `None`: the line is code.
///
/// A line is a verb when its first word is one of the page's and no operator follows: `look` and `click e3` are verbs,
/// `look()`, `text = 5` and `type === "x"` are code.
pub fn request(line: &str, options: &Options) -> Option<Result<Request, Failure>> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let operation = operations::command_named(name).filter(|operation| operation.in_page())?;
    if begins_with_operator(rest.trim_start()) {
        return None;
    }
    Some(read(operation, line, options))
}

fn read(operation: &'static Operation, line: &str, options: &Options) -> Result<Request, Failure> {
    let hint = format!("see eye help {}; put : before a line that is code", operation.name);
    let words = split(line).ok_or_else(|| Failure::usage(format!("a quote is not closed: {line}"), hint.clone()))?;
    let matches = page::line::command(operation).try_get_matches_from(words).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        Failure::usage(first.strip_prefix("error: ").unwrap_or(first).to_owned(), hint)
    })?;
    let mut params = page::params_of(operation, page::line::params(operation, &matches)?)?;
    // A line gets one answer, so nothing is followed.
    params.retain(|name, _| operation.params.iter().any(|param| param.name == name && !param.remote));
    let mut params = with_options(Value::Object(params), &Options { delta: false, ..options.clone() });
    if operation.name == "wait" {
        params.insert("again".into(), true.into());
    }
    Ok(Request { method: operation.method, params })
}

/// Whether the text after the first word makes the line an expression.
fn begins_with_operator(rest: &str) -> bool {
    let mut chars = rest.chars();
    match (chars.next(), chars.next()) {
        (Some('-'), Some(next)) => !(next == '-' || next.is_ascii_alphanumeric()),
        (Some(first), _) => "=+-*/%<>&|?!^,;:()".contains(first),
        (None, _) => false,
    }
}

/// Splits a line at blanks; single quotes, double quotes and a backslash keep blanks. `None`: a quote is not closed.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().push(chars.next()?),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(line: &str) -> Option<(&'static str, Value)> {
        let request = request(line, &Options::default())?.unwrap();
        Some((request.method, Value::Object(request.params)))
    }

    #[test]
    fn verbs_and_code_are_distinguished() {
        for code in [
            "look()",
            "text = 5",
            "type === 'x'",
            "select.value",
            "wait ? 1 : 2",
            "fill - 1",
            "document.title",
            "drag, 1",
        ] {
            assert_eq!(of(code), None, "{code}");
        }
        for (line, want) in [
            ("look", ("page/look", json!({}))),
            ("snapshot --all", ("page/look", json!({ "all": true }))),
            ("click 'text=Sign in'", ("page/click", json!({ "target": "text=Sign in" }))),
            ("click #buy", ("page/click", json!({ "target": "#buy" }))),
            (
                r#"fill e3="Ada \"L\"" e4=x --click e9"#,
                ("page/fill", json!({ "fields": [["e3", "Ada \"L\""], ["e4", "x"]], "click": "e9" })),
            ),
            ("wait text=Done", ("page/wait", json!({ "target": "text=Done", "again": true }))),
            ("wait 'jobs.done > 2'", ("page/wait", json!({ "expr": "jobs.done > 2", "again": true }))),
            ("logs -f --level warn", ("page/logs", json!({ "level": "warn" }))),
            ("scroll up --by -3", ("page/scroll", json!({ "by": [0, 3] }))),
        ] {
            assert_eq!(of(line), Some(want), "{line}");
        }
    }

    #[test]
    fn a_line_that_is_no_command_line_of_its_verb_says_so() {
        for line in ["click", "click e3 e4", "click 'e3", "look --nothing"] {
            assert!(matches!(request(line, &Options::default()), Some(Err(Failure::Usage { .. }))), "{line}");
        }
    }
}
