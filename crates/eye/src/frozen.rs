//! A hub that says nothing: is it at work, or does it not run at all? Its process is named before a user has waited
//! long.

use crate::failure::Failure;
use crate::ui;
use eye_client::connection::Connection;
use eye_protocol::limits::RELAY_WAIT_MS;
use eye_protocol::rpc;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a hub may be silent before it is asked whether it is there. A relay that waits for its link is silent, too.
const QUIET: Duration = Duration::from_millis(RELAY_WAIT_MS + 300);
/// How long it may take to say so. Both together are less than 5 s.
const PROBE: Duration = QUIET;

/// The next frame within a time. A hub that is stopped ends the waiting; one that answers nothing else either is told
/// of.
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

/// Looks whether the process of a silent hub runs and answers.
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

/// The process at the other end, as the kernel knows it.
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
    // The name of the program, in parentheses, may hold anything.
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
