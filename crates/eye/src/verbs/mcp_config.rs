//! Prints the settings with which an MCP client starts `eye mcp`: a valid file on stdout, its path on stderr. Formats
//! as the clients documented them in November 2026.

use crate::env;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use clap::ValueEnum;
use serde_json::{Value, json};

/// A program that speaks MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Amp
    Amp,
    /// Claude Code
    Claude,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cline
    Cline,
    /// Codex
    Codex,
    /// Continue
    Continue,
    /// Copilot CLI
    Copilot,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// Goose
    Goose,
    /// Junie and AI Assistant in the IDEs
    Jetbrains,
    /// Kiro
    Kiro,
    /// LM Studio
    LmStudio,
    /// opencode
    Opencode,
    /// VS Code
    Vscode,
    /// Windsurf
    Windsurf,
    /// Zed
    Zed,
}

/// The file of a client's settings, as people are told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SettingsFile {
    /// In a project, shared by all who work on it: contains no path of this machine.
    Project(&'static str),
    User(&'static str),
}

impl Client {
    fn settings_file(self) -> SettingsFile {
        match self {
            Self::Amp => SettingsFile::User("~/.config/amp/settings.json"),
            Self::Claude => SettingsFile::Project(".mcp.json"),
            Self::ClaudeDesktop => SettingsFile::User("claude_desktop_config.json"),
            Self::Cline => SettingsFile::User("cline_mcp_settings.json (MCP Servers, Configure)"),
            Self::Codex => SettingsFile::User("~/.codex/config.toml"),
            Self::Continue => SettingsFile::Project(".continue/mcpServers/eye.yaml"),
            Self::Copilot => SettingsFile::User("~/.copilot/mcp-config.json"),
            Self::Cursor => SettingsFile::Project(".cursor/mcp.json"),
            Self::Gemini => SettingsFile::Project(".gemini/settings.json"),
            Self::Goose => SettingsFile::User("~/.config/goose/config.yaml"),
            Self::Jetbrains => {
                SettingsFile::User("~/.junie/mcp/mcp.json (AI Assistant: Settings, Tools, MCP, As JSON)")
            }
            Self::Kiro => SettingsFile::Project(".kiro/settings/mcp.json"),
            Self::LmStudio => SettingsFile::User("mcp.json of LM Studio (Program, Install, Edit mcp.json)"),
            Self::Opencode => SettingsFile::Project("opencode.json (opencode 1: `eye` stands directly below `mcp`)"),
            Self::Vscode => SettingsFile::Project(".vscode/mcp.json"),
            Self::Windsurf => SettingsFile::User("~/.codeium/windsurf/mcp_config.json"),
            Self::Zed => SettingsFile::User("~/.config/zed/settings.json"),
        }
    }
}

/// The text for stdout. Prints on stderr where it goes.
pub fn text(client: Client, full: bool, options: &Options) -> Result<String, Failure> {
    let program = env::current_program().map_err(Failure::io("find this program"))?;
    let (SettingsFile::Project(file) | SettingsFile::User(file)) = client.settings_file();
    ui::note(format_args!("this goes into {file}; settings that are there already stay beside it"));
    Ok(of(client, &program.display().to_string(), full, options.page.as_deref()))
}

fn of(client: Client, program: &str, full: bool, page: Option<&str>) -> String {
    let program = match client.settings_file() {
        SettingsFile::Project(_) => "eye",
        SettingsFile::User(_) => program,
    };
    let mut args = vec!["mcp".to_owned()];
    args.extend(full.then(|| "--full".to_owned()));
    args.extend(page.map(|page| format!("--page={page}")));
    let server = json!({ "command": program, "args": args });
    match client {
        Client::Claude
        | Client::ClaudeDesktop
        | Client::Cline
        | Client::Cursor
        | Client::Gemini
        | Client::Jetbrains
        | Client::Kiro
        | Client::LmStudio
        | Client::Windsurf => pretty(&json!({ "mcpServers": { "eye": server } })),
        Client::Copilot => {
            let server = json!({ "type": "local", "command": program, "args": args, "tools": ["*"] });
            pretty(&json!({ "mcpServers": { "eye": server } }))
        }
        Client::Amp => pretty(&json!({ "amp.mcpServers": { "eye": server } })),
        Client::Vscode => {
            let server = json!({ "type": "stdio", "command": program, "args": args });
            pretty(&json!({ "servers": { "eye": server } }))
        }
        Client::Zed => pretty(&json!({ "context_servers": { "eye": server } })),
        Client::Opencode => {
            let words: Vec<String> = std::iter::once(program.to_owned()).chain(args).collect();
            let server = json!({ "type": "local", "command": words });
            pretty(&json!({ "$schema": "https://opencode.ai/config.json", "mcp": { "servers": { "eye": server } } }))
        }
        // JSON strings and lists of them are also valid TOML and YAML.
        Client::Codex => format!("[mcp_servers.eye]\ncommand = {}\nargs = {}\n", json!(program), json!(args)),
        Client::Goose => format!(
            "extensions:\n  eye:\n    name: eye\n    type: stdio\n    cmd: {}\n    args: {}\n    enabled: true\n    timeout: 300\n",
            json!(program),
            json!(args)
        ),
        Client::Continue => format!(
            "name: eye\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: eye\n    command: {}\n    args: {}\n",
            json!(program),
            json!(args)
        ),
    }
}

fn pretty(value: &Value) -> String {
    format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_gets_a_whole_valid_file_of_its_own_form() {
        for client in Client::value_variants() {
            let body = of(*client, "/bin/eye", true, None);
            let words = match client {
                Client::Codex => {
                    assert_eq!(body, "[mcp_servers.eye]\ncommand = \"/bin/eye\"\nargs = [\"mcp\",\"--full\"]\n");
                    continue;
                }
                Client::Goose | Client::Continue => {
                    assert!(body.contains("args: [\"mcp\",\"--full\"]\n"), "{body}");
                    continue;
                }
                _ => serde_json::from_str::<Value>(&body).unwrap().to_string(),
            };
            assert!(words.contains(r#""mcp","--full"]"#), "{client:?}: {words}");
        }
        let claude: Value = serde_json::from_str(&of(Client::Claude, "/bin/eye", false, Some("shop"))).unwrap();
        assert_eq!(claude["mcpServers"]["eye"], json!({ "command": "eye", "args": ["mcp", "--page=shop"] }));
    }

    #[test]
    fn what_a_project_keeps_names_no_path_of_this_machine() {
        for client in Client::value_variants() {
            let body = of(*client, "/opt/tools/bin/eye", false, None);
            let in_project = matches!(client.settings_file(), SettingsFile::Project(_));
            assert_eq!(body.contains("/opt/tools"), !in_project, "{client:?}: {body}");
        }
    }
}
