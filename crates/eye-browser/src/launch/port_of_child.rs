//! How a browser is spoken to that eye starts, on Windows, where a child gets no descriptors beyond three without
//! unsafe code: a port of loopback that the browser chooses, and a path that cannot be guessed, in a file of its
//! profile. Programs of other users of this machine could ask the port for that path; SECURITY.md says so.

use crate::error::BrowserError;
use crate::limits::START_MS;
use crate::pipe::Pipe;
use crate::pipe::socket::SocketPipe;
use eye_platform::group::Group;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

/// How often the file is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// What ends with the browser: a browser without eye would keep its port.
pub type Guard = Group;

/// The browser's program, told to choose a port.
pub fn command(program: &Path, profile: &Path) -> Command {
    // One of a browser before would be read in its place.
    let _ = std::fs::remove_file(SocketPipe::file_of(profile));
    let mut command = Command::new(program);
    command.arg("--remote-debugging-port=0");
    command
}

/// Starts it.
pub fn start(command: &mut Command) -> io::Result<(Child, Guard)> {
    Group::start(command.stdin(Stdio::null()).stdout(Stdio::null()))
}

/// The way to it, once it has written its port.
pub async fn open(child: &mut Child, profile: &Path) -> Result<impl Pipe, BrowserError> {
    let end = Instant::now() + Duration::from_millis(START_MS);
    while !SocketPipe::file_of(profile).is_file() && Instant::now() < end {
        if let Ok(Some(status)) = child.try_wait() {
            return Err(BrowserError::Died(status.to_string()));
        }
        sleep(LOOK).await;
    }
    SocketPipe::of_profile(profile).await
}
