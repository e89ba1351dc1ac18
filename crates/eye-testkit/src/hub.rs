//! A real hub, run by the real program. It is ready when it prints its line, and ends when dropped.

use crate::home::Home;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A hub in the foreground of its own process.
#[derive(Debug)]
pub struct HubProcess {
    child: Child,
    url: String,
}

impl HubProcess {
    /// Starts a hub and waits until it serves.
    pub fn start(home: &Home) -> Self {
        Self::start_with(home, &[])
    }

    /// Starts a hub with flags.
    pub fn start_with(home: &Home, flags: &[&str]) -> Self {
        Self::start_by(&mut home.command(), flags)
    }

    /// Starts a hub with a command of [`Home::command`], which may have a larger environment.
    pub fn start_by(command: &mut Command, flags: &[&str]) -> Self {
        command.args(["up", "--foreground"]).args(flags).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("the hub starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("the hub says that it is ready");
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), Some("ready"), "the hub's first line was {line:?}");
        let url = words.next().expect("the line names the URL").to_owned();
        Self { child, url }
    }

    /// The URL for pages, such as `http://127.0.0.1:8765`.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the hub with -9, whatever it is doing.
    pub fn kill(mut self) {
        self.end();
    }

    /// Waits until the hub ends by itself.
    pub fn wait(mut self) {
        self.child.wait().expect("the hub ends");
    }

    fn end(&mut self) {
        // Fails if it has already ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for HubProcess {
    fn drop(&mut self) {
        self.end();
    }
}
