//! Parses one line of stdin: an expression or a verb, and the label of its answer.

use super::words::{self, Request};
use crate::failure::Failure;
use crate::options::Options;
use eye_protocol::id::split_call_id;
use eye_protocol::rpc;

/// The id of the ping that follows the last expression.
pub const END: &str = "\"end\"";

/// The label under which an answer is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// The id that the line begins with.
    Given(String),
    /// The line's number; with `--ordered` no label.
    Number,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub label: Label,
    ask: Ask,
}

#[derive(Clone, Debug, PartialEq)]
enum Ask {
    Code(String),
    Verb(Request),
}

impl Line {
    /// Parses a line. `None` if it is blank.
    pub fn parse(text: &str, options: &Options) -> Result<Option<Self>, Failure> {
        let text = text.trim_end_matches(['\n', '\r']);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let code = |code: &str| Self { label: Label::Number, ask: Ask::Code(code.to_owned()) };
        if text.starts_with('"')
            && let Ok(text) = serde_json::from_str::<String>(text)
        {
            return Ok(Some(code(&text)));
        }
        if let Some(text) = text.strip_prefix(':') {
            return Ok(Some(code(text)));
        }
        let (label, text) = match split_call_id(text, b":") {
            Some((id, _, text)) => (Label::Given(id.to_owned()), text),
            None => (Label::Number, text),
        };
        let ask = match words::request(text, options).transpose()? {
            Some(request) => Ask::Verb(request),
            None => Ask::Code(text.to_owned()),
        };
        Ok(Some(Self { label, ask }))
    }

    /// The frame that is sent to the hub.
    pub fn frame(&self, number: u64) -> String {
        match &self.ask {
            Ask::Code(code) => format!("{number}:{code}"),
            Ask::Verb(Request { method, params }) => rpc::request(&number.to_string(), method, params),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_ids_codes_or_nothing() {
        let line = |label: Option<&str>, code: &str| {
            let label = label.map_or(Label::Number, |id| Label::Given(id.into()));
            Some(Line { label, ask: Ask::Code(code.into()) })
        };
        for (text, want) in [
            ("1+1\n", line(None, "1+1")),
            ("a:b()\r\n", line(Some("a"), "b()")),
            (":a:b()", line(None, "a:b()")),
            (r#""if (x)\n  y()""#, line(None, "if (x)\n  y()")),
            (r#""a" + "b""#, line(None, r#""a" + "b""#)),
            ("x ? a:b", line(None, "x ? a:b")),
            ("  \n", None),
            ("", None),
        ] {
            assert_eq!(Line::parse(text, &Options::default()).unwrap(), want, "{text:?}");
        }
        let verb = Line::parse("a:click e3", &Options::default()).unwrap().unwrap();
        assert_eq!(verb.frame(7), r#"{"jsonrpc":"2.0","id":7,"method":"page/click","params":{"target":"e3"}}"#);
        let code = Line::parse(":click", &Options::default()).unwrap().unwrap();
        assert_eq!(code.frame(7), "7:click");
    }
}
