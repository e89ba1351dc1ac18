//! JSONPath as agents write it: RFC 9535 plus `@.x contains 'y'` and `@.x =~ /y/i`.

use super::error::DiscoverError;
use jsonpath_rfc9535::JsonPath;
use serde_json::Value;
use std::fmt::Write;

/// Limit on `..` in one path. Each multiplies the work by the size of the document.
const DESCENTS_MAX: usize = 2;
/// Limit on `*` in one path.
const WILDCARDS_MAX: usize = 8;
/// Limit on commas outside strings: `[0,0][0,0]…` doubles the result at every step.
const COMMAS_MAX: usize = 16;

/// Exactly the values that the path selects, falsy ones included.
pub fn select(path: &str, document: &Value) -> Result<Vec<Value>, DiscoverError> {
    let path = rewritten(path);
    if let Some(what) = too_much(&path) {
        return Err(DiscoverError::TooBroad(what));
    }
    let query = JsonPath::parse(&path).map_err(|error| DiscoverError::Path { why: error.to_string() })?;
    Ok(query.query_values(document).into_iter().cloned().collect())
}

/// Whether a query is a JSONPath rather than words.
pub fn is_path(query: &str) -> bool {
    query == "$" || query.starts_with("$.") || query.starts_with("$[")
}

fn too_much(path: &str) -> Option<&'static str> {
    let (mut descents, mut wildcards, mut commas) = (0, 0, 0);
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        if let Some((_, after)) = quoted(rest) {
            rest = after;
            continue;
        }
        descents += usize::from(rest.starts_with(".."));
        wildcards += usize::from(first == '*');
        commas += usize::from(first == ',');
        rest = &rest[first.len_utf8()..];
    }
    if descents > DESCENTS_MAX {
        return Some("more than two `..`");
    }
    if wildcards > WILDCARDS_MAX {
        return Some("more than eight `*`");
    }
    (commas > COMMAS_MAX).then_some("more than sixteen commas")
}

/// Rewrites the two extensions to RFC 9535's `search(…)`. Quoted strings are not touched.
fn rewritten(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        if let Some((_, after)) = quoted(rest) {
            out.push_str(&rest[..rest.len() - after.len()]);
            rest = after;
        } else if first == '@' {
            let subject = subject(rest);
            let after = rest[subject.len()..].trim_start();
            if let Some((pattern, after)) = test(after) {
                let _ = write!(out, "search({subject}, {})", as_text(&pattern));
                rest = after;
            } else {
                out.push_str(subject);
                rest = &rest[subject.len()..];
            }
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// `@` and the names and brackets that follow it.
fn subject(text: &str) -> &str {
    let mut rest = &text[1..];
    loop {
        if let Some(after) = rest.strip_prefix('[') {
            let Some(end) = bracket_end(after) else { break };
            rest = &after[end..];
        } else if let Some(after) = rest.strip_prefix('.') {
            let name = after.find(|c: char| !(c.is_alphanumeric() || c == '_' || !c.is_ascii())).unwrap_or(after.len());
            if name == 0 {
                break;
            }
            rest = &after[name..];
        } else {
            break;
        }
    }
    &text[..text.len() - rest.len()]
}

fn bracket_end(text: &str) -> Option<usize> {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((_, after)) = quoted(rest) {
            rest = after;
            continue;
        }
        rest = &rest[first.len_utf8()..];
        if first == ']' {
            return Some(text.len() - rest.len());
        }
    }
    None
}

/// Parses `contains 'x'` or `=~ /x/i` into a pattern, and returns the rest of the text.
fn test(text: &str) -> Option<(String, &str)> {
    if let Some(after) = text.strip_prefix("contains") {
        let (text, after) = quoted(after.trim_start())?;
        return Some((escaped(&text), after));
    }
    let after = text.strip_prefix("=~")?.trim_start();
    if let Some((pattern, after)) = quoted(after) {
        return Some((pattern, after));
    }
    let body = after.strip_prefix('/')?;
    let mut end = None;
    let mut skip = false;
    for (at, c) in body.char_indices() {
        match (skip, c) {
            (true, _) => skip = false,
            (false, '\\') => skip = true,
            (false, '/') => {
                end = Some(at);
                break;
            }
            (false, _) => {}
        }
    }
    let (pattern, after) = body.split_at(end?);
    let after = &after[1..];
    let flags = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
    let caseless = after[..flags].contains('i');
    let pattern = pattern.replace("\\/", "/");
    Some((if caseless { format!("(?i){pattern}") } else { pattern }, &after[flags..]))
}

/// Parses a quoted string at the beginning of the text, and returns it unescaped with the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut inner = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => inner.extend(letters.next().map(|(_, c)| c)),
            c if c == quote => return Some((inner, &text[at + 1..])),
            c => inner.push(c),
        }
    }
    None
}

/// A pattern that matches exactly this text.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if r"()*+.?[\]{|}^$-".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// The pattern as a JSONPath string literal.
fn as_text(pattern: &str) -> String {
    let mut text = String::from("'");
    for c in pattern.chars() {
        match c {
            '\'' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn found(path: &str) -> Value {
        let document = json!({ "tools": [
            { "name": "read_file", "n": 0, "ok": false, "text": "", "list": [], "none": null },
            { "name": "Write.File", "n": 7, "description": "it's a/b" },
        ] });
        json!(select(path, &document).unwrap())
    }

    #[test]
    fn what_is_not_in_the_standard_works_too() {
        for (path, want) in [
            ("$.tools[?(@.name contains 'file')].name", json!(["read_file"])),
            ("$.tools[?@.name contains \"e.F\"].name", json!(["Write.File"])),
            ("$.tools[?(@.name contains 'd_f' && @.n == 0)].n", json!([0])),
            ("$.tools[?(@['name'] contains '.')].n", json!([7])),
            ("$.tools[?(@.description contains 'it\\'s')].n", json!([7])),
            ("$.tools[?(@.name =~ /FILE$/i)].name", json!(["read_file", "Write.File"])),
            ("$.tools[?(@.name =~ /^write/gi)].n", json!([7])),
            ("$.tools[?(@.description =~ /a\\/b/)].n", json!([7])),
            ("$.tools[?(@.name =~ '^read')].n", json!([0])),
            ("$.tools[?(@.name == 'x contains y')].n", json!([])),
            ("$.tools[?(@.name == 'read_file')].name", json!(["read_file"])),
        ] {
            assert_eq!(found(path), want, "{path}");
        }
    }

    #[test]
    fn falsy_values_are_found_like_others() {
        for (path, want) in [
            ("$.tools[0].n", json!([0])),
            ("$.tools[0].ok", json!([false])),
            ("$.tools[0].text", json!([""])),
            ("$.tools[0].list", json!([[]])),
            ("$.tools[0].none", json!([null])),
            ("$.tools[0].absent", json!([])),
        ] {
            assert_eq!(found(path), want, "{path}");
        }
    }

    #[test]
    fn paths_that_multiply_are_refused_and_bad_ones_say_where() {
        for path in ["$..*..*..*", "$[*][*][*][*][*][*][*][*][*]", &format!("${}", "[0,0]".repeat(17))] {
            assert!(matches!(select(path, &json!([])), Err(DiscoverError::TooBroad(_))), "{path}");
        }
        assert!(select("$..name", &json!([])).is_ok());
        assert!(select("$['..*..*..*']", &json!([])).is_ok());
        assert!(matches!(select("$.tools[?(", &json!([])), Err(DiscoverError::Path { .. })));
        assert!(is_path("$") && is_path("$.a") && is_path("$['a']") && !is_path("$5 bill") && !is_path("file"));
    }

    proptest! {
        #[test]
        fn contains_finds_exactly_the_text(text in "\\PC{0,12}", before in "\\PC{0,4}", after in "\\PC{0,4}") {
            let document = json!([{ "x": format!("{before}{text}{after}") }, { "x": "" }]);
            let literal = text.replace('\\', "\\\\").replace('\'', "\\'");
            let found = select(&format!("$[?@.x contains '{literal}']"), &document).unwrap();
            prop_assert_eq!(found.len(), if text.is_empty() { 2 } else { 1 });
        }

        #[test]
        fn no_path_panics(path in "\\$[\\[\\].?@()'\"/=~a-z *,\\\\contains]{0,40}") {
            let _ = select(&path, &json!({ "a": [{ "b": 1 }] }));
        }
    }
}
