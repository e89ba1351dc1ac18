//! Typos: which verb was probably meant.

use eye_protocol::operations::{Faces, shown_by};

/// The verb with the smallest edit distance from the word, if that is small enough for a typo.
pub fn verb(word: &str) -> Option<&'static str> {
    let slips_max = if word.chars().count() <= 4 { 1 } else { 2 };
    shown_by(Faces::CLI)
        .map(|operation| operation.name)
        .map(|verb| (strsim::damerau_levenshtein(word, verb), verb))
        .filter(|(slips, _)| *slips <= slips_max)
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, verb)| verb)
}

/// The verb that was probably meant when a one-word expression failed because the page does not know the word.
pub fn verb_for_unknown(code: &str, message: &str) -> Option<&'static str> {
    if code.is_empty() || !code.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let message = message.strip_prefix("ReferenceError: ").unwrap_or(message);
    let unknown = message.strip_prefix(code).is_some_and(|rest| rest.starts_with(" is not defined"));
    if unknown { verb(code) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        for (word, want) in [
            ("stauts", Some("status")),
            ("page", Some("pages")),
            ("evl", Some("eval")),
            ("colect", Some("collect")),
            ("dwon", Some("down")),
            ("document", None),
            ("name", None),
            ("x", None),
        ] {
            assert_eq!(verb(word), want, "{word}");
        }
    }

    #[test]
    fn only_a_bare_unknown_word_is_taken_for_a_typo() {
        let error = "ReferenceError: stauts is not defined";
        assert_eq!(verb_for_unknown("stauts", error), Some("status"));
        assert_eq!(verb_for_unknown("stauts", "stauts is not defined (line 1, col 1)"), Some("status"));
        assert_eq!(verb_for_unknown("stauts()", error), None);
        assert_eq!(verb_for_unknown("stauts", "stauts exploded"), None);
        assert_eq!(verb_for_unknown("foo", "ReferenceError: foo is not defined"), None);
    }
}
