//! Adds, removes and switches a server in a config file that a person wrote, keeping comments and order.

use super::error::ConfigError;
use super::model::{Config, ServerConfig};
use super::read::{check_name, parse};
use std::fmt::Write;
use std::path::Path;

/// The file's text with one more server. The rest of the text stays as it is, byte for byte.
pub fn add_server(text: &str, name: &str, server: &ServerConfig, file: &Path) -> Result<String, ConfigError> {
    check_name(name).map_err(|error| ConfigError::new(file, error.to_string()))?;
    let before = parse(text, file)?;
    if before.servers.contains_key(name) {
        let hint = format!("change it in {}", file.display());
        return Err(ConfigError::new(file, format!("a server `{name}` is there already")).hint(hint));
    }
    // An empty list, as removing the last server leaves it.
    let lines: Vec<&str> =
        text.lines().map(|line| if line.trim_end() == "servers: {}" { "servers:" } else { line }).collect();
    let head = lines.iter().position(|line| line.trim_end() == "servers:" || line.starts_with("servers: #"));
    let after = if let Some(head) = head {
        let indent = lines[head + 1..].iter().find(|line| !is_empty(line)).map_or(2, |line| indent_of(line).max(1));
        let end = lines[head + 1..].iter().position(|line| !is_empty(line) && indent_of(line) == 0);
        let mut end = end.map_or(lines.len(), |end| head + 1 + end);
        // Empty lines and comments before the next key belong to that key.
        while end > head + 1 && is_empty(lines[end - 1]) {
            end -= 1;
        }
        let block = block(name, server, indent);
        let rest = lines[end..].iter().map(|line| format!("{line}\n"));
        lines[..end].iter().map(|line| format!("{line}\n")).chain([block]).chain(rest).collect()
    } else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{text}{gap}servers:\n{}", block(name, server, 2))
    };
    // Verification: the new text must parse to the old config plus the new server.
    let mut want: Config = before;
    want.servers.insert(name.to_owned(), server.clone());
    match parse(&after, file) {
        Ok(config) if config == want => Ok(after),
        Ok(_) | Err(_) => {
            let message = "its `servers` are written in a way that cannot be added to";
            Err(ConfigError::new(file, message).hint(format!("add this to it:\nservers:\n{}", block(name, server, 2))))
        }
    }
}

/// The file's text without a server.
pub fn remove_server(text: &str, name: &str, file: &Path) -> Result<String, ConfigError> {
    let mut want = parse(text, file)?;
    if want.servers.shift_remove(name).is_none() {
        return Err(ConfigError::new(file, format!("no server `{name}` is in it")));
    }
    let lines: Vec<&str> = text.lines().collect();
    let kept = entry(&lines, name).map(|(start, end)| [&lines[..start], &lines[end..]].concat());
    proven(kept, &want, name, file)
}

/// The file's text with a server switched on or off.
pub fn switch_server(text: &str, name: &str, on: bool, file: &Path) -> Result<String, ConfigError> {
    let mut want = parse(text, file)?;
    let Some(server) = want.servers.get_mut(name) else {
        return Err(ConfigError::new(file, format!("no server `{name}` is in it")));
    };
    if server.enabled == Some(on) || (on && server.enabled.is_none()) {
        return Ok(text.to_owned());
    }
    server.enabled = Some(on);
    let lines: Vec<&str> = text.lines().collect();
    let Some((start, end)) = entry(&lines, name) else { return proven(None, &want, name, file) };
    let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let known = (start..end).find(|at| lines[*at].trim_start().starts_with("enabled:"));
    if let Some(at) = known {
        changed[at] = format!("{}enabled: {on}", " ".repeat(indent_of(lines[at])));
    } else if let Some(open) = lines[start].find('{') {
        let rest = &lines[start][open + 1..];
        let bare = rest.replace("enabled: true, ", "").replace("enabled: false, ", "");
        changed[start] = format!("{}{{ enabled: {on}, {}", &lines[start][..open], bare.trim_start());
    } else {
        let indent = lines.get(start + 1).map_or(4, |line| indent_of(line).max(indent_of(lines[start]) + 1));
        changed.insert(start + 1, format!("{}enabled: {on}", " ".repeat(indent)));
    }
    let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
    proven(Some(changed), &want, name, file)
}

/// The range of lines of a server's entry below `servers:`.
fn entry(lines: &[&str], name: &str) -> Option<(usize, usize)> {
    let head = lines.iter().position(|line| line.trim_end() == "servers:" || line.starts_with("servers: #"))?;
    let names = [format!("{}:", key(name)), format!("\"{name}\":"), format!("'{name}':")];
    let is_it =
        |line: &str| names.iter().any(|name| line.trim_start().starts_with(name.as_str())) && indent_of(line) > 0;
    let start = head + 1 + lines[head + 1..].iter().position(|line| is_it(line))?;
    let after =
        lines[start + 1..].iter().position(|line| !is_empty(line) && indent_of(line) <= indent_of(lines[start]));
    let mut end = after.map_or(lines.len(), |after| start + 1 + after);
    // Empty lines and comments before the next entry belong to that entry.
    while end > start + 1 && is_empty(lines[end - 1]) {
        end -= 1;
    }
    Some((start, end))
}

/// Verification: the new text must parse to exactly the config that is wanted.
fn proven(lines: Option<Vec<&str>>, want: &Config, name: &str, file: &Path) -> Result<String, ConfigError> {
    let text = lines.map(|lines| lines.iter().flat_map(|line| [line, "\n"]).collect::<String>());
    // YAML would read `servers:` without entries as null.
    let text =
        text.map(|text| if want.servers.is_empty() { text.replacen("servers:\n", "servers: {}\n", 1) } else { text });
    match text.map(|text| (parse(&text, file), text)) {
        Some((Ok(config), text)) if config == *want => Ok(text),
        Some(_) | None => {
            let message = format!("its entry `{name}` is written in a way that cannot be changed");
            Err(ConfigError::new(file, message).hint(format!("change it in {}", file.display())))
        }
    }
}

fn is_empty(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The server as YAML. Strings are written as JSON, which is valid YAML.
fn block(name: &str, server: &ServerConfig, indent: usize) -> String {
    let pad = " ".repeat(indent);
    let mut text = format!("{pad}{}:\n", key(name));
    let Ok(serde_json::Value::Object(members)) = serde_json::to_value(server) else { return text };
    for (member, value) in members {
        let _ = writeln!(text, "{pad}{pad}{}: {}", key(&member), flow(&value));
    }
    text
}

fn flow(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Object(members) => {
            let pairs: Vec<String> =
                members.iter().map(|(name, value)| format!("{}: {}", key(name), flow(value))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        serde_json::Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

fn key(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&name.to_lowercase().as_str());
    if plain { name.to_owned() } else { serde_json::Value::from(name).to_string() }
}
