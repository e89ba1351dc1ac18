//! A tool in one line: `add(a: number, b?: number)  First sentence of its description.`

use crate::schema::Schema;
use crate::visible::is_unsafe;
use serde_json::Value;

/// Characters that a tool's name and parameters are cut to.
const SIGNATURE_CHARS_MAX: usize = 1000;
/// Characters that the first sentence of a description is cut to.
const SENTENCE_CHARS_MAX: usize = 200;

/// Makes foreign text safe as part of a line: it cannot move the cursor or begin another line.
pub fn one_line(text: &str, chars_max: usize) -> String {
    let mut plain: String = text.chars().map(|c| if is_unsafe(c) { ' ' } else { c }).take(chars_max + 1).collect();
    if plain.chars().count() > chars_max {
        plain.pop();
        plain.pop();
        plain.push('…');
    }
    plain
}

/// `add(a: number, b?: number)`. A tool without a schema takes anything.
pub fn signature(tool: &Value) -> String {
    signature_as(tool["name"].as_str().unwrap_or_default(), tool)
}

/// [`signature`] under another name, where the tool's own would not show where it comes from.
pub fn signature_as(name: &str, tool: &Value) -> String {
    let line = match tool.get("inputSchema").filter(|schema| !schema.is_null()) {
        Some(schema) => format!("{name}({})", parameters(Schema::new(schema))),
        None => format!("{name}(…)"),
    };
    one_line(&line, SIGNATURE_CHARS_MAX)
}

/// The first sentence of its description, empty when it has none.
pub fn sentence(tool: &Value) -> String {
    let text = tool["description"].as_str().or_else(|| tool["title"].as_str()).unwrap_or_default().trim();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let end = paragraph.char_indices().find(|(at, c)| {
        let rest = &paragraph[at + c.len_utf8()..];
        // `e.g. this` goes on; `Does this. Then that.` does not.
        let next = rest.trim_start().chars().next();
        ".!?".contains(*c) && rest.starts_with(char::is_whitespace) && next.is_none_or(|next| !next.is_lowercase())
    });
    let sentence = end.map_or(paragraph, |(at, c)| &paragraph[..at + c.len_utf8()]);
    one_line(sentence, SENTENCE_CHARS_MAX)
}

fn parameters(schema: Schema<'_>) -> String {
    let known = schema.parameters().into_iter().flatten();
    let one = |(name, part): (&String, _)| {
        let mark = if schema.requires(name) { "" } else { "?" };
        format!("{name}{mark}: {}", kinds(schema.below(part)).join("|"))
    };
    known.map(one).collect::<Vec<String>>().join(", ")
}

/// The types that something may have, as an agent would write them.
fn kinds(schema: Schema<'_>) -> Vec<String> {
    if let Some(values) = schema.listed() {
        return values.iter().map(ToString::to_string).collect();
    }
    let choices = schema.choices();
    if !choices.is_empty() {
        let mut known: Vec<String> = Vec::new();
        for kind in choices.into_iter().flat_map(kinds) {
            if !known.contains(&kind) {
                known.push(kind);
            }
        }
        return known;
    }
    let types = schema.types();
    if types.is_empty() {
        return vec![if schema.parameters().is_some() { "object" } else { "any" }.to_owned()];
    }
    types.into_iter().map(|name| if name == "array" { array(schema) } else { name.to_owned() }).collect()
}

fn array(schema: Schema<'_>) -> String {
    let items = schema.items().map_or_else(|| vec!["any".to_owned()], kinds);
    if items.len() > 1 { format!("({})[]", items.join("|")) } else { format!("{}[]", items.concat()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(schema: &Value) -> String {
        signature(&json!({ "name": "t", "inputSchema": schema }))
    }

    #[test]
    fn what_others_say_stays_on_its_line() {
        assert_eq!(one_line("a\u{1b}[2Jb\nc", 60), "a [2Jb c");
        assert_eq!(one_line(&"x".repeat(60), 60), "x".repeat(60));
        assert_eq!(one_line(&"x".repeat(61), 60), format!("{}…", "x".repeat(59)));
    }

    #[test]
    fn parameters_have_their_types_and_say_whether_they_are_optional() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": { "type": "number" },
                "n": { "type": "integer" },
                "on": { "type": "boolean" },
                "how": { "enum": ["fast", "slow", 3] },
                "only": { "const": "x" },
                "tags": { "type": "array", "items": { "type": "string" } },
                "mixed": { "type": "array", "items": { "type": ["string", "null"] } },
                "list": { "type": "array" },
                "at": { "type": "object" },
                "or": { "anyOf": [{ "type": "string" }, { "type": "number" }, { "type": "string" }] },
                "far": { "$ref": "#/$defs/point" },
                "what": {},
                "yes": true
            },
            "required": ["a", "how"],
            "$defs": { "point": { "properties": { "x": {} } } }
        });
        insta::assert_snapshot!(of(&schema), @r#"t(a: number, n?: integer, on?: boolean, how: "fast"|"slow"|3, only?: "x", tags?: string[], mixed?: (string|null)[], list?: any[], at?: object, or?: string|number, far?: object, what?: any, yes?: any)"#);
    }

    #[test]
    fn odd_schemas_have_a_signature_too() {
        assert_eq!(signature(&json!({ "name": "t" })), "t(…)");
        assert_eq!(signature(&json!({ "name": "t", "inputSchema": null })), "t(…)");
        for schema in [json!({}), json!(true), json!(7), json!({ "properties": [1] }), json!({ "$ref": "#" })] {
            assert_eq!(of(&schema), "t()", "{schema}");
        }
        let endless = json!({ "properties": { "a": { "anyOf": [{ "$ref": "#/properties/a" }, { "type": "null" }] } } });
        assert_eq!(of(&endless), "t(a?: any|null)");
        let deep = json!({ "properties": { "a": { "type": "array", "items": { "$ref": "#/properties/a" } } } });
        assert!(of(&deep).starts_with("t(a?: any[]["), "{}", of(&deep));
    }

    #[test]
    fn the_first_sentence_ends_where_the_next_begins() {
        for (text, want) in [
            ("Adds. Then subtracts.", "Adds."),
            ("Adds numbers, e.g. two. More.", "Adds numbers, e.g. two."),
            ("Adds 1.5 to it", "Adds 1.5 to it"),
            ("Adds?\nNext", "Adds?"),
            ("Adds\nnumbers", "Adds numbers"),
            ("Adds\n\nNumbers", "Adds"),
            ("Ends. ", "Ends."),
            ("", ""),
        ] {
            assert_eq!(sentence(&json!({ "description": text })), want, "{text:?}");
        }
        assert_eq!(sentence(&json!({ "title": "Add" })), "Add");
    }
}
