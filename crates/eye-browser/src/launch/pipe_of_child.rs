//! Connects to a browser that eye starts, on systems with file descriptors: by a pipe that no other process can reach.

use crate::error::BrowserError;
use crate::pipe::Pipe;
use crate::pipe::process::ProcessPipe;
use eye_platform::process::with_usual_turns;
use std::io;
use std::path::Path;
use std::process::Stdio;
use tokio::process::{Child, Command};

/// The browser reads commands from file descriptor 3 and writes answers to 4. The shell makes them from stdin and
/// stdout, which become `/dev/null` and stderr: `std` cannot set other descriptors of a child without unsafe code.
const PLACE_DESCRIPTORS: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >&2"#;

/// Ends the browser when dropped. Empty here: a browser whose pipe is closed ends by itself.
#[derive(Debug)]
pub struct Guard;

/// The command that starts the browser with the pipe.
pub fn command(program: &Path, _: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", PLACE_DESCRIPTORS]).arg(program).arg("--remote-debugging-pipe");
    command
}

/// Starts the browser in a process group of its own: a signal from the terminal that ends the hub must not end the
/// browser before its pages are informed.
pub fn start(command: &mut Command) -> io::Result<(Child, Guard)> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).process_group(0);
    Ok((with_usual_turns(|| command.spawn())?, Guard))
}

/// Opens the pipe to the browser.
#[expect(clippy::unused_async, reason = "elsewhere it is waited for")]
pub async fn open(child: &mut Child, _: &Path) -> Result<impl Pipe, BrowserError> {
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(BrowserError::Died("its pipes are missing".into()));
    };
    Ok(ProcessPipe { input, output })
}
