//! eye's own verbs as tools of the catalogue: what a page does without `eval`, and what the hub knows itself.

use crate::catalogue::{Entry, Standing};
use serde_json::value::RawValue;
use std::sync::{Arc, LazyLock};

/// The provider that they are of.
pub const SERVER: &str = "eye";

/// One verb.
#[derive(Clone, Copy, Debug)]
pub struct Verb {
    /// Its name as a tool.
    pub name: &'static str,
    /// The hub's method.
    pub method: &'static str,
    description: &'static str,
    /// Members of `properties`, and `required` after a bar.
    parameters: &'static str,
    required: &'static str,
}

const TARGET: &str = r#""target":{"type":"string","description":"a ref of look, text=…, or a CSS selector"}"#;

/// All of them, in the order they are listed.
pub const VERBS: [Verb; 18] = [
    verb("pages", "session/list", "Lists the pages that are connected.", "", ""),
    verb("use", "session/use", "Chooses the page that later calls mean.", "PAGE", r#""page""#),
    verb("state", "state/get", "What the page publishes as its state.", r#""path":{"type":"string"}"#, ""),
    verb("look", "page/look", "Outlines what a person can act on, with refs.", "TARGET", ""),
    verb("text", "page/text", "The page's text, or an element's.", "TARGET", ""),
    verb("query", "page/query", "What an element is.", "TARGET", r#""target""#),
    verb("click", "page/click", "Clicks, and says what changed.", "TARGET", r#""target""#),
    verb("hover", "page/hover", "Hovers, and says what changed.", "TARGET", r#""target""#),
    verb("check", "page/check", "Checks a box.", "TARGET", r#""target""#),
    verb("uncheck", "page/uncheck", "Unchecks a box.", "TARGET", r#""target""#),
    verb("fill", "page/fill", "Replaces the value of a field.", "VALUE", r#""target","value""#),
    verb("type", "page/type", "Types text into a field.", "VALUE", r#""target","value""#),
    verb("select", "page/select", "Chooses an option.", "VALUE", r#""target","value""#),
    verb(
        "press",
        "page/press",
        "Presses keys, such as Enter or Control+A.",
        r#""keys":{"type":"string"}"#,
        r#""keys""#,
    ),
    verb(
        "scroll",
        "page/scroll",
        "Scrolls the page or to an element.",
        r#""target":{"type":"string"},"to":{"type":"string"},"by":{"type":"array","items":{"type":"number"}}"#,
        "",
    ),
    verb(
        "wait",
        "page/wait",
        "Waits until an element is there or an expression is true.",
        r#""target":{"type":"string"},"expr":{"type":"string"},"timeout":{"type":"integer"}"#,
        "",
    ),
    verb("logs", "page/logs", "Console messages and errors of the page.", r#""all":{"type":"boolean"}"#, ""),
    verb("reload", "page/reload", "Reloads the page.", "", ""),
];

const fn verb(
    name: &'static str,
    method: &'static str,
    description: &'static str,
    parameters: &'static str,
    required: &'static str,
) -> Verb {
    Verb { name, method, description, parameters, required }
}

impl Verb {
    fn definition(&self) -> String {
        let own = match self.parameters {
            "" | "PAGE" => String::new(),
            "TARGET" => format!("{TARGET},"),
            "VALUE" => format!(r#"{TARGET},"value":{{"type":"string"}},"#),
            other => format!("{other},"),
        };
        let page = if self.name == "pages" { "" } else { r#""page":{"type":"string"}"# };
        let required =
            if self.required.is_empty() { String::new() } else { format!(r#","required":[{}]"#, self.required) };
        format!(
            r#"{{"name":"{}","description":"{}","inputSchema":{{"type":"object","properties":{{{own}{page}}}{required}}}}}"#,
            self.name, self.description
        )
    }
}

/// The verb of this name.
pub fn named(name: &str) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| verb.name == name)
}

/// All of them as entries of the catalogue; the same ones each time.
pub fn entries() -> &'static [Arc<Entry>] {
    static ENTRIES: LazyLock<Vec<Arc<Entry>>> = LazyLock::new(|| {
        let one = |verb: &Verb| {
            let tool = RawValue::from_string(verb.definition()).unwrap_or_else(|_| RawValue::NULL.to_owned());
            Arc::new(Entry::new(SERVER, verb.name, tool, Standing::Ready))
        };
        VERBS.iter().map(one).collect()
    });
    &ENTRIES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_is_a_well_formed_tool() {
        for entry in entries() {
            let tool = entry.definition();
            assert_eq!(tool["name"], *entry.name);
            let properties = tool["inputSchema"]["properties"].as_object().unwrap();
            for name in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
                assert!(properties.contains_key(name.as_str().unwrap()), "{tool}");
            }
        }
    }
}
