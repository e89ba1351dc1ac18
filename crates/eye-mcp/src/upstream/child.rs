//! A server that is a child process: its process group, its three pipes, its end.

use super::connection::{Connection, Wire};
use super::lines::{Line, Lines};
use super::listener::{Listener, receive};
use super::pipes::{ChildWire, StderrTail};
use super::reason::Reason;
use crate::config::{Spec, Transport};
use crate::limits::{FAREWELL, MESSAGE_BYTES_MAX};
use eye_platform::group::Group;
use std::collections::BTreeMap;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// How long a dead child's pipes are still read.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A started child, before its first message.
pub struct Started {
    child: Child,
    group: Group,
}

/// Starts the program in its own process group, with the part of the agent's environment that its config allows.
pub fn start(spec: &Spec, asking: &BTreeMap<String, String>) -> Result<Started, Reason> {
    let Transport::Child { program, args, cwd, .. } = &spec.transport else { return Err("it has no command".into()) };
    let mut command = Command::new(program);
    command.args(args).current_dir(cwd).env_clear();
    // The original sets both too: no terminal handling in Node, no output buffering in Python.
    command.envs([("NODE_NO_READLINE", "1"), ("PYTHONUNBUFFERED", "1")]).envs(spec.environment(asking));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if !cwd.is_dir() {
        return Err(format!("its folder {} is not there", cwd.display()).into());
    }
    let (child, group) = Group::start(&mut command).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("`{program}` is not installed, or not on the PATH of the agent"),
        _ => format!("`{program}` cannot be started: {error}"),
    })?;
    Ok(Started { child, group })
}

impl Started {
    /// Carries bytes both ways until the child is gone or the connection is closed; then reports why.
    pub async fn carry(mut self, connection: Arc<Connection>) {
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
        else {
            connection.end("its pipes could not be opened");
            return;
        };
        let Wire::Child(ChildWire { stderr_tail, .. }) = &connection.wire else { return };
        let listening = tokio::spawn(read_stderr(stderr, stderr_tail.clone()));
        let why = {
            let mut reading = std::pin::pin!(read(stdout, &connection));
            let writing = std::pin::pin!(write(stdin, &connection));
            tokio::select! {
                () = connection.closed.cancelled() => None,
                () = &mut reading => Some("it closed its output".to_owned()),
                () = writing => Some("it closed its input".to_owned()),
                status = self.child.wait() => {
                    let _ = tokio::time::timeout(LAST_WORDS, reading).await;
                    Some(ended_with(status))
                }
            }
        };
        // Collects the exit status and the end of stderr for the reason, within `LAST_WORDS` each; then the calls are
        // failed.
        let why_at_once = why.is_some();
        let exit = if why_at_once { tokio::time::timeout(LAST_WORDS, self.child.wait()).await.ok() } else { None };
        if let Some(why) = why {
            let _ = tokio::time::timeout(LAST_WORDS, listening).await;
            let why = exit.map_or(why, ended_with);
            let stderr = stderr_tail.text();
            connection.end(&if stderr.is_empty() { why } else { format!("{why}; it said: {stderr}") });
        }
        self.farewell().await;
    }

    /// Ends the child, whose input is closed by now: waits for it, then asks it to terminate, then kills it.
    async fn farewell(mut self) {
        if tokio::time::timeout(FAREWELL, self.child.wait()).await.is_err() {
            self.group.ask_to_end();
            if tokio::time::timeout(FAREWELL, self.child.wait()).await.is_err() {
                self.group.kill();
                let _ = self.child.wait().await;
            }
        }
    }
}

async fn read(mut stdout: ChildStdout, connection: &Arc<Connection>) {
    let mut lines = Lines::new(MESSAGE_BYTES_MAX);
    let mut bytes = vec![0; 64 << 10];
    while let Ok(count @ 1..) = stdout.read(&mut bytes).await {
        for line in lines.feed(&bytes[..count]) {
            match line {
                Line::Whole(line) if line.trim_ascii().is_empty() => {}
                Line::Whole(line) => receive(connection, line, None).await,
                Line::TooLong { head, tail } => connection.passed_over(&head, &tail),
            }
        }
    }
}

async fn write(mut stdin: ChildStdin, connection: &Arc<Connection>) {
    let Wire::Child(wire) = &connection.wire else { return };
    loop {
        let bytes = wire.outbox.next().await;
        if stdin.write_all(&bytes).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn read_stderr(mut stderr: ChildStderr, stderr_tail: StderrTail) {
    let mut bytes = vec![0; 4 << 10];
    while let Ok(count @ 1..) = stderr.read(&mut bytes).await {
        stderr_tail.append(&bytes[..count]);
    }
}

fn ended_with(status: std::io::Result<ExitStatus>) -> String {
    match status {
        Ok(status) => format!("it ended with {status}"),
        Err(error) => format!("it ended: {error}"),
    }
}
