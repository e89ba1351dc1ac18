//! Renders a tool's result and its progress as text.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::{results, ui};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    delta: Option<Box<RawValue>>,
}

/// Prints a result: its texts, or with `--json` the whole object.
pub fn show(result: &str, options: &Options) -> Result<Exit, Failure> {
    let value: Value = client::read_result(result)?;
    let failed = value["isError"] == true;
    if options.json {
        ui::value(&eye_protocol::Value::Json(result.to_owned()), options)?;
        return Ok(if failed { Exit::Threw } else { Exit::Success });
    }
    let (text, others) = texts(&value);
    if failed {
        let text = if text.is_empty() { "the tool failed and does not say why".into() } else { text };
        return Err(Failure::ToolFailed(text));
    }
    if !text.is_empty() || others.is_empty() {
        ui::value(&eye_protocol::Value::Text(text), options)?;
    }
    let delta: Delta = client::read_result(result)?;
    results::show_delta(delta.delta.as_deref(), options)?;
    if !others.is_empty() && !options.errors {
        ui::note(format_args!("left out: {}; --json has all of it", others.join(", ")));
    }
    Ok(Exit::Success)
}

/// The texts of a result, joined by newlines, and the types of its other contents.
fn texts(result: &Value) -> (String, Vec<String>) {
    let contents = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |content: &Value| match (content["type"].as_str(), content["text"].as_str()) {
        (Some("text"), Some(text)) => Some(text.to_owned()),
        _ => None,
    };
    let found: Vec<String> = contents.iter().filter_map(text).collect();
    let others = contents.iter().filter(|content| text(content).is_none());
    let kind = |content: &Value| ui::one_line(content["type"].as_str().unwrap_or("what has no type"), 30);
    (found.join("\n"), others.map(kind).collect())
}

/// Progress as text, such as `3/10 loading`. Parts that do not have the expected type are left out.
pub fn progress(params: &str) -> String {
    let params: Value = serde_json::from_str(params).unwrap_or_default();
    let number = |name: &str| params[name].as_f64();
    let count = match (number("progress"), number("total")) {
        (Some(done), Some(total)) => format!("{done}/{total}"),
        (Some(done), None) => done.to_string(),
        (None, _) => String::new(),
    };
    format!("{count} {}", params["message"].as_str().unwrap_or_default()).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_are_joined_and_what_is_no_text_is_named() {
        let result = json!({ "content": [
            { "type": "text", "text": "a" },
            { "type": "image", "data": "…" },
            { "type": "text", "text": "b\nc" },
            { "text": "no type" },
            7,
        ] });
        let others = ["image", "what has no type", "what has no type"].map(str::to_owned).to_vec();
        assert_eq!(texts(&result), ("a\nb\nc".into(), others));
        assert_eq!(texts(&json!({})), (String::new(), Vec::new()));
    }

    #[test]
    fn progress_is_a_count_and_a_message_as_far_as_there_are() {
        for (params, want) in [
            (r#"{"progress":3,"total":10,"message":"loading"}"#, "3/10 loading"),
            (r#"{"progress":0.5}"#, "0.5"),
            (r#"{"message":"loading"}"#, "loading"),
            (r#"{"progress":"much"}"#, ""),
            ("7", ""),
        ] {
            assert_eq!(progress(params), want, "{params}");
        }
    }
}
