//! The page client's answers about a picture. The page may have forged them, so everything is bounded.

use crate::drive::rect::Rect;
use serde::Deserialize;

/// The longest answer to parse. A thousand marks take about a third of it.
const ANSWER_BYTES_MAX: usize = 256 << 10;

/// The most marks on one picture. The client has the same limit (`MARKS_MAX` in `web/client/src/look/picture.ts`).
const MARKS_MAX: usize = 1_000;

/// The most digits of a ref: enough for any 32-bit number.
const REF_DIGITS_MAX: usize = 10;

/// The longest text about one region, in characters.
const NAMED_CHARS_MAX: usize = 300;

/// The position of a picture's target, and the refs that the picture shows.
#[derive(Debug, Default, Deserialize)]
pub struct Seen {
    /// The target, in CSS pixels of the viewport.
    pub rect: Option<Rect>,
    /// Each ref with the position of its element.
    #[serde(default)]
    pub marks: Vec<(Ref, f64, f64, f64, f64)>,
}

/// The ref of an element: `e` and at most [`REF_DIGITS_MAX`] digits.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Ref(String);

impl TryFrom<String> for Ref {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = text.strip_prefix('e').unwrap_or_default();
        if (1..=REF_DIGITS_MAX).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self(text));
        }
        Err("not a ref")
    }
}

impl From<Ref> for String {
    fn from(Ref(text): Ref) -> Self {
        text
    }
}

impl Seen {
    /// Parses an answer. `None`: the client would not send it.
    pub fn read(answer: &str) -> Option<Self> {
        let short = Some(answer).filter(|answer| answer.len() <= ANSWER_BYTES_MAX)?;
        serde_json::from_str(short).ok().filter(|seen: &Self| seen.marks.len() <= MARKS_MAX)
    }
}

/// Parses the text about each region, one line per region. Removes line breaks, so that a page cannot add lines.
pub fn named(answer: &str) -> Vec<String> {
    let short = Some(answer).filter(|answer| answer.len() <= ANSWER_BYTES_MAX);
    let named: Vec<String> = short.and_then(|answer| serde_json::from_str(answer).ok()).unwrap_or_default();
    let line = |text: String| -> String {
        text.chars().take(NAMED_CHARS_MAX).map(|one| if one.is_control() { ' ' } else { one }).collect()
    };
    named.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(count: usize, label: &str) -> String {
        let mark = format!(r#"["{label}",1.5,2,3e2,4]"#);
        format!(r#"{{"marks":[{}]}}"#, vec![mark; count].join(","))
    }

    #[test]
    fn marks_are_bounded_in_number_and_are_refs() {
        for (count, label, read) in [
            (1_000, "e4294967295", true),
            (1_001, "e1", false),
            (1, "e12345678901", false),
            (1, "e", false),
            (1, "e1 ", false),
            (1, "e١", false),
            (1, "f1", false),
            (1, &"e".repeat(1 << 20), false),
        ] {
            assert_eq!(
                Seen::read(&marks(count, label)).is_some(),
                read,
                "{count} of {}",
                &label[..label.len().min(20)]
            );
        }
        let long = format!("{}{}", marks(1, "e1"), " ".repeat(ANSWER_BYTES_MAX));
        assert!(Seen::read(&long).is_none());
        assert!(Seen::read(r#"{"marks":[["e1",null,0,0,0]]}"#).is_none());
    }

    #[test]
    fn what_lies_in_a_region_is_one_line() {
        assert_eq!(named(r#"["e1 [Go]","a\n0,0 9x9: b"]"#), ["e1 [Go]", "a 0,0 9x9: b"]);
        assert_eq!(named(&format!(r#"["{}"]"#, "x".repeat(5_000)))[0].len(), NAMED_CHARS_MAX);
        assert_eq!(named("7"), [""; 0]);
    }
}
