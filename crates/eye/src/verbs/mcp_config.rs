//! What to put into the settings of an MCP client so that it starts `eye mcp`.

use crate::env;
use crate::failure::Failure;
use crate::options::Options;
use clap::ValueEnum;
use serde_json::{Value, json};

/// A program that speaks MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Claude Code
    Claude,
    /// Claude Desktop
    ClaudeDesktop,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// VS Code
    Vscode,
    /// Windsurf
    Windsurf,
    /// Zed
    Zed,
}

/// The text, with the file it goes into as its first line.
pub fn text(client: Client, full: bool, options: &Options) -> Result<String, Failure> {
    let program = env::current_program().map_err(Failure::io("find this program"))?;
    Ok(of(client, &program.display().to_string(), full, options.page.as_deref()))
}

fn of(client: Client, program: &str, full: bool, page: Option<&str>) -> String {
    let mut args = vec!["mcp".to_owned()];
    args.extend(full.then(|| "--full".to_owned()));
    args.extend(page.map(|page| format!("--page={page}")));
    let server = json!({ "command": program, "args": args });
    let (file, body) = match client {
        Client::Claude => (".mcp.json", common(&server)),
        Client::ClaudeDesktop => ("claude_desktop_config.json", common(&server)),
        Client::Cursor => (".cursor/mcp.json", common(&server)),
        Client::Gemini => (".gemini/settings.json", common(&server)),
        Client::Windsurf => ("~/.codeium/windsurf/mcp_config.json", common(&server)),
        Client::Vscode => {
            let server = json!({ "type": "stdio", "command": program, "args": args });
            (".vscode/mcp.json", pretty(&json!({ "servers": { "eye": server } })))
        }
        Client::Zed => ("~/.config/zed/settings.json", pretty(&json!({ "context_servers": { "eye": server } }))),
        Client::Codex => {
            // A JSON string and a list of them are TOML as they are.
            let body = format!("[mcp_servers.eye]\ncommand = {}\nargs = {}", json!(program), json!(args));
            ("~/.codex/config.toml", body)
        }
    };
    let mark = if client == Client::Codex { "#" } else { "//" };
    format!("{mark} {file}\n{body}\n")
}

fn common(server: &Value) -> String {
    pretty(&json!({ "mcpServers": { "eye": server } }))
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_gets_its_own_form() {
        let claude = of(Client::Claude, "/bin/eye", true, None);
        let (file, body) = claude.split_once('\n').unwrap();
        assert_eq!(file, "// .mcp.json");
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["mcpServers"]["eye"], json!({ "command": "/bin/eye", "args": ["mcp", "--full"] }));
        let codex = of(Client::Codex, "/bin/eye", false, Some("shop"));
        assert_eq!(
            codex,
            "# ~/.codex/config.toml\n[mcp_servers.eye]\ncommand = \"/bin/eye\"\nargs = [\"mcp\",\"--page=shop\"]\n"
        );
    }
}
