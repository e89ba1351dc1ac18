//! eye's own verbs as tools of the catalogue, from the table of operations: what pages do without `eval`, and the hub's
//! own.

use crate::catalogue::{Entry, Standing};
use eye_protocol::operations::{Faces, Operation, mcp_tool, shown_by};
use serde_json::value::RawValue;
use std::sync::{Arc, LazyLock};

/// The provider name of eye's verbs.
pub const SERVER: &str = "eye";

pub fn named(name: &str) -> Option<&'static Operation> {
    shown_by(Faces::MCP).find(|operation| operation.name == name)
}

/// All verbs as entries of the catalogue; built once.
pub fn entries() -> &'static [Arc<Entry>] {
    static ENTRIES: LazyLock<Vec<Arc<Entry>>> = LazyLock::new(|| {
        let one = |operation: &Operation| {
            let tool = RawValue::from_string(mcp_tool(operation)).unwrap_or_else(|_| RawValue::NULL.to_owned());
            Arc::new(Entry::new(SERVER, operation.name, tool, Standing::Ready))
        };
        shown_by(Faces::MCP).map(one).collect()
    });
    &ENTRIES
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::operations::{Effect, Kind, mcp_params};
    use serde_json::{Value, json};

    /// The type in the schema for a kind.
    fn types(kind: Kind) -> Value {
        match kind {
            Kind::Text | Kind::Target | Kind::Condition | Kind::Choice(_) => json!("string"),
            Kind::Integer => json!("integer"),
            Kind::Flag => json!("boolean"),
            Kind::Texts | Kind::Place => json!(["string", "array"]),
            Kind::Point | Kind::Fields | Kind::Files | Kind::Objects => json!("array"),
            Kind::Answer => json!(["boolean", "string"]),
            Kind::Any => Value::Null,
            Kind::Object => json!("object"),
        }
    }

    #[test]
    fn tools_have_the_names_types_defaults_and_help_lines_of_the_table() {
        assert_eq!(entries().len(), shown_by(Faces::MCP).count());
        for entry in entries() {
            let tool = entry.definition();
            let operation = named(&entry.name).unwrap();
            assert_eq!(tool["name"], operation.name);
            assert_eq!(tool["description"], format!("{}.", operation.about));
            assert_eq!(tool["annotations"]["readOnlyHint"], operation.effect == Effect::Reads);
            let properties = tool["inputSchema"]["properties"].as_object().unwrap();
            let required: Vec<&str> =
                tool["inputSchema"]["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let wanted: Vec<&str> = mcp_params(operation).filter(|param| param.required).map(|p| p.name).collect();
            assert_eq!(required, wanted, "{}", operation.name);
            assert_eq!(properties.len(), mcp_params(operation).count(), "{}", operation.name);
            for param in mcp_params(operation) {
                let property = &properties[param.name];
                assert_eq!(property["type"], types(param.kind), "{} {}", operation.name, param.name);
                assert_eq!(property["description"], param.help);
                let default = param.default.map(|json| serde_json::from_str::<Value>(json).unwrap());
                assert_eq!(property.get("default"), default.as_ref());
                if let Kind::Choice(words) = param.kind {
                    assert_eq!(property["enum"], json!(words));
                }
            }
        }
    }

    #[test]
    fn every_verb_of_the_page_that_acts_is_a_tool() {
        for name in ["click", "drag", "upload", "look", "pages", "state"] {
            assert!(named(name).is_some(), "{name}");
        }
    }
}
