//! `eye mcp`: an MCP server on stdio. Passes its stdin and stdout to the hub, which speaks MCP and serves every client.
//! Where that is impossible (a file, a terminal, another system than Linux), it copies bytes.

#[cfg(target_os = "linux")]
mod handing;

use crate::env;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::mcp_config::{self, Client};
use crate::verbs::status;
use crate::{client, ui};
use eye_mcp::config::{self, Command, Config, ServerConfig};
use eye_mcp::face::Announcement;
use eye_platform::local::Stream;
use eye_platform::process;
use eye_protocol::rpc::json;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

const READ_BYTES: usize = 64 << 10;

/// Serve MCP on stdio, for an agent's configuration
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: eye mcp --print-config claude\n         claude mcp add eye -- eye mcp\n         eye mcp --server 'files=npx -y @modelcontextprotocol/server-filesystem .'"
)]
pub struct Args {
    /// List every tool, not only the three that find and call them
    #[arg(long)]
    full: bool,
    /// Print what to put into the settings of a client, and where
    #[arg(long, value_name = "CLIENT", value_enum)]
    print_config: Option<Client>,
    /// A server for this client alone: a command whose words stand apart, or a URL; as often as needed
    #[arg(long, value_name = "NAME=COMMAND")]
    server: Vec<String>,
    /// A file of servers for this client alone, above those of the project and the user
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    /// The servers named on the command line. They override those of every file.
    fn overrides(&self) -> Result<Config, Failure> {
        let mut config = match &self.config {
            Some(file) => {
                let text = std::fs::read_to_string(file).map_err(Failure::io("read the config"))?;
                config::parse(&text, file)
                    .map_err(|error| Failure::usage(error.to_string(), error.hint.unwrap_or_default()))?
            }
            None => Config::default(),
        };
        for named in &self.server {
            let wrong =
                || Failure::usage(format!("`{named}` names no server"), "write --server files='npx -y SERVER .'");
            let (name, command) = named.split_once('=').ok_or_else(wrong)?;
            config::check_name(name)
                .map_err(|error| Failure::usage(error.to_string(), "write --server NAME=COMMAND"))?;
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            let entry = match words.as_slice() {
                [] => return Err(wrong()),
                [url] if url.starts_with("http://") || url.starts_with("https://") => {
                    ServerConfig { url: Some(url.clone()), ..ServerConfig::default() }
                }
                _ => ServerConfig { command: Some(Command::Words(words)), ..ServerConfig::default() },
            };
            config.servers.insert(name.to_owned(), entry);
        }
        Ok(config)
    }
}

/// Serves until the client closes stdin.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    if let Some(client) = args.print_config {
        ui::text_out(&mcp_config::text(client, args.full, options)?)?;
        return Ok(Exit::Success);
    }
    #[cfg(target_os = "linux")]
    if let Some(exit) = handing::serve(|again| announce(args, options, again, true))? {
        return Ok(exit);
    }
    pipe(args, options, ui::raw_stdin()?)
}

/// Copies bytes in both directions.
fn pipe(args: &Args, options: &Options, mut stdin: File) -> Result<Exit, Failure> {
    let mut pipe = Pipe::open(args, options, false)?;
    let mut bytes = vec![0; READ_BYTES];
    loop {
        let count = match stdin.read(&mut bytes) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => 0,
        };
        if count == 0 {
            pipe.finish();
            return Ok(Exit::Success);
        }
        if pipe.ended.load(Ordering::Acquire) || pipe.socket.write_all(&bytes[..count]).is_err() {
            pipe = Pipe::open(args, options, true)?;
            pipe.socket.write_all(&bytes[..count]).map_err(|_| Failure::HubGone)?;
        }
    }
}

/// Opens a connection to the hub and announces the client. Also returns the bytes that were already read.
fn announce(args: &Args, options: &Options, again: bool, hands_over: bool) -> Result<(Stream, Vec<u8>), Failure> {
    let elsewhere = || {
        let hint = "give your client the URL of that hub with /mcp, and its token as a bearer token";
        Failure::usage("eye mcp serves through the hub of this machine only", hint)
    };
    // A relay forwards the requests of agents, but not MCP.
    if let Ok(Some(_)) = status::relay(options) {
        return Err(elsewhere());
    }
    let (mut socket, rest) = client::open(options)?.into_socket().ok_or_else(elsewhere)?;
    let announcement = Announcement {
        token: env::Var::Token.text(),
        cwd: env::current_folder(),
        env: env::everything(),
        agent: Some(agent()),
        page: options.page.clone(),
        full: args.full,
        again,
        hands_over,
        overrides: args.overrides()?,
    };
    let first = format!("mcp {}\n", json(&announcement));
    socket.write_all(first.as_bytes()).map_err(|_| Failure::HubGone)?;
    Ok((socket, rest))
}

/// A connection to a hub, and the thread that prints what the hub sends.
struct Pipe {
    socket: Stream,
    ended: Arc<AtomicBool>,
    printing: JoinHandle<()>,
}

impl Pipe {
    fn open(args: &Args, options: &Options, again: bool) -> Result<Self, Failure> {
        let (socket, rest) = announce(args, options, again, false)?;
        socket.set_read_timeout(None).map_err(Failure::io("wait for the hub"))?;
        let reader = socket.try_clone().map_err(Failure::io("read from the hub"))?;
        let ended = Arc::new(AtomicBool::new(false));
        let over = ended.clone();
        let printing = thread::spawn(move || {
            // A failure means that the client has closed its end.
            let _ = print(reader, &rest);
            over.store(true, Ordering::Release);
        });
        Ok(Self { socket, ended, printing })
    }

    /// The client sends no more; its open requests are still answered.
    fn finish(self) {
        let _ = self.socket.shutdown(Shutdown::Write);
        let _ = self.printing.join();
    }
}

fn print(mut socket: Stream, rest: &[u8]) -> Result<(), Failure> {
    let mut stdout = ui::raw_stdout()?;
    let broken = |_| Failure::HubGone;
    stdout.write_all(rest).map_err(broken)?;
    let mut bytes = vec![0; READ_BYTES];
    loop {
        match socket.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(count) => stdout.write_all(&bytes[..count]).map_err(broken)?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Ok(()),
        }
    }
}

/// The agent's name: the program that started this one (this one itself if unknown), and the folder. So two programs in
/// one folder have separate current pages.
fn agent() -> String {
    let folder = env::current_folder().map(|folder| folder.display().to_string()).unwrap_or_default();
    let parent = process::parent().unwrap_or_else(std::process::id);
    format!("mcp {parent} {folder}")
}
