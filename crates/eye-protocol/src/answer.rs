//! The result of a call, and its two spellings in line frames: typed and plain.

use crate::error::{Code, Error, Kind};
use crate::id::{split_call_id, split_call_number};
use base64::Engine;

/// Separates message, hint, stack and kind of a typed error.
const FIELD: char = '\u{1f}';
/// The kind of an error that comes from a page.
const PAGE: &str = "page";
/// The kind of a refusal that a person can lift by confirming the call.
const UNCONFIRMED: &str = "unconfirmed";

/// The value that a call returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A string, raw.
    Text(String),
    /// Any other JSON value, as compact JSON text.
    Json(String),
    /// A short rendering of a value that JSON cannot hold.
    Rendering(String),
    Bytes(Box<Bytes>),
}

/// Bytes that a call returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Media type, such as `image/png`.
    pub media_type: String,
    pub bytes: Vec<u8>,
    /// The origin of the page that the bytes came from. Empty until the hub sets it.
    pub origin: String,
    rendering: String,
}

impl Bytes {
    /// Bytes, with the rendering that readers of text see.
    pub fn new(media_type: &str, bytes: Vec<u8>) -> Self {
        let rendering = format!("<{media_type}, {} bytes>", bytes.len());
        Self { media_type: media_type.to_owned(), bytes, origin: String::new(), rendering }
    }

    pub fn base64(&self) -> String {
        base64::engine::general_purpose::STANDARD.encode(&self.bytes)
    }
}

impl Value {
    /// The value as text, without its type.
    pub fn as_text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Json(text) | Self::Rendering(text) => text,
            Self::Bytes(bytes) => &bytes.rendering,
        }
    }

    /// The value as JSON text, fit to be put into other JSON; a rendering becomes a string.
    ///
    /// Validates page JSON before embedding it, so that a hostile page cannot close our braces and open its own.
    pub fn to_json(&self) -> String {
        match self {
            Self::Json(json) if serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok() => json.clone(),
            Self::Text(text) | Self::Json(text) | Self::Rendering(text) => crate::text::json(text),
            Self::Bytes(bytes) => crate::text::json(&bytes.base64()),
        }
    }
}

/// How a call ended: one value or one error.
pub type Ending = Result<Value, Error>;

/// Writes `id:text`, `id=json`, `id~text` or `id!code message`.
pub fn write_typed(id: &str, ending: &Ending, out: &mut String) {
    out.push_str(id);
    match ending {
        Ok(value) => {
            out.push(match value {
                Value::Text(_) => ':',
                Value::Json(_) => '=',
                Value::Rendering(_) | Value::Bytes(_) => '~',
            });
            out.push_str(value.as_text());
        }
        Err(error) => {
            out.push('!');
            out.push_str(&error.code.0.to_string());
            out.push(' ');
            push_field(&error.message, out);
            let kind = match error.kind {
                // A line has no field for the retry time; the hint holds it.
                Kind::Own | Kind::TooOften { .. } => None,
                Kind::Unconfirmed => Some(UNCONFIRMED),
                Kind::Page => Some(PAGE),
            };
            if error.hint.is_some() || error.stack.is_some() || kind.is_some() {
                out.push(FIELD);
                push_field(error.hint.as_deref().unwrap_or(""), out);
            }
            if error.stack.is_some() || kind.is_some() {
                out.push(FIELD);
                push_field(error.stack.as_deref().unwrap_or(""), out);
            }
            if let Some(kind) = kind {
                out.push(FIELD);
                out.push_str(kind);
            }
        }
    }
}

/// What ends the id of a typed answer.
const MARKS: &[u8] = b":=~!";

/// Reads a typed answer. `None`: the frame is not one.
///
/// The JSON of `id=json` is not parsed here; code that needs it as a value parses it.
pub fn parse_typed(frame: &str) -> Option<(&str, Ending)> {
    let (id, mark, rest) = split_call_id(frame, MARKS)?;
    Some((id, typed(mark, rest)))
}

/// Reads a typed answer to one of the hub's own calls, whose ids are numbers.
pub fn parse_typed_call(frame: &str) -> Option<(u64, Ending)> {
    let (call, mark, rest) = split_call_number(frame, MARKS)?;
    Some((call, typed(mark, rest)))
}

fn typed(mark: u8, rest: &str) -> Ending {
    match mark {
        b':' => Ok(Value::Text(rest.into())),
        b'=' => Ok(Value::Json(rest.into())),
        b'~' => Ok(Value::Rendering(rest.into())),
        _ => Err(parse_error(rest)),
    }
}

/// Writes `id:value` or `id!:message` for a peer that did not ask for types.
pub fn write_plain(id: &str, ending: &Ending, out: &mut String) {
    out.push_str(id);
    match ending {
        Ok(value) => {
            out.push(':');
            out.push_str(value.as_text());
        }
        Err(error) => {
            out.push_str("!:");
            out.push_str(&error.one_line());
        }
    }
}

/// Reads a plain answer. Its value is text: a plain peer sends no types.
pub fn parse_plain(frame: &str) -> Option<(&str, Ending)> {
    let (id, mark, rest) = split_call_id(frame, b":!")?;
    if mark == b':' {
        return Some((id, Ok(Value::Text(rest.into()))));
    }
    let message = rest.strip_prefix(':')?;
    Some((id, Err(Error::new(Code::THREW, message))))
}

fn parse_error(rest: &str) -> Error {
    let (code, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let Ok(code) = code.parse() else {
        // A peer that sends no code means that its code threw.
        return Error::new(Code::THREW, rest);
    };
    let mut fields = text.split(FIELD).map(str::to_owned);
    let message = fields.next().unwrap_or_default();
    let hint = fields.next().filter(|hint| !hint.is_empty());
    let stack = fields.next();
    let kind = fields.next();
    // If there is a kind, an empty stack only keeps the order of the fields.
    let stack = stack.filter(|stack| kind.is_none() || !stack.is_empty());
    let kind = match kind.as_deref() {
        Some(PAGE) => Kind::Page,
        Some(UNCONFIRMED) => Kind::Unconfirmed,
        Some(_) | None => Kind::Own,
    };
    Error { code: Code(code), message, hint, stack, value: None, kind }
}

fn push_field(text: &str, out: &mut String) {
    out.extend(text.chars().filter(|&c| c != FIELD));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn endings() -> impl Strategy<Value = Ending> {
        let text = || "[^\u{1f}]*";
        let hint = proptest::option::of("[^\u{1f}]+");
        prop_oneof![
            ".*".prop_map(|t| Ok(Value::Text(t))),
            ".*".prop_map(|t| Ok(Value::Json(t))),
            ".*".prop_map(|t| Ok(Value::Rendering(t))),
            (any::<i32>(), text(), hint, proptest::option::of("[^\u{1f}]+"), 0..3_usize).prop_map(
                |(code, message, hint, stack, kind)| {
                    let kind = [Kind::Own, Kind::Unconfirmed, Kind::Page][kind];
                    Err(Error { code: Code(code), message, hint, stack, value: None, kind })
                }
            ),
        ]
    }

    proptest! {
        #[test]
        fn typed_answers_are_read_back(id in "[A-Za-z0-9_]{1,19}|[0-9]{1,19}", ending in endings()) {
            let mut out = String::new();
            write_typed(&id, &ending, &mut out);
            prop_assert_eq!(parse_typed(&out), Some((id.as_str(), ending.clone())));
            let call = id.parse().ok().map(|call: u64| (call, ending));
            prop_assert_eq!(parse_typed_call(&out), call);
        }

        #[test]
        fn any_text_is_an_answer_or_not_and_never_panics(text in ".*") {
            let _ = parse_typed(&text);
            let _ = parse_plain(&text);
        }
    }

    #[test]
    fn plain_answers_carry_text_and_one_line_errors() {
        let mut out = String::new();
        write_plain("a", &Ok(Value::Json("{\"x\":1}".into())), &mut out);
        assert_eq!(out, "a:{\"x\":1}");
        out.clear();
        let error = Error::new(Code::SESSION, "no page is connected").hint("open one");
        write_plain("a", &Err(error), &mut out);
        assert_eq!(out, "a!:no page is connected; open one");
        assert_eq!(parse_plain("a!:x"), Some(("a", Err(Error::new(Code::THREW, "x")))));
        assert_eq!(parse_plain("a!x"), None);
    }

    #[test]
    fn a_page_cannot_break_out_of_its_value() {
        assert_eq!(Value::Json(r#"1},"id":7,"x":{"a":1"#.into()).to_json(), r#""1},\"id\":7,\"x\":{\"a\":1""#);
        assert_eq!(Value::Json(String::new()).to_json(), r#""""#);
        assert_eq!(Value::Json("[1] ".into()).to_json(), "[1] ");
    }

    #[test]
    fn an_error_without_a_code_is_the_pages() {
        assert_eq!(parse_typed("a!oh no"), Some(("a", Err(Error::new(Code::THREW, "oh no")))));
    }
}
