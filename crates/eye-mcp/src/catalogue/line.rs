//! Writes a tool as one line that is ready to call. Objects are shown one level deep with their required members; lists
//! that are cut show how much is missing.
//!
//! `create_issue(repo: string, labels?: string[], …+3)  Opens an issue.`

use eye_protocol::schema::Schema;
use eye_protocol::signature::sentence;
use serde_json::Value;
use std::fmt::Write;

/// Optional parameters that are shown.
const OPTIONAL_SHOWN_MAX: usize = 1;
/// Optional members that are shown of an object without required members.
const MEMBERS_SHOWN_MAX: usize = 1;
/// Values of an `enum` that are shown.
const VALUES_SHOWN_MAX: usize = 2;
/// Characters of the name and the parameters together.
const SIGNATURE_CHARS_MAX: usize = 400;
/// Characters of the description's first sentence.
const SENTENCE_CHARS_MAX: usize = 42;
pub const CUT: char = '…';

/// The line of a tool that is called by `name`. `brief` leaves the sentence out.
pub fn line(name: &str, definition: &Value, brief: bool) -> String {
    let parameters = match definition.get("inputSchema").filter(|schema| !schema.is_null()) {
        Some(schema) => members(Schema::new(schema), true),
        None => CUT.to_string(),
    };
    let signature = shown(&format!("{name}({parameters})"), SIGNATURE_CHARS_MAX);
    let sentence = if brief { String::new() } else { words(&sentence(definition), SENTENCE_CHARS_MAX) };
    if sentence.is_empty() { signature } else { format!("{signature}  {sentence}") }
}

/// Untrusted text on one line: hidden characters are escaped, and text beyond `chars_max` is cut.
pub fn shown(text: &str, chars_max: usize) -> String {
    let mut plain = String::with_capacity(text.len());
    for (at, c) in text.chars().enumerate() {
        if at >= chars_max {
            plain.pop();
            plain.push(CUT);
            break;
        }
        match c {
            '\n' | '\r' | '\t' => plain.push(' '),
            c if is_hidden(c) => {
                let _ = write!(plain, "\\u{:04x}", u32::from(c));
            }
            c => plain.push(c),
        }
    }
    plain
}

/// Like [`shown`], but cuts after a whole word where it can: half a word costs tokens and says nothing.
fn words(text: &str, chars_max: usize) -> String {
    let plain = shown(text, chars_max);
    let Some(kept) = plain.strip_suffix(CUT).filter(|_| text.chars().count() > chars_max) else { return plain };
    let words = kept.rsplit_once(' ').map_or(kept, |(words, _)| words);
    format!("{}{CUT}", words.trim_end_matches([' ', ',', ';', ':', '-']))
}

/// Whether a character is invisible or changes how others are displayed: controls, direction marks, joiners, tags.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

fn members(schema: Schema<'_>, full: bool) -> String {
    let all: Vec<(&String, &Value)> = schema.parameters().into_iter().flatten().collect();
    let (required, optional): (Vec<_>, Vec<_>) = all.into_iter().partition(|(name, _)| schema.requires(name));
    let room = match (full, required.is_empty()) {
        (true, _) => OPTIONAL_SHOWN_MAX,
        (false, true) => MEMBERS_SHOWN_MAX,
        (false, false) => 0,
    };
    let one = |(name, part): &(&String, &Value), mark: &str| {
        format!("{name}{mark}: {}", kinds(schema.below(part), full).join("|"))
    };
    let mut parts: Vec<String> = required.iter().map(|member| one(member, "")).collect();
    parts.extend(optional.iter().take(room).map(|member| one(member, "?")));
    if optional.len() > room {
        parts.push(format!("{CUT}+{}", optional.len() - room));
    }
    parts.join(", ")
}

/// The types of a schema as an agent would write them. `deeper` opens objects.
fn kinds(schema: Schema<'_>, deeper: bool) -> Vec<String> {
    if let Some(values) = schema.listed() {
        let mut kinds: Vec<String> = values.iter().take(VALUES_SHOWN_MAX).map(ToString::to_string).collect();
        if values.len() > VALUES_SHOWN_MAX {
            kinds.push(format!("{CUT}+{}", values.len() - VALUES_SHOWN_MAX));
        }
        return kinds;
    }
    let choices = schema.choices();
    if !choices.is_empty() {
        let mut known: Vec<String> = Vec::new();
        for kind in choices.into_iter().flat_map(|choice| kinds(choice, deeper)) {
            if !known.contains(&kind) {
                known.push(kind);
            }
        }
        // `null` as an alternative does not help to call the tool.
        if known.len() > 1 {
            known.retain(|kind| kind != "null");
        }
        return known;
    }
    let types = schema.types();
    if types.is_empty() {
        return vec![if schema.parameters().is_some() { object(schema, deeper) } else { "any".into() }];
    }
    let mut kinds: Vec<String> = Vec::new();
    for name in types {
        kinds.push(match name {
            "array" => array(schema, deeper),
            "object" => object(schema, deeper),
            other => other.to_owned(),
        });
    }
    if kinds.len() > 1 {
        kinds.retain(|kind| kind != "null");
    }
    kinds
}

fn object(schema: Schema<'_>, deeper: bool) -> String {
    if deeper && schema.parameters().is_some_and(|members| !members.is_empty()) {
        format!("{{{}}}", members(schema, false))
    } else {
        "object".to_owned()
    }
}

fn array(schema: Schema<'_>, deeper: bool) -> String {
    let items = schema.items().map_or_else(|| vec!["any".to_owned()], |items| kinds(items, deeper));
    if items.len() > 1 { format!("({})[]", items.join("|")) } else { format!("{}[]", items.concat()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(schema: &Value) -> String {
        line("t", &json!({ "inputSchema": schema }), true)
    }

    #[test]
    fn objects_are_opened_one_level_with_what_they_require() {
        let author = json!({ "type": "object", "properties": { "name": { "type": "string" }, "at": { "type": "object",
            "properties": { "zone": {} } }, "mail": {} }, "required": ["name", "at"] });
        let schema = json!({ "type": "object", "required": ["author", "files"], "properties": {
            "author": author,
            "files": { "type": "array", "items": { "$ref": "#/$defs/file" } },
            "loose": { "properties": { "a": {}, "b": {}, "c": {} } },
            "free": { "type": "object" }
        }, "$defs": { "file": { "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] } } });
        insta::assert_snapshot!(of(&schema), @"t(author: {name: string, at: object, …+1}, files: {path: string}[], loose?: {a?: any, …+2}, …+1)");
    }

    #[test]
    fn long_lists_are_cut_and_say_by_how_much() {
        let values: Vec<String> = (0..VALUES_SHOWN_MAX).map(|n| format!("v{n}")).collect();
        assert_eq!(of(&json!({ "properties": { "v": { "enum": values } } })), r#"t(v?: "v0"|"v1")"#);
        let more: Vec<String> = (0..=VALUES_SHOWN_MAX).map(|n| format!("v{n}")).collect();
        assert_eq!(of(&json!({ "properties": { "v": { "enum": more } } })), r#"t(v?: "v0"|"v1"|…+1)"#);
        let many: serde_json::Map<String, Value> =
            (0..6).map(|n| (format!("p{n}"), json!({ "type": "null" }))).collect();
        let schema = json!({ "properties": many, "required": ["p5", "p4"] });
        assert_eq!(of(&schema), "t(p4: null, p5: null, p0?: null, …+3)");
        assert_eq!(of(&json!({ "properties": { "a": { "type": ["string", "null"] } } })), "t(a?: string)");
    }

    #[test]
    fn a_sentence_is_cut_after_a_whole_word() {
        let line_of = |text: &str| line("t", &json!({ "description": text, "inputSchema": {} }), false);
        let edge = format!("{} word", "x".repeat(SENTENCE_CHARS_MAX - 5));
        assert_eq!(line_of(&edge), format!("t()  {edge}"));
        assert_eq!(line_of(&format!("{edge}s")), format!("t()  {}…", "x".repeat(SENTENCE_CHARS_MAX - 5)));
        let long = "y".repeat(SENTENCE_CHARS_MAX + 1);
        assert_eq!(line_of(&long), format!("t()  {}…", "y".repeat(SENTENCE_CHARS_MAX - 1)));
        assert_eq!(
            line_of("Lists the projects of a group, with filters, and more"),
            "t()  Lists the projects of a group, with…"
        );
    }

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(shown("a\u{200b}b\u{202e}c\u{1b}[2J\nd\u{e0041}", 60), "a\\u200bb\\u202ec\\u001b[2J d\\ue0041");
        assert_eq!(shown(&"x".repeat(60), 60), "x".repeat(60));
        assert_eq!(shown(&"x".repeat(61), 60), format!("{}…", "x".repeat(59)));
        let tool = json!({ "description": format!("Adds{} numbers.", '\u{200b}') });
        assert_eq!(line("add", &tool, false), "add(…)  Adds\\u200b numbers.");
    }
}
