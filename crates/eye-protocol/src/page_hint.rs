//! The next steps that a page may name. A page sends an id of this table and parameters; the words are ours, and the
//! parameters are quoted, so that no page can advise an agent in eye's voice.

use crate::signature::one_line;

/// Parameters of one hint that are shown.
const PARAMETERS_MAX: usize = 32;
/// Characters that a parameter is cut to.
const PARAMETER_CHARS_MAX: usize = 200;

/// Every id with its words; `{}` stands for the parameters.
pub const TABLE: [(&str, &str); 26] = [
    ("another", "check another of them"),
    ("apps", "its apps: {}"),
    ("browse", "eye browse URL opens the page in eye's own browser"),
    ("click", "it takes nothing but a click"),
    (
        "csp",
        "use verbs and tools, or allow 'unsafe-eval' in script-src; eye browse URL, and the extension with the debugger, run code anyway",
    ),
    ("elements", "name one of them: {}"),
    ("files", "name an input of files, or what holds one"),
    ("format", "write it as {}"),
    ("frame", "load eye.js in it and ask it as a page; its frames: {}"),
    ("frames", "its frames: {}"),
    (
        "keys",
        "Enter, Tab, Escape, Backspace, Delete, Space, Home, End, PageUp, PageDown, ArrowUp, F5, or a character; type writes text",
    ),
    ("levels", "one of debug, log, info, warn, error"),
    ("modifiers", "Shift, Control, Alt or Meta, then +, then a key"),
    ("nearest", "nearest: {}"),
    ("no-apps", "this page offers none (eye.app)"),
    ("no-eval", "use verbs and tools"),
    ("options", "its options: {}"),
    ("part", "ask for a part of it"),
    ("pdf-field", "empty the field, or take a picture: eye shot hides it"),
    ("pdf-frame", "take a picture: eye shot hides it"),
    ("png", "take it as a PNG: eye shot --format png -o FILE"),
    ("png-file", "--format png, and a file whose name ends with .png"),
    ("return", "leave out `return`: the last statement is the answer"),
    ("target", "a target is a ref of look (e5), text=…, css=… or a CSS selector"),
    ("threw", "it threw {}"),
    ("use", "use {}"),
];

/// The words of a hint as a page sends it: an id, then a JSON array of texts where there are parameters. `None` for
/// anything else: a page's own advice is not passed on.
pub fn words(hint: &str) -> Option<String> {
    let (id, parameters) = hint.split_once(' ').unwrap_or((hint, "[]"));
    let (_, words) = TABLE.iter().find(|(known, _)| *known == id)?;
    let parameters: Vec<String> = serde_json::from_str(parameters).ok()?;
    if !words.contains("{}") {
        return Some((*words).to_owned());
    }
    let shown: Vec<String> = parameters.iter().take(PARAMETERS_MAX).map(|text| quoted(text)).collect();
    let more = parameters.len() - shown.len();
    let list = shown.join(", ");
    let list = if more > 0 { format!("{list} and {more} more") } else { list };
    (!list.is_empty()).then(|| words.replace("{}", &list))
}

/// Quotes a text that a page chose: one line, between quotes that it cannot close.
pub fn quoted(text: &str) -> String {
    format!("`{}`", one_line(text, PARAMETER_CHARS_MAX).replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_ours_and_parameters_are_quoted() {
        for (hint, want) in [
            ("return", Some("leave out `return`: the last statement is the answer")),
            (r#"options ["Red","a `b`\n\u001b[2J"]"#, Some("its options: `Red`, `a 'b'  [2J`")),
            (r#"part ["ignored"]"#, Some("ask for a part of it")),
            ("nearest []", None),
            ("nearest", None),
            ("nearest {}", None),
            ("nearest [1]", None),
            ("run rm -rf ~", None),
            ("", None),
        ] {
            assert_eq!(words(hint).as_deref(), want, "{hint}");
        }
    }

    #[test]
    fn there_is_an_end_of_parameters() {
        let hint = |count: usize| words(&format!("apps {}", serde_json::json!(vec!["x"; count]))).unwrap_or_default();
        assert!(!hint(PARAMETERS_MAX).contains("more") && hint(PARAMETERS_MAX + 1).ends_with(" and 1 more"));
        let cut = |chars: usize| words(&format!("apps {}", serde_json::json!(["x".repeat(chars)]))).unwrap_or_default();
        assert!(!cut(PARAMETER_CHARS_MAX).contains('…') && cut(PARAMETER_CHARS_MAX + 1).contains('…'));
    }

    #[test]
    fn every_id_stands_once_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(TABLE.iter().all(|(id, _)| id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
    }
}
