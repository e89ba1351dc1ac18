//! `select` of `mcp_call`: extracts a part of a tool's result by JSONPath.

use super::content;
use super::era::Era;
use super::outcome::Outcome;
use crate::catalogue::select;
use eye_protocol::rpc::json;
use serde_json::Value;

/// Applies a path to a result; `None` without a path, or if the result is an error.
///
/// The path is tried on the structured content, then on the content's text as JSON; on the whole result if it has
/// neither. If the result has both, a second text says which of them was used.
pub fn selected(outcome: &Outcome, path: Option<&str>) -> Option<Outcome> {
    let path = path.filter(|path| !path.is_empty())?;
    let text = outcome.render(Era::Legacy, "tools/call", "{}");
    let result: Value = serde_json::from_str(&text).ok()?;
    if result["isError"] == true {
        return None;
    }
    let structured = result.get("structuredContent").cloned();
    let of_content = in_content(&result);
    let both = structured.is_some() && of_content.is_some();
    let alone = structured.is_none() && of_content.is_none();
    let halves =
        [("structuredContent", structured), ("content", of_content), ("the whole result", alone.then_some(result))];
    let mut found = Vec::new();
    let mut whence = "";
    for (name, value) in halves {
        let Some(value) = value else { continue };
        match select(path, &value) {
            Ok(values) => {
                whence = name;
                found = values;
                if !found.is_empty() {
                    break;
                }
            }
            Err(error) => return Some(content::of_error(&error.to_error())),
        }
    }
    let shown = match &found[..] {
        [] if both => "No matches found in structuredContent or content".to_owned(),
        [] => "No matches found".to_owned(),
        [Value::String(text)] => text.clone(),
        [only] => only.to_string(),
        several => Value::from(several.to_vec()).to_string(),
    };
    let part = |text: &str| format!(r#"{{"type":"text","text":{}}}"#, json(text));
    let mut parts = vec![part(&content::cut(&shown))];
    if both && !found.is_empty() {
        parts.push(part(&format!("(of {whence})")));
    }
    Some(Outcome::ours(format!(r#""content":[{}]"#, parts.join(","))).untrusted())
}

/// The content's text, parsed as JSON if possible; several texts as a list.
fn in_content(result: &Value) -> Option<Value> {
    let parts = result["content"].as_array()?;
    let value = |part: &Value| {
        let text = part["text"].as_str()?;
        Some(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
    };
    let mut values: Vec<Value> = parts.iter().map(value).collect::<Option<_>>()?;
    match values.len() {
        0 => None,
        1 => values.pop(),
        _ => Some(Value::Array(values)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    fn texts(result: &str, path: &str) -> Vec<String> {
        let outcome = Outcome::Foreign(RawValue::from_string(result.into()).unwrap());
        let rendered = selected(&outcome, Some(path)).unwrap().render(Era::Legacy, "tools/call", "{}");
        let rendered: Value = serde_json::from_str(&rendered).unwrap();
        let parts = rendered["content"].as_array().unwrap();
        parts.iter().map(|part| part["text"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn select_takes_a_part_of_either_half_and_says_of_which() {
        let both =
            r#"{"content":[{"type":"text","text":"{\"t\":7}"}],"structuredContent":{"a":[1,2],"s":"t","f":false}}"#;
        let of_structure = "(of structuredContent)";
        assert_eq!(texts(both, "$.a[1]"), ["2", of_structure]);
        assert_eq!(texts(both, "$.a[*]"), ["[1,2]", of_structure]);
        assert_eq!(texts(both, "$.s"), ["t", of_structure]);
        assert_eq!(texts(both, "$.f"), ["false", of_structure]);
        assert_eq!(texts(both, "$.t"), ["7", "(of content)"]);
        assert_eq!(texts(both, "$.none"), ["No matches found in structuredContent or content"]);
        assert_eq!(texts(r#"{"content":[{"type":"text","text":"{\"a\":{\"b\":0}}"}]}"#, "$.a.b"), ["0"]);
        assert_eq!(texts(r#"{"content":[{"type":"text","text":"1"},{"type":"text","text":"x"}]}"#, "$[1]"), ["x"]);
    }

    #[test]
    fn an_error_is_not_selected_from() {
        assert!(selected(&Outcome::text("broken", true), Some("$.a")).is_none());
        assert!(selected(&Outcome::text("{}", false), None).is_none());
    }
}
