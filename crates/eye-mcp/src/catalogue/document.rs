//! The document that JSONPath queries run over: `tools`, `tool_names`, `servers`, `pages`, `metadata`.

use super::entry::{Entry, Standing};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A provider of tools, as queries see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Provider {
    pub name: String,
    /// For people to read.
    pub description: Option<String>,
    /// The provider's own instructions for using its tools, as MCP's `initialize` returns them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// How it is started, or its URL; empty for pages and eye itself.
    pub command: Vec<String>,
    pub available: bool,
}

/// Builds the document. `names` are the callable names of the entries, in the same order.
pub(super) fn of(entries: &[Arc<Entry>], names: &[String], providers: &[Provider], pages: &[Value]) -> Value {
    let tools: Vec<Value> = entries
        .iter()
        .map(|entry| {
            let mut tool = entry.definition().clone();
            if let Value::Object(members) = &mut tool {
                // Members of these names that the tool's author wrote are kept.
                members.entry("server").or_insert_with(|| Value::from(&*entry.server));
                if let Standing::Down(why) = &entry.standing {
                    members.entry("down").or_insert_with(|| Value::from(&**why));
                }
            }
            tool
        })
        .collect();
    let servers: Map<String, Value> =
        providers.iter().map(|provider| (provider.name.clone(), json!(provider))).collect();
    let metadata = json!({
        "tools": tools.len(),
        "servers": servers.len(),
        "pages": pages.len(),
    });
    json!({
        "tools": tools,
        "tool_names": names,
        "servers": servers,
        "pages": pages,
        "metadata": metadata,
    })
}
