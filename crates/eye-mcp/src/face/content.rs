//! Turns a page's result into MCP content: text as text, media as media, long text cut.

use super::limits::ANSWER_CHARS_MAX;
use super::outcome::{Outcome, error_mark};
use crate::RpcError;
use eye_protocol::rpc::json;
use eye_protocol::{Error, Kind};
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
