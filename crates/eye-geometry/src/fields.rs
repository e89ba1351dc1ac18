//! Reads members of a JSON object one by one, with their bounds. Names may be written `like_this` or `likeThis`.

use crate::refusal::Refusal;
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(pub &'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// A member, in either spelling. `null` counts as absent.
    pub fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).or_else(|| self.0.get(&camel(name))).filter(|value| !value.is_null())
    }

    /// A non-empty string.
    pub fn text(self, name: &str, bytes_max: usize) -> Result<Option<&'a str>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = value.as_str().filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| Refusal::invalid(format!("{name} must be a non-empty string")))?;
        if text.len() > bytes_max {
            return Err(Refusal::invalid(format!("{name} is over the limit of {} KiB", bytes_max >> 10)));
        }
        Ok(Some(text))
    }

    /// An integer within bounds.
    pub fn integer(self, name: &str, bounds: RangeInclusive<u64>) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        // A page may send an integer as 10.0.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a whole number in range")]
        let whole = |number: f64| (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64);
        let number = value.as_u64().or_else(|| value.as_f64().and_then(whole));
        let (least, most) = (bounds.start(), bounds.end());
        let refusal = || Refusal::invalid(format!("{name} must be an integer between {least} and {most}"));
        number.filter(|number| bounds.contains(number)).map(Some).ok_or_else(refusal)
    }

    /// A number within bounds.
    pub fn number(self, name: &str, bounds: RangeInclusive<f64>) -> Result<Option<f64>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let (least, most) = (bounds.start(), bounds.end());
        let refusal = || Refusal::invalid(format!("{name} must be a number between {least} and {most}"));
        value.as_f64().filter(|number| bounds.contains(number)).map(Some).ok_or_else(refusal)
    }

    /// A boolean.
    pub fn flag(self, name: &str) -> Result<Option<bool>, Refusal> {
        let refusal = || Refusal::invalid(format!("{name} must be true or false"));
        self.get(name).map(|value| value.as_bool().ok_or_else(refusal)).transpose()
    }

    /// Refuses unknown members and suggests the nearest known one.
    pub fn only(self, what: &str, known: &[&str]) -> Result<(), Refusal> {
        let spelled = |name: &str| known.iter().any(|known| *known == name || camel(known) == name);
        let Some(unknown) = self.0.keys().find(|name| !spelled(name)) else { return Ok(()) };
        let near = |name: &&&str| strsim::damerau_levenshtein(unknown, name);
        let nearest = known.iter().min_by_key(near).filter(|name| near(name) <= unknown.len().max(4) / 2);
        let next = match nearest {
            Some(name) => format!("did you mean {name}?"),
            None => format!("it takes {}", known.join(", ")),
        };
        Err(Refusal::invalid(format!("{what} does not take `{}`; {next}", shown(unknown))))
    }
}

/// A name from outside, shortened for a message.
fn shown(name: &str) -> String {
    name.chars().take(40).collect()
}

/// `seed_shader` → `seedShader`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or("").to_owned();
    words.fold(first, |mut text, word| {
        let mut letters = word.chars();
        text.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        text.extend(letters);
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with<T>(value: &Value, read: impl FnOnce(Fields<'_>) -> T) -> T {
        read(Fields(value.as_object().unwrap()))
    }

    #[test]
    fn both_spellings_are_read() {
        for value in [json!({"seed_shader": "x"}), json!({"seedShader": "x"})] {
            assert!(with(&value, |fields| fields.text("seed_shader", 9).unwrap() == Some("x")));
        }
    }

    #[test]
    fn numbers_keep_their_bounds() {
        for (value, want) in [
            (json!(1), Ok(Some(1))),
            (json!(100), Ok(Some(100))),
            (json!(10.0), Ok(Some(10))),
            (json!(null), Ok(None)),
            (json!(0), Err(())),
            (json!(101), Err(())),
            (json!(1.5), Err(())),
            (json!(-1), Err(())),
            (json!("5"), Err(())),
        ] {
            let object = json!({ "n": value });
            assert_eq!(with(&object, |fields| fields.integer("n", 1..=100).map_err(|_| ())), want, "{value}");
        }
        let object = json!({ "r": 0.5 });
        assert_eq!(with(&object, |fields| fields.number("r", 0.01..=0.5)), Ok(Some(0.5)));
        assert!(with(&object, |fields| fields.number("r", 0.01..=0.4)).is_err());
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_nearest() {
        let known = ["interval_ms", "threshold"];
        let refusal =
            |key: &str| with(&json!({ key: 1 }), |fields| fields.only("monitor", &known)).unwrap_err().message;
        assert_eq!(refusal("treshold"), "monitor does not take `treshold`; did you mean threshold?");
        assert_eq!(refusal("intervalms"), "monitor does not take `intervalms`; did you mean interval_ms?");
        assert_eq!(refusal("colour"), "monitor does not take `colour`; it takes interval_ms, threshold");
        assert_eq!(with(&json!({ "intervalMs": 1 }), |fields| fields.only("monitor", &known)), Ok(()));
    }
}
