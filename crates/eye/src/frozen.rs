//! Detects a hub whose process is stopped or hangs, and names the process before a user has waited long.

use crate::failure::Failure;
use crate::ui;
use eye_client::connection::Connection;
use eye_protocol::limits::RELAY_WAIT_MS;
use eye_protocol::rpc;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Silence after which the hub's process is checked. A relay that waits for its link is silent for up to
/// `RELAY_WAIT_MS`.
const QUIET: Duration = Duration::from_millis(RELAY_WAIT_MS + 300);
/// How long the hub may take to answer the ping. Together with [`QUIET`] less than 5 s.
const PROBE: Duration = QUIET;

/// Receives the next frame, waiting at most `within`. Fails if the hub's process is stopped; prints a note if the hub
/// does not answer a ping either, and waits on.
pub fn receive(link: &mut Connection, within: Option<Duration>) -> Result<Option<String>, Failure> {
    let begun = Instant::now();
    let short = within.is_some_and(|within| within <= QUIET);
    link.set_patience(if short { within } else { Some(QUIET) })?;
    match link.receive() {
        Err(eye_client::Error::Silent) if !short => {}
        outcome => {
            link.set_patience(within)?;
            return Ok(outcome?);
        }
    }
    if let Some(pid) = pid(link) {
        look_at(pid, link.place())?;
    }
    link.set_patience(within.map(|within| within.saturating_sub(begun.elapsed()).max(Duration::from_millis(1))))?;
    Ok(link.receive()?)
}

/// Checks whether the process of a silent hub runs and answers.
fn look_at(pid: u32, place: Option<&Path>) -> Result<(), Failure> {
    if is_stopped(pid) {
        return Err(Failure::HubStopped { pid });
    }
    let answers = || {
        let mut link = Connection::over_socket(place?).ok()?;
        link.set_patience(Some(PROBE)).ok()?;
        link.send(&[&rpc::request("0", "ping", &serde_json::json!({}))]).ok()?;
        link.receive().ok()
    };
    if answers().is_some() {
        return Ok(());
    }
    if is_stopped(pid) {
        return Err(Failure::HubStopped { pid });
    }
    ui::note(format!("the hub, process {pid}, answers nothing; if it stays so, end it with kill -9 {pid}"));
    Ok(())
}

/// The process at the other end of the socket, from its peer credentials.
fn pid(link: &Connection) -> Option<u32> {
    #[cfg(target_os = "linux")]
    {
        let credentials = rustix::net::sockopt::socket_peercred(link.socket()?).ok()?;
        u32::try_from(credentials.pid.as_raw_nonzero().get()).ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = link;
        None
    }
}

/// Whether a process was stopped by a signal or a debugger.
fn is_stopped(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // The program's name, in parentheses, may contain any character.
    stat.rsplit_once(')').is_some_and(|(_, rest)| matches!(rest.trim_start().chars().next(), Some('T' | 't')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_runs_is_not_stopped() {
        assert!(!is_stopped(std::process::id()));
        assert!(!is_stopped(u32::MAX));
    }
}
