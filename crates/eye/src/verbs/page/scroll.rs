//! The arguments of `eye scroll`: a direction or an element, and how far.

use serde_json::{Map, Value, json};

/// Builds the params of `page/scroll`.
pub fn params(words: &Map<String, Value>) -> Map<String, Value> {
    let to = words.get("to").and_then(Value::as_str).unwrap_or("down");
    let by = words.get("by").and_then(Value::as_i64);
    let direction = matches!(to, "up" | "down" | "top" | "bottom");
    let params = match (direction, by) {
        (true, None) => json!({ "to": to }),
        (true, Some(by)) => json!({ "by": [0, if to == "up" { -by } else { by }] }),
        (false, None) => json!({ "target": to }),
        (false, Some(by)) => json!({ "target": to, "by": [0, by] }),
    };
    let mut params = params.as_object().cloned().unwrap_or_default();
    for name in ["accept", "dismiss"] {
        params.extend(words.get(name).map(|answer| (name.to_owned(), answer.clone())));
    }
    params.extend(words.get("synthetic").map(|yes| ("synthetic".to_owned(), yes.clone())));
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_or_an_element_and_how_far() {
        for (words, want) in [
            (json!({ "to": "down" }), json!({ "to": "down" })),
            (json!({ "to": "up", "by": 40 }), json!({ "by": [0, -40] })),
            (json!({ "to": "e7" }), json!({ "target": "e7" })),
            (json!({ "to": "down", "synthetic": true }), json!({ "to": "down", "synthetic": true })),
            (json!({ "to": "#list", "by": -4 }), json!({ "target": "#list", "by": [0, -4] })),
            (json!({ "to": "top", "accept": "yes" }), json!({ "to": "top", "accept": "yes" })),
            (json!({ "to": "top", "dismiss": true }), json!({ "to": "top", "dismiss": true })),
        ] {
            assert_eq!(Value::Object(params(words.as_object().unwrap())), want);
        }
    }
}
