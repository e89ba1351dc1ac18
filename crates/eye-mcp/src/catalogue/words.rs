//! From text to words: `readFile`, `read_file` and "reads a file" share theirs.

/// Words that say nothing about a tool.
const EMPTY: [&str; 34] = [
    "a", "an", "and", "any", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i", "in", "into", "is", "it",
    "me", "my", "of", "on", "or", "please", "that", "the", "this", "to", "tool", "tools", "want", "with", "you",
    "your",
];

/// The words of a text, lower-case, in order; `camelCase` and `snake_case` are taken apart.
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut before = Kind::Gap;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let kind = Kind::of(letter);
        let next_is_lower = letters.peek().is_some_and(|next| Kind::of(*next) == Kind::Lower);
        let breaks = match (before, kind) {
            (_, Kind::Gap) | (Kind::Lower | Kind::Digit, Kind::Upper) => true,
            // `HTTPServer` is `http` and `server`.
            (Kind::Upper, Kind::Upper) => next_is_lower,
            (Kind::Gap | Kind::Lower | Kind::Upper | Kind::Digit, Kind::Lower | Kind::Upper | Kind::Digit) => false,
        };
        if breaks && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if kind != Kind::Gap {
            word.extend(letter.to_lowercase());
        }
        before = kind;
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

/// The words of a query that say something; all of them when none does.
pub fn telling(query: &str) -> Vec<String> {
    let mut all = words(query);
    let mut seen = std::collections::HashSet::new();
    all.retain(|word| seen.insert(word.clone()));
    let telling: Vec<String> = all.iter().filter(|word| !EMPTY.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// A word without its commonest endings, so that "lists files" finds `list_file`.
pub fn stem(word: &str) -> &str {
    for ending in ["ing", "ies", "es", "ed", "s"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() >= 3
            && !(ending == "s" && stem.ends_with('s'))
        {
            return stem;
        }
    }
    word.strip_suffix('e').filter(|stem| stem.chars().count() >= 3).unwrap_or(word)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gap,
    Lower,
    Upper,
    Digit,
}

impl Kind {
    fn of(letter: char) -> Self {
        if letter.is_numeric() {
            Self::Digit
        } else if letter.is_uppercase() {
            Self::Upper
        } else if letter.is_alphabetic() {
            Self::Lower
        } else {
            Self::Gap
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_every_fashion_come_apart() {
        for (text, want) in [
            ("readFile", "read file"),
            ("read_file", "read file"),
            ("read-multiple.files", "read multiple files"),
            ("HTTPServer2Start", "http server2 start"),
            ("getURL", "get url"),
            ("Über uns: größer", "über uns größer"),
            ("  ", ""),
        ] {
            assert_eq!(words(text).join(" "), want, "{text}");
        }
    }

    #[test]
    fn endings_do_not_keep_words_apart() {
        for (one, other) in [("files", "file"), ("listing", "list"), ("searches", "search"), ("created", "create")] {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        assert_eq!(stem("class"), "class");
        assert_eq!(stem("is"), "is");
    }

    #[test]
    fn a_query_of_empty_words_keeps_them() {
        assert_eq!(telling("the file of the page"), ["file", "page"]);
        assert_eq!(telling("to do"), ["to", "do"]);
    }

    proptest! {
        #[test]
        fn words_are_lower_case_and_never_empty(text in ".*") {
            for word in words(&text) {
                prop_assert!(!word.is_empty());
                prop_assert!(!word.contains(['_', ' ', '.']));
            }
        }
    }
}
