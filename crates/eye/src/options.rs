//! The flags that every verb takes, as the verbs use them.

use crate::env::Var;
use eye_protocol::Value;

/// What was asked for besides the verb itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The page: an id, an alias, or part of a title or URL.
    pub page: Option<String>,
    /// The frame inside it.
    pub frame: Option<String>,
    /// How long a call may take, in ms.
    pub timeout_ms: Option<u64>,
    /// Exact JSON instead of text.
    pub json: bool,
    /// Print errors only.
    pub errors: bool,
    /// Print the change of state that the call caused, too.
    pub delta: bool,
    /// Only if the page's state has this revision.
    pub if_revision: Option<u64>,
    /// Cut what is printed.
    pub bytes_max: Option<usize>,
    /// Which hub `EYE_TOKEN` is for.
    pub token_for: TokenFor,
}

/// Which hub the token in `EYE_TOKEN` is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenFor {
    /// The hub that is asked; on the Unix socket it lowers what the command may do.
    #[default]
    Asked,
    /// The hub elsewhere that is being connected to. The local one is asked as its own user.
    Elsewhere,
}

impl Options {
    /// What holds when no flag is given.
    pub fn from_env() -> Self {
        Self { page: Var::Page.text(), ..Self::default() }
    }

    /// A value as it is to be printed.
    pub fn render(&self, value: &Value) -> String {
        if self.json { value.to_json() } else { value.as_text().to_owned() }
    }
}

/// Cuts a text to at most `bytes_max` bytes, between characters, and tells how many bytes were left out.
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
