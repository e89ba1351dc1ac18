//! Passes stdin and stdout to the hub as file descriptors (Linux).

use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui;
use eye_mcp::face::handover::{self, Flags};
use eye_platform::local::Stream;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::time::Duration;

/// A hub that accepts files sends the offer at once; another version may send nothing.
const ASK_TIMEOUT: Duration = Duration::from_secs(2);

/// An announced connection to the hub, and the bytes that were already read.
pub type Announced = (Stream, Vec<u8>);

/// Serves until the client is done. `announce` opens a connection; its argument is whether there was one before.
/// `None`: the files cannot be passed on, or the hub does not accept them.
pub fn serve(announce: impl Fn(bool) -> Result<Announced, Failure>) -> Result<Option<Exit>, Failure> {
    let (stdin, stdout) = (ui::raw_stdin()?, ui::raw_stdout()?);
    if !handover::can_be_handed_over(&stdin) || !handover::can_be_handed_over(&stdout) {
        return Ok(None);
    }
    let _flags = [&stdin, &stdout].map(|file| Flags::of(file.as_fd()));
    let mut again = false;
    while let Some(socket) = hand_over(announce(again)?, &stdin, &stdout)? {
        if is_done(socket) || !has_more(&stdin) {
            return Ok(Some(Exit::Success));
        }
        again = true;
    }
    Ok(None)
}

/// Passes stdin and stdout to the hub. `None`: the hub does not accept them.
fn hand_over(announced: Announced, stdin: &File, stdout: &File) -> Result<Option<Stream>, Failure> {
    let (mut socket, mut received) = announced;
    let mut bytes = [0; handover::ASK.len()];
    socket.set_read_timeout(Some(ASK_TIMEOUT)).map_err(Failure::io("wait for the hub"))?;
    while received.len() < handover::ASK.len() {
        match socket.read(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return Ok(None),
            Ok(count) => received.extend_from_slice(&bytes[..count]),
        }
    }
    if received != handover::ASK {
        return Ok(None);
    }
    socket.set_read_timeout(None).map_err(Failure::io("wait for the hub"))?;
    handover::hand_over(&socket, [stdin.as_fd(), stdout.as_fd()]).map_err(|_| Failure::HubGone)?;
    Ok(Some(socket))
}

/// Waits until the hub reports that the client has all its answers. False if the hub ended without that report.
fn is_done(mut socket: Stream) -> bool {
    let mut received = Vec::new();
    let _ = socket.read_to_end(&mut received);
    received == handover::DONE
}

/// Waits until the client sends more. A hub that ended is replaced only for a new request: after `eye down` no hub may
/// start by itself.
fn has_more(stdin: &File) -> bool {
    loop {
        let mut waiting = [PollFd::new(stdin, PollFlags::IN)];
        match poll(&mut waiting, None) {
            Err(Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => {
                let mut byte = [0];
                // Peeking fails on a closed pipe; on a closed socket it returns no bytes.
                let empty = matches!(recv(stdin, &mut byte, RecvFlags::PEEK), Ok((0, _)));
                return waiting[0].revents().contains(PollFlags::IN) && !empty;
            }
        }
    }
}
