//! Turns a page's result into MCP content: text as text, media as media, long text cut.

use super::limits::ANSWER_CHARS_MAX;
use super::outcome::{Outcome, error_mark};
use crate::RpcError;
use eye_protocol::local::LocalValue;
use eye_protocol::rpc::json;
use eye_protocol::{Error, Kind, Value};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The result of `eval` and of verbs, in the hub's format.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Evaluated<'a> {
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    rendering: Option<String>,
    base64: Option<String>,
    media_type: Option<String>,
}

/// A page's value as a tool's result.
pub fn of_value(result: &RawValue) -> Outcome {
    let Ok(evaluated) = serde_json::from_str::<Evaluated<'_>>(result.get()) else {
        return Outcome::text(&cut(result.get()), false).untrusted();
    };
    if let (Some(data), Some(media_type)) = (&evaluated.base64, &evaluated.media_type) {
        return media(data, media_type).untrusted();
    }
    let text = match (&evaluated.rendering, evaluated.value) {
        (Some(rendering), _) => cut(rendering),
        (None, Some(value)) => cut(&plain(value)),
        (None, None) => "null".to_owned(),
    };
    Outcome::text(&text, false).untrusted()
}

/// What code in a page came to, as a tool's result.
pub fn of_eval(value: LocalValue) -> Outcome {
    let value = match value {
        LocalValue::Result(result) => return of_value(&result),
        LocalValue::Value(value) => value,
    };
    let text = match value {
        Value::Text(text) | Value::Rendering(text) => text,
        // What is no JSON is text.
        Value::Json(json) => serde_json::from_str::<&RawValue>(&json).map(plain).unwrap_or(json),
        Value::Bytes(bytes) => return media(&bytes.base64(), &bytes.media_type).untrusted(),
    };
    Outcome::text(&within(text), false).untrusted()
}

/// A string without quotes, anything else as JSON.
pub fn plain(value: &RawValue) -> String {
    serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

fn media(data: &str, media_type: &str) -> Outcome {
    let (data, kind) = (json(data), json(media_type));
    Outcome::ours(match media_type.split('/').next() {
        Some("image") => format!(r#""content":[{{"type":"image","data":{data},"mimeType":{kind}}}]"#),
        Some("audio") => format!(r#""content":[{{"type":"audio","data":{data},"mimeType":{kind}}}]"#),
        _ => format!(
            r#""content":[{{"type":"resource","resource":{{"uri":"eye://result","mimeType":{kind},"blob":{data}}}}}]"#
        ),
    })
}

/// [`cut`] for a text that is nearly always short enough.
fn within(text: String) -> String {
    if text.len() <= ANSWER_CHARS_MAX { text } else { cut(&text) }
}

/// Text up to the limit, with a note on how to get the rest.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(ANSWER_CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => {
            let all = ANSWER_CHARS_MAX + text[end..].chars().count();
            format!(
                "{}\n… cut at {ANSWER_CHARS_MAX} of {all} characters; ask for less, or for the rest as a string: X.slice({ANSWER_CHARS_MAX})",
                &text[..end]
            )
        }
    }
}

/// An error as a tool's result, so that the model reads the error and its hint.
pub fn of_error(error: &Error) -> Outcome {
    // Further lines of a page's message are indented, so that none of them looks like our hint.
    let mut text = match error.kind {
        Kind::Page => format!("page: {}", error.message.replace('\n', "\n  ")),
        Kind::Own | Kind::Unconfirmed | Kind::TooOften { .. } => error.message.clone(),
    };
    if let Some(hint) = &error.hint {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    if let Some(stack) = error.stack.as_deref().filter(|stack| !stack.is_empty()) {
        text.push('\n');
        text.push_str(stack);
    }
    Outcome::text(&cut(&text), true).untrusted()
}

/// An upstream's error as a tool's result.
pub fn of_rpc_error(error: &RpcError) -> Outcome {
    let mut text = error.message.clone();
    match (error.hint(), &error.data) {
        (Some(hint), _) => {
            text.push_str("\nhint: ");
            text.push_str(&hint);
        }
        (None, Some(data)) => {
            text.push('\n');
            text.push_str(data.get());
        }
        (None, None) => {}
    }
    Outcome::text(&cut(&text), true)
}

/// JSON of ours as a tool's result.
pub fn of_json(text: &str, is_error: bool) -> Outcome {
    Outcome::ours(format!(r#""content":[{{"type":"text","text":{}}}]{}"#, json(&cut(text)), error_mark(is_error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::era::Era;

    fn text(result: &str) -> String {
        let raw = RawValue::from_string(result.into()).unwrap();
        of_value(&raw).render(Era::Legacy, "tools/call", "{}")
    }

    fn is(result: &str, want: &str) {
        let rendered: serde_json::Value = serde_json::from_str(&text(result)).unwrap();
        assert_eq!(rendered["content"][0]["text"], want, "{result}");
        assert_eq!(rendered["_meta"]["eye/untrusted"], true);
    }

    #[test]
    fn values_are_bare_text() {
        is(r#"{"value":"Shop"}"#, "Shop");
        is(r#"{"value":5}"#, "5");
        is(r#"{"value":null}"#, "null");
        is(r#"{"value":false}"#, "false");
        is(r#"{"value":{"a":[1,"x"]}}"#, r#"{"a":[1,"x"]}"#);
        is(r#"{"rendering":"undefined"}"#, "undefined");
    }

    #[test]
    fn code_comes_to_the_same_whether_its_value_was_written_as_a_result_or_not() {
        let values = [
            Value::Text("Shop".into()),
            Value::Text("\"quoted\"".into()),
            Value::Json(r#"{"a":[1,"x"]}"#.into()),
            Value::Json(r#" "a string" "#.into()),
            Value::Json("[1] ".into()),
            Value::Json("1},{".into()),
            Value::Json(String::new()),
            Value::Rendering("undefined".into()),
            Value::Text("ä".repeat(ANSWER_CHARS_MAX + 3)),
            Value::Bytes(Box::new(eye_protocol::answer::Bytes::new("image/png", vec![0; 5]))),
            Value::Bytes(Box::new(eye_protocol::answer::Bytes::new("text/plain", vec![65]))),
        ];
        for value in values {
            let result = RawValue::from_string(eye_protocol::rpc::eval_result(&value)).unwrap();
            let render = |outcome: Outcome| outcome.render(Era::Legacy, "tools/call", "{}");
            assert_eq!(render(of_eval(LocalValue::Value(value.clone()))), render(of_value(&result)), "{value:?}");
            assert_eq!(render(of_eval(LocalValue::Result(result.clone()))), render(of_value(&result)));
        }
    }

    #[test]
    fn pictures_are_pictures() {
        let rendered: serde_json::Value =
            serde_json::from_str(&text(r#"{"base64":"AA==","mediaType":"image/png"}"#)).unwrap();
        assert_eq!(rendered["content"][0]["type"], "image");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        let full = "ä".repeat(ANSWER_CHARS_MAX);
        assert_eq!(cut(&full), full);
        let long = cut(&format!("{full}xyz"));
        assert!(long.starts_with(&full) && long.contains(&format!("of {} characters", ANSWER_CHARS_MAX + 3)));
    }
}
