//! Connects to a browser that eye starts, on Windows, where a child gets only three descriptors without unsafe code.
//! The browser chooses a loopback port and writes it, with a path that cannot be guessed, to a file in its profile.
//! Programs of other users of this machine could ask the port for that path; SECURITY.md says so.

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

/// How often to look for the file.
const LOOK: Duration = Duration::from_millis(50);

/// Ends the browser when dropped: without eye the browser would keep its port.
pub type Guard = Group;

/// The command that starts the browser and lets it choose a port.
pub fn command(program: &Path, profile: &Path) -> Command {
    // The file of an earlier browser would be read instead.
    let _ = std::fs::remove_file(SocketPipe::file_of(profile));
    let mut command = Command::new(program);
    command.arg("--remote-debugging-port=0");
    command
}

pub fn start(command: &mut Command) -> io::Result<(Child, Guard)> {
    Group::start(command.stdin(Stdio::null()).stdout(Stdio::null()))
}

/// Connects to the browser, once it has written its port.
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
