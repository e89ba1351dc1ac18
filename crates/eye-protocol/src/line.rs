//! Line frames of an agent: code with an id, or code to fire and forget.

use crate::id::split_call_id;

/// One line frame with code to evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Never answered.
    Fire { code: &'a str },
    /// Answered under its id.
    Ask {
        /// 1 to 19 of `[A-Za-z0-9_]`.
        id: &'a str,
        code: &'a str,
    },
}

impl<'a> Line<'a> {
    /// Reads a frame. Every text is one of the two.
    pub fn parse(frame: &'a str) -> Self {
        if let Some(code) = frame.strip_prefix(':') {
            return Self::Fire { code };
        }
        match split_call_id(frame, b":") {
            Some((id, _, code)) => Self::Ask { id, code },
            None => Self::Fire { code: frame },
        }
    }

    /// Writes the frame so that [`Line::parse`] reads it back.
    pub fn write(self, out: &mut String) {
        match self {
            Self::Fire { code } => {
                out.push(':');
                out.push_str(code);
            }
            Self::Ask { id, code } => {
                out.push_str(id);
                out.push(':');
                out.push_str(code);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_before_the_first_colon_is_an_id_only_if_it_looks_like_one() {
        assert_eq!(Line::parse("a:getUser()"), Line::Ask { id: "a", code: "getUser()" });
        assert_eq!(Line::parse("openNotepad()"), Line::Fire { code: "openNotepad()" });
        assert_eq!(Line::parse(":foo:bar()"), Line::Fire { code: "foo:bar()" });
        assert_eq!(Line::parse("x ? a:b"), Line::Fire { code: "x ? a:b" });
        assert_eq!(Line::parse("a:"), Line::Ask { id: "a", code: "" });
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(id in "[A-Za-z0-9_]{1,19}", code in ".*") {
            let mut out = String::new();
            Line::Ask { id: &id, code: &code }.write(&mut out);
            prop_assert_eq!(Line::parse(&out), Line::Ask { id: &id, code: &code });
            out.clear();
            Line::Fire { code: &code }.write(&mut out);
            prop_assert_eq!(Line::parse(&out), Line::Fire { code: &code });
        }
    }
}
