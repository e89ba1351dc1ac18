//! Starting a hub in the background: own program, own session, its words in the log, one line back when it serves.

use crate::env;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places;
use eye_platform::{files, process};
use eye_remote::relay::Transport;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// How often one command starts a hub: once in most cases, more when others start and stop hubs at the same time.
pub const STARTS_MAX: usize = 8;
/// A log that has grown over this is begun anew with the next hub.
const LOG_BYTES_MAX: u64 = 1 << 20;

/// What a hub in the background reports to the process that started it, as one line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "hub", rename_all = "lowercase")]
pub enum Report {
    /// It serves.
    Ready {
        /// Where, for pages.
        url: String,
        /// Where, for agents.
        socket: String,
    },
    /// It is a relay, and connected.
    Connected {
        /// To which hub.
        url: String,
        /// How.
        transport: Transport,
    },
    /// Another one has the socket.
    Running,
    /// It does not, and ends.
    Failed {
        /// Why.
        message: String,
        /// What to do.
        hint: Option<String>,
        /// How it ends.
        exit: u8,
    },
}

/// How starting a hub ended well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Started {
    /// It serves.
    Ready {
        /// Where, for pages.
        url: String,
        /// Where, for agents.
        socket: String,
    },
    /// Another process was faster.
    Running,
}

/// Starts a hub; for callers that try several times, and connect in between.
///
/// A hub that has the socket and was not there to be connected to is about to serve, the first time; after that it is
/// about to end, and is waited for.
pub fn hub_in_round(round: usize, flags: &[String]) -> Result<Started, Failure> {
    let started = hub(flags)?;
    if started == Started::Running && round > 0 {
        places::wait_for_end(&places::socket().path);
    }
    Ok(started)
}

/// Starts a hub and waits until it serves.
fn hub(flags: &[String]) -> Result<Started, Failure> {
    match in_background(&["up", "--foreground", "--detached"], flags)? {
        Report::Ready { url, socket } => Ok(Started::Ready { url, socket }),
        Report::Running | Report::Connected { .. } => Ok(Started::Running),
        Report::Failed { message, hint, exit } => {
            Err(Failure::NotStarted { message, hint, exit: Exit::from_code(exit).unwrap_or(Exit::Absent) })
        }
    }
}

/// Starts this program in the background and waits for its report.
pub fn in_background(words: &[&str], flags: &[String]) -> Result<Report, Failure> {
    let log = open_log()?;
    let program = env::current_program().map_err(Failure::io("find the program of the hub"))?;
    let mut command = Command::new(program);
    process::in_background(&mut command);
    let mut child = command
        .args(words)
        .args(flags)
        .env(env::Var::Socket.name(), places::socket().path)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(Failure::io("start a hub"))?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line).map_err(Failure::io("hear from the hub"))?;
    }
    match serde_json::from_str(&line) {
        Ok(report @ (Report::Ready { .. } | Report::Connected { .. })) => Ok(report),
        Ok(report @ (Report::Running | Report::Failed { .. })) => {
            let _ = child.wait();
            Ok(report)
        }
        Err(_) => {
            let ended = child.wait().map_err(Failure::io("wait for the hub"))?;
            let hint = Some(format!("see {}", places::log_file()?.display()));
            Err(Failure::NotStarted { message: ended.to_string(), hint, exit: Exit::Absent })
        }
    }
}

fn open_log() -> Result<File, Failure> {
    let folder = places::state_folder()?;
    let path = places::log_file()?;
    let doing = || Failure::io(format!("write {}", path.display()));
    files::make_folder(&folder).map_err(doing())?;
    let full = fs::metadata(&path).is_ok_and(|found| found.len() > LOG_BYTES_MAX);
    let mut how = OpenOptions::new();
    if full {
        how.write(true).truncate(true);
    } else {
        how.append(true);
    }
    files::private(how.create(true)).open(&path).map_err(doing())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_one_line_of_json() {
        let ready = Report::Ready { url: "http://127.0.0.1:8765".into(), socket: "/run/eye/hub.sock".into() };
        let line = serde_json::to_string(&ready).unwrap();
        assert_eq!(line, r#"{"hub":"ready","url":"http://127.0.0.1:8765","socket":"/run/eye/hub.sock"}"#);
        assert_eq!(serde_json::from_str::<Report>(&line).unwrap(), ready);
    }
}
