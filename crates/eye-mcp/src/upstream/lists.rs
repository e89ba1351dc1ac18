//! The list of an upstream's tools: requested page by page, within limits.

use super::connection::{Connection, Failed};
use super::http::HeaderParams;
use super::reason::Reason;
use crate::catalogue::{Entry, Standing};
use crate::config::Spec;
use crate::context::CallContext;
use crate::limits::{LIST, LIST_PAGES_MAX, TOOL_NAME_BYTES_MAX, TOOLS_BYTES_MAX, TOOLS_MAX};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(default)]
    tools: Vec<Box<RawValue>>,
    #[serde(default)]
    next_cursor: Option<String>,
}

/// The definitions of all tools, raw.
pub async fn tools(connection: &Arc<Connection>) -> Result<Vec<Box<RawValue>>, Reason> {
    let mut all: Vec<Box<RawValue>> = Vec::new();
    let mut bytes = 0;
    let mut cursor: Option<String> = None;
    for _ in 0..LIST_PAGES_MAX {
        let params = cursor.as_ref().map(|cursor| to_raw_value(&json!({ "cursor": cursor }))).transpose();
        let params = params.map_err(|error| error.to_string())?;
        let answer = connection.request("tools/list", params, &CallContext::default(), LIST).await;
        let result = answer.map_err(|failed| match failed {
            Failed::Rpc(error) => format!("it did not list its tools: {}", error.message),
            Failed::Unsent(why) => why,
        })?;
        // A list of ten thousand tools is megabytes: parsing it here would hold up all clients.
        let page = tokio::task::spawn_blocking(move || serde_json::from_str::<Page>(result.get())).await;
        let page = page.map_err(|error| error.to_string())?;
        let page = page.map_err(|error| format!("its list of tools is odd: {error}"))?;
        for tool in page.tools {
            bytes += tool.get().len();
            if all.len() >= TOOLS_MAX || bytes > TOOLS_BYTES_MAX {
                return Ok(all);
            }
            all.push(tool);
        }
        match page.next_cursor {
            Some(next) if cursor.as_ref() != Some(&next) => cursor = Some(next),
            Some(_) | None => return Ok(all),
        }
    }
    Ok(all)
}

/// The offered tools: those with a valid name that the config allows, without duplicates.
pub fn entries(definitions: &[Box<RawValue>], spec: &Spec, standing: &Standing) -> Vec<Arc<Entry>> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let mut seen = HashSet::new();
    let mut entries = Vec::with_capacity(definitions.len());
    for definition in definitions {
        let Ok(Named { name }) = serde_json::from_str(definition.get()) else { continue };
        let usable = (1..=TOOL_NAME_BYTES_MAX).contains(&name.len()) && !name.chars().any(char::is_control);
        if usable && spec.offers(&name) && seen.insert(name.clone()) {
            entries.push(Arc::new(Entry::new(spec.name.clone(), name, definition.clone(), standing.clone())));
        }
    }
    entries
}

/// The parameters of tools that a modern server also wants in headers.
pub fn header_params(entries: &[Arc<Entry>]) -> HeaderParams {
    let mut params = HeaderParams::new();
    for entry in entries.iter().filter(|entry| entry.tool().get().contains("x-mcp-header")) {
        let mut found = Vec::new();
        marked(&entry.definition()["inputSchema"], &mut Vec::new(), &mut found);
        if !found.is_empty() {
            params.insert(entry.name.clone(), found);
        }
    }
    params
}

fn marked(schema: &Value, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    /// A schema may be nested without end.
    const DEPTH_MAX: usize = 8;
    if path.len() >= DEPTH_MAX {
        return;
    }
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        path.push(name.clone());
        if let Some(header) = part["x-mcp-header"].as_str() {
            found.push((path.clone(), header.to_owned()));
        }
        marked(part, path, found);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Command, ServerConfig};
    use crate::context::Project;
    use std::path::Path;

    fn raw(value: &Value) -> Box<RawValue> {
        to_raw_value(value).unwrap()
    }

    fn spec(config: ServerConfig) -> Spec {
        let config = ServerConfig { command: Some(Command::Program("x".into())), ..config };
        Spec::new("s", &config, &Project::default(), Path::new("/")).unwrap()
    }

    #[test]
    fn only_usable_and_allowed_names_are_offered_once() {
        let long = "x".repeat(TOOL_NAME_BYTES_MAX);
        let definitions: Vec<_> = ["a", "a", "", "b\n", "secret", &long, &format!("{long}x")]
            .iter()
            .map(|name| raw(&json!({ "name": name })))
            .chain([raw(&json!(7)), raw(&json!({ "title": "no name" }))])
            .collect();
        let spec = spec(ServerConfig { deny: Some(vec!["sec*".into()]), ..ServerConfig::default() });
        let entries = entries(&definitions, &spec, &Standing::Ready);
        assert_eq!(entries.iter().map(|entry| &*entry.name).collect::<Vec<_>>(), ["a", &long]);
    }

    #[test]
    fn marked_arguments_are_found_at_any_depth() {
        let tool = json!({ "name": "t", "inputSchema": { "properties": {
            "region": { "x-mcp-header": "Region" },
            "at": { "properties": { "zone": { "x-mcp-header": "Zone" } } },
            "plain": {}
        } } });
        let entries = entries(&[raw(&tool)], &spec(ServerConfig::default()), &Standing::Ready);
        let found = &header_params(&entries)["t"];
        assert_eq!(found[0], (vec!["region".to_owned()], "Region".to_owned()));
        assert_eq!(found[1], (vec!["at".to_owned(), "zone".to_owned()], "Zone".to_owned()));
    }
}
