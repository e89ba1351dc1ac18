//! The flags common to all verbs, parsed.

use crate::env::Var;
use eye_protocol::Value;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// An id, an alias, or part of a title or URL.
    pub page: Option<String>,
    pub frame: Option<String>,
    pub timeout_ms: Option<u64>,
    /// Print exact JSON instead of text.
    pub json: bool,
    pub errors: bool,
    /// Also print the state change that the call caused.
    pub delta: bool,
    /// Run only if the page's state has this revision.
    pub if_revision: Option<u64>,
    /// Truncate the printed value.
    pub bytes_max: Option<usize>,
    pub token_for: TokenFor,
}

/// Which hub the token in `EYE_TOKEN` is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenFor {
    /// The hub that the command uses; on the Unix socket the token lowers what the command may do.
    #[default]
    Asked,
    /// The remote hub being connected to. The local hub gets no token: it is used with this user's rights.
    Elsewhere,
}

impl Options {
    /// The options when no flag is given.
    pub fn from_env() -> Self {
        Self { page: Var::Page.text(), ..Self::default() }
    }

    pub fn render(&self, value: &Value) -> String {
        if self.json { value.to_json() } else { value.as_text().to_owned() }
    }
}

/// Cuts a text to at most `bytes_max` bytes, between characters. Also returns how many bytes were cut.
pub fn cut(text: &str, bytes_max: usize) -> (&str, usize) {
    let kept = text.floor_char_boundary(bytes_max);
    (&text[..kept], text.len() - kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_types_apart() {
        let text = Options::default();
        let json = Options { json: true, ..Options::default() };
        for (value, as_text, as_json) in [
            (Value::Text("5".into()), "5", "\"5\""),
            (Value::Json("5".into()), "5", "5"),
            (Value::Rendering("undefined".into()), "undefined", "\"undefined\""),
        ] {
            assert_eq!(text.render(&value), as_text);
            assert_eq!(json.render(&value), as_json);
        }
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!(cut("aé", 3), ("aé", 0));
        assert_eq!(cut("aé", 2), ("a", 2));
        assert_eq!(cut("aé", 0), ("", 3));
        assert_eq!(cut("aé", 9), ("aé", 0));
    }
}
