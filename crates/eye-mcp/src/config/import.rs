//! Imports the servers from configs of other programs: the common `mcpServers` JSON files, opencode's, Codex's TOML,
//! and `.mcp-browser/config.yaml`.

use super::error::ConfigError;
use super::model::{Command, ServerConfig};
use super::read::check_name;
use indexmap::IndexMap;
use serde_json::{Map, Value};
use std::path::Path;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    pub servers: IndexMap<String, ServerConfig>,
    /// What was not imported, one sentence each.
    pub left_out: Vec<String>,
}

/// Reads the servers from another program's file. `cwd` selects the project in a file that has several.
pub fn import(text: &str, file: &Path, cwd: &Path) -> Result<Imported, ConfigError> {
    let yaml = file.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    let toml = file.extension().is_some_and(|ending| ending == "toml");
    let document: Value = if toml {
        toml_edit::de::from_str(text).map_err(|error| ConfigError::new(file, format!("not TOML: {error}")))?
    } else if yaml {
        serde_saphyr::from_str(text).map_err(|error| ConfigError::of_yaml(file, &error))?
    } else {
        // Editors allow comments and trailing commas in these files.
        json5::from_str(text).map_err(|error| ConfigError::new(file, format!("not JSON: {error}")))?
    };
    let own = &document["projects"][cwd.to_string_lossy().as_ref()];
    let mut imported = Imported::default();
    let mut some = false;
    for servers in [&document, own].iter().flat_map(|place| {
        ["mcpServers", "servers", "context_servers", "mcp_servers", "amp.mcpServers", "mcp"]
            .map(|key| &place[key])
            .into_iter()
            .chain([&place["mcp"]["servers"]])
    }) {
        for (name, server) in servers.as_object().into_iter().flatten() {
            // opencode 1 has its servers directly below `mcp`, VS Code and opencode 2 one level deeper.
            if server.is_array() || ["servers", "inputs"].contains(&name.as_str()) && server.get("type").is_none() {
                continue;
            }
            some = true;
            take(name, server, &mut imported);
        }
    }
    if some {
        return Ok(imported);
    }
    let hint = "files with `mcpServers` (Claude, Cursor, Windsurf), `servers` (VS Code, MCP Browser), `mcp` (opencode), \
                `mcp_servers` (Codex) can be read";
    Err(ConfigError::new(file, "no servers in it").hint(hint))
}

fn take(name: &str, server: &Value, imported: &mut Imported) {
    let Some(members) = server.as_object() else {
        imported.left_out.push(format!("{name}: not an object"));
        return;
    };
    if let Err(why) = check_name(name) {
        imported.left_out.push(format!("{name}: {why}"));
        return;
    }
    let config = converted(name, members, &mut imported.left_out);
    if config.command.is_none() && config.url.is_none() {
        imported.left_out.push(format!("{name}: neither a command nor a url"));
        return;
    }
    imported.servers.insert(name.to_owned(), config);
}

fn converted(name: &str, members: &Map<String, Value>, left_out: &mut Vec<String>) -> ServerConfig {
    let mut config = ServerConfig::default();
    for (key, value) in members {
        match key.as_str() {
            "command" => config.command = command(value),
            "args" => config.args = texts(value).filter(|args| !args.is_empty()),
            "env" | "environment" => config.env = pairs(value),
            "url" | "serverUrl" | "httpUrl" => config.url = value.as_str().map(text),
            "headers" | "http_headers" => config.headers = pairs(value),
            // Codex names the environment variable that holds a token.
            "bearer_token_env_var" => {
                let variable = value.as_str().unwrap_or_default();
                let header = ("Authorization".to_owned(), format!("Bearer ${{{variable}}}"));
                config.headers.get_or_insert_default().insert(header.0, header.1);
            }
            "name" => config.name = value.as_str().map(str::to_owned),
            "description" => config.description = value.as_str().map(str::to_owned),
            "enabled" => config.enabled = value.as_bool().filter(|on| !on),
            "disabled" => config.enabled = (value == &Value::Bool(true)).then_some(false),
            "cwd" => config.cwd = value.as_str().map(text),
            "autoApprove" | "alwaysAllow" | "timeout" | "startup_timeout_sec" | "tool_timeout_sec" => {
                // Whether an agent asks first is the agent's decision; time is in other units in other programs.
                left_out.push(format!("{name}: `{key}`"));
            }
            "type" | "transport" if value == "sse" => {
                left_out.push(format!("{name}: the old SSE transport; its url is tried as Streamable HTTP"));
            }
            "type" | "transport" => {}
            _ => left_out.push(format!("{name}: `{key}`")),
        }
    }
    config
}

fn command(value: &Value) -> Option<Command> {
    match value {
        Value::String(program) => Some(Command::Program(text(program))),
        Value::Object(nested) => nested.get("path").and_then(Value::as_str).map(|path| Command::Program(text(path))),
        other => texts(other).filter(|words| !words.is_empty()).map(Command::Words),
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array()?.iter();
    Some(items.map(|item| item.as_str().map_or_else(|| item.to_string(), text)).collect())
}

fn pairs(value: &Value) -> Option<IndexMap<String, String>> {
    let members = value.as_object().filter(|members| !members.is_empty())?.iter();
    Some(members.map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), text))).collect())
}

/// VS Code and Cursor write `${env:NAME}`.
fn text(text: &str) -> String {
    text.replace("${env:", "${")
}
