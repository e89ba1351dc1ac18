//! Splits text into words: `readFile`, `read_file` and "read file" give the same ones. Chinese, Japanese and Korean
//! have no spaces between words and are split into pairs of characters. Pure; stems are the business of `stems`.

/// The words of a text in order, lower-case; `camelCase` and `snake_case` are split.
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut before = Kind::Gap;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let kind = Kind::of(letter);
        let next_is_lower = letters.peek().is_some_and(|next| Kind::of(*next) == Kind::Lower);
        let breaks = match (before, kind) {
            // `HTTPServer` is `http` and `server`.
            (Kind::Upper, Kind::Upper) => next_is_lower,
            (_, Kind::Gap) | (Kind::Lower | Kind::Digit, Kind::Upper) => true,
            // A change between dense and spaced script starts a new word.
            (one, other) => (one == Kind::Dense) != (other == Kind::Dense),
        };
        if breaks && !word.is_empty() {
            push(&mut found, std::mem::take(&mut word), before);
        }
        if kind != Kind::Gap {
            word.extend(letter.to_lowercase());
        }
        before = kind;
    }
    if !word.is_empty() {
        push(&mut found, word, before);
    }
    found
}

/// A run of dense script is searched by its pairs of characters; a single character stands for itself.
fn push(found: &mut Vec<String>, word: String, kind: Kind) {
    let letters: Vec<char> = if kind == Kind::Dense { word.chars().collect() } else { Vec::new() };
    if letters.len() < 2 {
        found.push(word);
    } else {
        found.extend(letters.windows(2).map(String::from_iter));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gap,
    Lower,
    Upper,
    Digit,
    /// A script without spaces between words.
    Dense,
}

impl Kind {
    fn of(letter: char) -> Self {
        if letter.is_ascii_lowercase() {
            Self::Lower
        } else if is_dense(letter) {
            Self::Dense
        } else if letter.is_numeric() {
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

fn is_dense(letter: char) -> bool {
    matches!(letter,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
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
    fn scripts_without_gaps_come_as_pairs() {
        for (text, want) in [
            ("读取文件", "读取 取文 文件"),
            ("ファイルを読む", "ファ ァイ イル ルを を読 読む"),
            ("파일 읽기", "파일 읽기"),
            ("读file取", "读 file 取"),
        ] {
            assert_eq!(words(text).join(" "), want, "{text}");
        }
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
