//! `eye mcp`: an MCP server on stdio. It only pipes: the hub speaks MCP, and one hub serves every client.

use crate::env;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::link::Link;
use crate::options::Options;
use crate::verbs::mcp_config::{self, Client};
use crate::verbs::status;
use crate::{client, ui};
use eye_mcp::face::Announcement;
use eye_protocol::rpc::json;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

const READ_BYTES: usize = 64 << 10;

/// Serve MCP on stdio, for an agent's configuration
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye mcp --print-config claude\n         claude mcp add eye -- eye mcp")]
pub struct Args {
    /// List every tool, not only the three that find and call them
    #[arg(long)]
    full: bool,
    /// Print what to put into the settings of a client, and where
    #[arg(long, value_name = "CLIENT", value_enum)]
    print_config: Option<Client>,
}

/// Pipes until the client is done.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    if let Some(client) = args.print_config {
        ui::text_out(&mcp_config::text(client, args.full, options)?)?;
        return Ok(Exit::Success);
    }
    let mut stdin = ui::raw_stdin()?;
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
        // A hub that ended is missed when there is something to ask, not before: `eye down` means it.
        if pipe.ended.load(Ordering::Acquire) || pipe.socket.write_all(&bytes[..count]).is_err() {
            pipe = Pipe::open(args, options, true)?;
            pipe.socket.write_all(&bytes[..count]).map_err(|_| Failure::HubGone)?;
        }
    }
}

/// One connection to a hub, and the thread that prints what comes from it.
struct Pipe {
    socket: UnixStream,
    ended: Arc<AtomicBool>,
    printing: JoinHandle<()>,
}

impl Pipe {
    fn open(args: &Args, options: &Options, again: bool) -> Result<Self, Failure> {
        let elsewhere = || {
            let hint = "give your client the URL of that hub with /mcp, and its token as a bearer token";
            Failure::usage("eye mcp serves through the hub of this machine only", hint)
        };
        // A relay passes on what agents ask, and no MCP.
        if let Ok(Some(_)) = status::relay(options) {
            return Err(elsewhere());
        }
        let Link::Socket(link) = client::open(options)? else { return Err(elsewhere()) };
        let (mut socket, rest) = link.into_stream();
        let announcement = Announcement {
            cwd: env::current_folder(),
            env: env::everything(),
            agent: Some(agent()),
            page: options.page.clone(),
            full: args.full,
            again,
        };
        let first = format!("mcp {}\n", json(&announcement));
        socket.write_all(first.as_bytes()).map_err(|_| Failure::HubGone)?;
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
