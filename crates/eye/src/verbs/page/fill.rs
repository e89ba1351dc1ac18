//! The arguments of `eye fill`: `TARGET VALUE`, or any number of `TARGET=VALUE`.

use crate::failure::Failure;
use serde_json::{Map, Value, json};

/// Builds the params of `page/fill`.
pub fn params(words: &Map<String, Value>) -> Result<Map<String, Value>, Failure> {
    let given = words.get("words").and_then(Value::as_array);
    let given: Vec<&str> = given.into_iter().flatten().filter_map(Value::as_str).collect();
    let fields = match given[..] {
        [target, value] if pair(target).is_none() => vec![(target, value)],
        _ => given
            .iter()
            .map(|word| {
                let hint = "write eye fill TARGET VALUE, or TARGET=VALUE as often as needed";
                pair(word).ok_or_else(|| Failure::usage(format!("`{word}` is not TARGET=VALUE"), hint))
            })
            .collect::<Result<_, _>>()?,
    };
    let others = words.iter().filter(|(name, _)| *name != "words").map(|(name, value)| (name.clone(), value.clone()));
    Ok(std::iter::once(("fields".to_owned(), json!(fields))).chain(others).collect())
}

/// Splits `TARGET=VALUE`. The `=` inside brackets, and the one of `text=` and `css=`, belong to the target.
fn pair(word: &str) -> Option<(&str, &str)> {
    let skipped = ["text=", "css="].iter().find(|prefix| word.starts_with(**prefix)).map_or(0, |prefix| prefix.len());
    let mut depth = 0_usize;
    for (at, c) in word.char_indices().filter(|(at, _)| *at >= skipped) {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '=' if depth == 0 => return Some((&word[..at], &word[at + 1..])),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_and_its_value_are_distinguished() {
        for (word, want) in [
            ("e3=x", Some(("e3", "x"))),
            ("[name=q]=a=b", Some(("[name=q]", "a=b"))),
            ("text=Name=Ada", Some(("text=Name", "Ada"))),
            ("e3=", Some(("e3", ""))),
            ("[name=q]", None),
            ("text=Name", None),
            ("#name", None),
        ] {
            assert_eq!(pair(word), want, "{word}");
        }
    }

    #[test]
    fn words_make_fields() {
        let of = |words: &[&str]| {
            let words = json!({ "words": words, "click": "e9" });
            params(words.as_object().unwrap()).map(Value::Object)
        };
        assert_eq!(of(&["e3", "Ada"]).unwrap(), json!({ "fields": [["e3", "Ada"]], "click": "e9" }));
        assert_eq!(of(&["e3=Ada", "e4=x"]).unwrap(), json!({ "fields": [["e3", "Ada"], ["e4", "x"]], "click": "e9" }));
        assert!(matches!(of(&["e3"]), Err(Failure::Usage { .. })));
    }
}
