//! `eye mcp`: an MCP server on stdio. It hands its stdin and stdout to the hub, which speaks MCP and serves every client;
//! where they cannot be handed over (a file, a terminal, another system than Linux), it pipes.

use crate::env;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::mcp_config::{self, Client};
use crate::verbs::status;
use crate::{client, ui};
use eye_mcp::config::{self, Command, Config, ServerConfig};
use eye_mcp::face::Announcement;
use eye_mcp::face::handover::{self, Flags};
use eye_protocol::rpc::json;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const READ_BYTES: usize = 64 << 10;
/// A hub that takes files says so at once; one of another version may say nothing.
const ASK_TIMEOUT: Duration = Duration::from_secs(2);

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
    /// The servers that the command line names, above every file.
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

/// Serves until the client is done.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    if let Some(client) = args.print_config {
        ui::text_out(&mcp_config::text(client, args.full, options)?)?;
        return Ok(Exit::Success);
    }
    let (stdin, stdout) = (ui::raw_stdin()?, ui::raw_stdout()?);
    if handover::can_be_handed_over(&stdin) && handover::can_be_handed_over(&stdout) {
        let _flags = [&stdin, &stdout].map(|file| Flags::of(file.as_fd()));
        let mut again = false;
        while let Some(socket) = hand_over(args, options, again, &stdin, &stdout)? {
            if is_done(socket) || !asks_more(&stdin) {
                return Ok(Exit::Success);
            }
            again = true;
        }
    }
    pipe(args, options, stdin)
}

/// Gives stdin and stdout to the hub. `None`: it does not take them.
fn hand_over(
    args: &Args,
    options: &Options,
    again: bool,
    stdin: &File,
    stdout: &File,
) -> Result<Option<UnixStream>, Failure> {
    let (mut socket, mut said) = announce(args, options, again, true)?;
    let mut bytes = [0; handover::ASK.len()];
    socket.set_read_timeout(Some(ASK_TIMEOUT)).map_err(Failure::io("wait for the hub"))?;
    while said.len() < handover::ASK.len() {
        match socket.read(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return Ok(None),
            Ok(count) => said.extend_from_slice(&bytes[..count]),
        }
    }
    if said != handover::ASK {
        return Ok(None);
    }
    socket.set_read_timeout(None).map_err(Failure::io("wait for the hub"))?;
    handover::hand_over(&socket, [stdin.as_fd(), stdout.as_fd()]).map_err(|_| Failure::HubGone)?;
    Ok(Some(socket))
}

/// Waits until the hub says that the client has all its answers. A hub that says nothing has ended.
fn is_done(mut socket: UnixStream) -> bool {
    let mut said = Vec::new();
    let _ = socket.read_to_end(&mut said);
    said == handover::DONE
}

/// Waits until the client says more: a hub that ended is missed when there is something to ask, not before, for
/// `eye down` means it.
fn asks_more(stdin: &File) -> bool {
    loop {
        let mut waiting = [PollFd::new(stdin, PollFlags::IN)];
        match poll(&mut waiting, None) {
            Err(Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => {
                let mut byte = [0];
                // A pipe that was closed cannot be read; a socket can, and gives nothing.
                let empty = matches!(recv(stdin, &mut byte, RecvFlags::PEEK), Ok((0, _)));
                return waiting[0].revents().contains(PollFlags::IN) && !empty;
            }
        }
    }
}

/// Passes bytes both ways.
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

/// A connection to the hub that knows whom it serves, and what was read of it already.
fn announce(args: &Args, options: &Options, again: bool, hands_over: bool) -> Result<(UnixStream, Vec<u8>), Failure> {
    let elsewhere = || {
        let hint = "give your client the URL of that hub with /mcp, and its token as a bearer token";
        Failure::usage("eye mcp serves through the hub of this machine only", hint)
    };
    // A relay passes on what agents ask, and no MCP.
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

/// One connection to a hub, and the thread that prints what comes from it.
struct Pipe {
    socket: UnixStream,
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
            // A client that no longer reads has gone.
            let _ = print(reader, &rest);
            over.store(true, Ordering::Release);
        });
        Ok(Self { socket, ended, printing })
    }

    /// The client says no more; what it asked for is still answered.
    fn finish(self) {
        let _ = self.socket.shutdown(Shutdown::Write);
        let _ = self.printing.join();
    }
}

fn print(mut socket: UnixStream, rest: &[u8]) -> Result<(), Failure> {
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

/// Who asks: the program that started this one, in this folder. Another program in it means its own pages.
fn agent() -> String {
    let folder = env::current_folder().map(|folder| folder.display().to_string()).unwrap_or_default();
    let parent = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get());
    format!("mcp {parent} {folder}")
}
