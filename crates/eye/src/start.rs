//! Starts a hub in the background: own process, own session, output to the log, and one report line when it serves.

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

/// How often one command tries to start a hub: usually once; more when others start and stop hubs at the same time.
pub const STARTS_MAX: usize = 8;
/// A larger log is truncated when the next hub starts.
const LOG_BYTES_MAX: u64 = 1 << 20;

/// What a hub in the background reports to the process that started it, as one line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "hub", rename_all = "lowercase")]
pub enum Report {
    Ready {
        /// The address for pages.
        url: String,
        /// The path for agents.
        socket: String,
    },
    /// The process is a relay, and connected.
    Connected {
        /// The remote hub.
        url: String,
        transport: Transport,
    },
    /// Another hub holds the socket.
    Running,
    /// The hub could not start and ends.
    Failed {
        message: String,
        hint: Option<String>,
        /// The exit code of its process.
        exit: u8,
    },
}

/// The result of a successful start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Started {
    Ready {
        /// The address for pages.
        url: String,
        /// The path for agents.
        socket: String,
    },
    /// Another process started the hub first.
    Running,
}

/// Starts a hub; for callers that try several times and connect in between.
///
/// If another hub holds the socket although connecting failed, the first round takes it for one that is about to serve.
/// Later rounds take it for one that is about to end, and wait for that.
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
