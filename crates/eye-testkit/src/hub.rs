//! The real hub, run by the real program, ready when its line says so, and gone when dropped.

use crate::home::Home;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A hub in the foreground of a process of its own.
#[derive(Debug)]
pub struct Hub {
    child: Child,
    url: String,
}

impl Hub {
    /// Starts a hub and waits until it serves.
    pub fn start(home: &Home) -> Self {
        Self::start_with(home, &[])
    }

    /// Starts a hub with flags.
    pub fn start_with(home: &Home, flags: &[&str]) -> Self {
        Self::start_by(&mut home.command(), flags)
    }

    /// The same by a command of a home, which may have more of an environment.
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

    /// Where it serves pages, such as `http://127.0.0.1:8765`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The hub's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it with -9, in the middle of whatever it does.
    pub fn kill(mut self) {
        self.end();
    }

    /// Waits until it has ended by itself.
    pub fn wait(mut self) {
        self.child.wait().expect("the hub ends");
    }

    fn end(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.end();
    }
}
