//! `eye servers`: lists, adds, imports, tests and manages the MCP servers behind the gateway.

mod approve;
pub mod files;
mod login;
mod manage;
mod trust;

use crate::client::{self, Absent};
use crate::env;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::places;
use crate::ui;
use eye_mcp::config::{self, Command, Layers, ServerConfig};
use eye_mcp::gateway::{Servers, short_reason, try_server};
use eye_mcp::{ServerState, ServerStatus};
use eye_protocol::rpc;
use files::{asking, failure_of, read, target, write};
use indexmap::IndexMap;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// The longest name or command in a line.
const CELL_CHARS_MAX: usize = 60;

/// The longest reason in a line. More than for a cell, because the end of a reason says most.
const REASON_CHARS_MAX: usize = 160;

/// List, add, import or try the MCP servers behind the gateway
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye servers
         eye servers add files -- npx -y @modelcontextprotocol/server-filesystem .
         eye servers add wiki --url https://example.com/mcp --header 'Authorization=Bearer ${WIKI_TOKEN}'
         eye servers import ~/.cursor/mcp.json
         eye servers test files
         eye servers trust files
         eye servers login wiki

They are kept in ~/.config/eye/config.yaml, or with --project in .eye/config.yaml, which stands above it once you trust \
its entries. A server starts when it is first used, in the folder of the agent that uses it. It gets PATH, HOME and a few \
other variables, and those that its entry names.")]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the servers, how they are and what they have done
    List,
    /// Add a server to the config
    Add(Add),
    /// Take the servers from another program's file
    Import(Import),
    /// Start a server on its own, list its tools, and end it again
    Test {
        /// Its name in the config
        name: String,
    },
    /// Show what a server of the project's config would run, and trust it
    Trust(trust::Args),
    /// Take a server out of the config
    Remove(manage::Named),
    /// Switch a server on
    Enable(manage::Named),
    /// Switch a server off; its entry stays
    Disable(manage::Named),
    /// Show which tools of a server changed or are new, and approve them
    Approve(approve::Args),
    /// Log in to a server over HTTP, in your browser
    Login(login::Args),
    /// Forget a login, and tell the authorization server
    Logout {
        /// Its name in the config
        name: String,
    },
    /// Show the end of what a server wrote on stderr
    Logs {
        /// Its name in the config
        name: String,
    },
}

#[derive(Debug, clap::Args)]
struct Add {
    /// How it is called from now on
    name: String,
    /// Where it is reached over HTTP
    #[arg(long, conflicts_with = "command")]
    url: Option<String>,
    /// A header of every request, NAME=VALUE; ${VAR} is replaced when it is used
    #[arg(long, value_name = "NAME=VALUE", requires = "url")]
    header: Vec<String>,
    /// A variable of its environment, NAME=VALUE; ${VAR} is replaced when it starts
    #[arg(long, value_name = "NAME=VALUE", requires = "command")]
    env: Vec<String>,
    /// What it is for, in one sentence
    #[arg(long)]
    description: Option<String>,
    /// Write to the project's config instead of yours
    #[arg(long)]
    project: bool,
    /// The program and its arguments, after --
    #[arg(last = true, required_unless_present = "url")]
    command: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct Import {
    /// A JSON file with mcpServers, opencode.json, Codex's config.toml, or MCP Browser's config.yaml
    file: PathBuf,
    /// Write to the project's config instead of yours
    #[arg(long)]
    project: bool,
}

pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    match args.action {
        None | Some(Action::List) => list(options),
        Some(Action::Add(add)) => self::add(add, options),
        Some(Action::Import(import)) => self::import(&import, options),
        Some(Action::Test { name }) => test(&name, options),
        Some(Action::Trust(args)) => trust::run(&args, options),
        Some(Action::Remove(args)) => manage::remove(&args, options),
        Some(Action::Enable(args)) => manage::switch(&args, true, options),
        Some(Action::Disable(args)) => manage::switch(&args, false, options),
        Some(Action::Approve(args)) => approve::run(&args, options),
        Some(Action::Login(args)) => login::run(&args, options),
        Some(Action::Logout { name }) => login::end(&name, options),
        Some(Action::Logs { name }) => manage::logs(&name, options),
    }
}

fn list(options: &Options) -> Result<Exit, Failure> {
    let params = asking(env::current_folder());
    let Servers { servers } = client::call("gateway/servers", &params, options, Absent::Start)?;
    let user = places::config_file()?;
    let cwd = env::current_folder().unwrap_or_default();
    let layers = Layers::read(Some(&user), &cwd, &config::Config::default());
    for error in &layers.errors {
        ui::report(&failure_of(error));
    }
    if options.errors {
        return Ok(Exit::Success);
    }
    if options.json {
        ui::line(rpc::json(&servers))?;
    } else if servers.is_empty() {
        ui::note("no servers; add one with eye servers add, or take yours with eye servers import FILE");
    } else {
        ui::text_out(&rows(&servers))?;
    }
    for entry in layers.project.iter().filter(|entry| !entry.trusted) {
        let name = ui::one_line(&entry.name, CELL_CHARS_MAX);
        let stands = if entry.over_own { "your own entry stands" } else { "it does not run" };
        ui::note(format_args!("`{name}` of this project is not trusted, {stands}: eye servers trust {name}"));
    }
    Ok(Exit::Success)
}

/// One aligned line per server: name, state, tools, work done, and its command or its problem.
fn rows(servers: &[ServerStatus]) -> String {
    let cells: Vec<[String; 5]> = servers.iter().map(cells).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (names, states, tools, done) = (width(0), width(1), width(2), width(3));
    let mut text = String::new();
    for [name, state, count, work, last] in &cells {
        let line = format!("{name:names$}  {state:states$}  {count:>tools$}  {work:done$}  {last}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn cells(server: &ServerStatus) -> [String; 5] {
    let (state, why) = match &server.state {
        ServerState::Configured => ("not started", None),
        ServerState::Known => ("not running", None),
        ServerState::Starting => ("starting", None),
        ServerState::Ready if server.wants_login => ("wants a login", None),
        ServerState::Ready => ("ready", None),
        ServerState::Failed { why } => ("down", Some(why)),
        ServerState::Disabled => ("off", None),
        ServerState::Untrusted => ("untrusted", None),
    };
    let tools = match server.tools {
        0 => String::new(),
        1 => "1 tool".into(),
        n => format!("{n} tools"),
    };
    let tools = match server.unapproved {
        0 => tools,
        n => format!("{tools}{}{n} to approve", if tools.is_empty() { "" } else { ", " }),
    };
    let counters = &server.counters;
    let work = if counters.calls == 0 {
        String::new()
    } else {
        let (whole, part) = (counters.mean_us() / 1000, counters.mean_us() % 1000 / 100);
        let (calls, errors, tokens) = (counters.calls, counters.errors, counters.tokens_in + counters.tokens_out);
        format!("{calls} calls, {errors} errors, {whole}.{part} ms, {tokens} tokens")
    };
    let last = why.map_or_else(|| server.command.join(" "), |why| short_reason(why));
    let last_max = if why.is_some() { REASON_CHARS_MAX } else { CELL_CHARS_MAX };
    [ui::one_line(&server.name, CELL_CHARS_MAX), state.into(), tools, work, ui::one_line(&last, last_max)]
}

fn add(add: Add, options: &Options) -> Result<Exit, Failure> {
    let server = ServerConfig {
        command: (!add.command.is_empty()).then_some(Command::Words(add.command)),
        url: add.url,
        env: pairs(&add.env)?,
        headers: pairs(&add.header)?,
        description: add.description,
        ..ServerConfig::default()
    };
    let file = target(add.project)?;
    let text = config::add_server(&read(&file)?, &add.name, &server, &file).map_err(|error| failure_of(&error))?;
    write(&file, &text, add.project)?;
    if add.project {
        // Typing the entry counts as consent to it.
        trust::trust_own(&add.name)?;
    }
    if !options.errors {
        ui::note(format_args!("added to {}; try it with eye servers test {}", file.display(), add.name));
    }
    Ok(Exit::Success)
}

fn import(import: &Import, options: &Options) -> Result<Exit, Failure> {
    let text = fs::read_to_string(&import.file).map_err(Failure::io(format!("read {}", import.file.display())))?;
    let cwd = env::current_folder().unwrap_or_default();
    let found = config::import(&text, &import.file, &cwd).map_err(|error| failure_of(&error))?;
    let file = target(import.project)?;
    let mut text = read(&file)?;
    let mut added = Vec::new();
    for (name, server) in &found.servers {
        match config::add_server(&text, name, server, &file) {
            Ok(more) => {
                text = more;
                added.push(name.as_str());
            }
            Err(error) => ui::note(format_args!("{name} is left out: {}", error.message)),
        }
    }
    if !added.is_empty() {
        write(&file, &text, import.project)?;
    }
    for left_out in &found.left_out {
        ui::note(format_args!("left out: {left_out}"));
    }
    if !options.errors {
        ui::note(format_args!(
            "added to {}: {}",
            file.display(),
            if added.is_empty() { "nothing".into() } else { added.join(", ") }
        ));
    }
    Ok(Exit::Success)
}

fn test(name: &str, options: &Options) -> Result<Exit, Failure> {
    let trial = try_server(approve::settings()?, name).map_err(Failure::of_rpc)?;
    if options.errors {
        return Ok(Exit::Success);
    }
    if options.json {
        ui::line(json!({ "server": trial.server, "tookMs": trial.took.as_millis(), "tools": trial.tools }))?;
        return Ok(Exit::Success);
    }
    let revision = trial.server.protocol.unwrap_or_default();
    ui::line(format_args!("{name} answers after {} ms (MCP {revision})", trial.took.as_millis()))?;
    for tool in trial.tools {
        ui::line(tool)?;
    }
    Ok(Exit::Success)
}

fn pairs(words: &[String]) -> Result<Option<IndexMap<String, String>>, Failure> {
    let pair = |word: &String| {
        let (name, value) = word.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
            Failure::usage(format!("`{word}` is no NAME=VALUE"), "write it as in API_KEY='${API_KEY}'")
        })?;
        Ok((name.to_owned(), value.to_owned()))
    };
    let pairs = words.iter().map(pair).collect::<Result<IndexMap<_, _>, Failure>>()?;
    Ok((!pairs.is_empty()).then_some(pairs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_mcp::metrics::Counters;

    fn server(name: &str, state: ServerState, tools: usize) -> ServerStatus {
        ServerStatus {
            name: name.into(),
            title: None,
            description: None,
            command: vec!["npx".into(), "-y".into(), name.into()],
            state,
            tools,
            unapproved: 0,
            wants_login: false,
            protocol: None,
            counters: Counters::default(),
        }
    }

    #[test]
    fn rows_say_how_servers_are_and_what_they_did() {
        let mut busy = server("files", ServerState::Ready, 14);
        busy.counters =
            Counters { calls: 12, errors: 1, time_us: 18_000, tokens_in: 10, tokens_out: 30, ..Counters::default() };
        let down = ServerState::Failed { why: "it ended with exit status: 1; it said: no\nsuch file".into() };
        insta::assert_snapshot!(rows(&[busy, server("db", down, 0), server("one", ServerState::Known, 1)]), @r"
        files  ready        14 tools  12 calls, 1 errors, 1.5 ms, 40 tokens  npx -y files
        db     down                                                          it ended with exit status: 1: such file
        one    not running    1 tool                                         npx -y one
        ");
    }

    #[test]
    fn variables_are_written_as_name_and_value() {
        let found = pairs(&["A=1".into(), "B=x=y".into()]).unwrap().unwrap();
        assert_eq!((found["A"].as_str(), found["B"].as_str()), ("1", "x=y"));
        assert!(pairs(&["=x".into()]).is_err() && pairs(&["x".into()]).is_err());
        assert_eq!(pairs(&[]).unwrap(), None);
    }
}
