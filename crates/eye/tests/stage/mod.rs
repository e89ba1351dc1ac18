//! Shared code of the command line's tests.
#![allow(clippy::unwrap_used, reason = "this is test code, although no function here is a test")]

pub mod between;
pub mod browser;
pub mod btcp;
pub mod console;
pub mod cut;
pub mod extension;
pub mod hubs;
pub mod llm;
pub mod mcp;
pub mod site;
pub mod wire;

use eye_testkit::{DEADLINE, Home, PageSetup, Ran, Reply, ScriptedPage};
use rustix::pty::OpenptFlags;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

pub fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_eye"))
}

/// The expected result of a command.
pub fn answers(code: i32, stdout: &str, stderr: &str) -> Ran {
    Ran { code, stdout: stdout.into(), stderr: stderr.into() }
}

/// A page that answers from [`table`].
pub fn page(home: &Home) -> ScriptedPage {
    ScriptedPage::join(home, &PageSetup::new(home, "Shop").alias("shop"), table)
}

/// The answers of that page.
pub fn table(code: &str) -> Reply {
    match code {
        "document.title" => Reply::text("Shop"),
        "'5'" => Reply::text("5"),
        "5" => Reply::json("5"),
        "({a:1})" => Reply::json("{\"a\":1}"),
        "undefined" => Reply::rendering("undefined"),
        "lines" => Reply::text("a\nb"),
        "empty" => Reply::text(""),
        "umlauts" => Reply::text("aäbä"),
        "large" => Reply::text("x".repeat(5 << 20)),
        "boom" => Reply::threw("x"),
        word => Reply::threw(format!("ReferenceError: {word} is not defined")),
    }
}

/// Presses Ctrl-C.
pub fn interrupt(child: &mut Child) {
    signal(child.id(), "INT");
}

/// Sends a signal by name. After `STOP`, waits until the process has stopped: threads run on until each has noticed.
pub fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap();
    assert!(sent.success());
    let end = Instant::now() + DEADLINE;
    while name == "STOP" && runs(pid) {
        assert!(Instant::now() < end, "the process {pid} does not stop");
        std::thread::yield_now();
    }
}

/// Whether a thread of a process is not stopped. Without `/proc`, none is known to run.
fn runs(pid: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    let is_stopped = |stat: &str| stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" T"));
    // A thread that has ended meanwhile has no file.
    let stats = threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
    stats.into_iter().any(|stat| !is_stopped(&stat))
}

/// Runs a command with text on its stdin; arguments add up over calls.
pub fn run_reading(command: &mut Command, stdin: &str, args: &[&str]) -> Ran {
    let mut running = eye_testkit::Running::of(command.args(args).stdin(std::process::Stdio::piped()));
    let mut pipe = running.child().stdin.take().unwrap();
    let text = stdin.to_owned();
    let writer = std::thread::spawn(move || {
        let _ = pipe.write_all(text.as_bytes());
    });
    let ran = running.wait();
    writer.join().unwrap();
    ran
}

/// The user's side of a terminal: keys and screen.
pub struct Terminal {
    keys: File,
    seen: Receiver<Vec<u8>>,
    screen: Vec<u8>,
}

impl Terminal {
    /// A terminal, and the end for a program.
    pub fn open() -> (Self, File) {
        let far = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        rustix::pty::grantpt(&far).unwrap();
        rustix::pty::unlockpt(&far).unwrap();
        let name = rustix::pty::ptsname(&far, Vec::new()).unwrap().into_string().unwrap();
        let near = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let mut screen = File::from(far);
        let keys = screen.try_clone().unwrap();
        let (sender, seen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Once the program has gone, reading a terminal fails instead of ending.
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        (Self { keys, seen, screen: Vec::new() }, near)
    }

    /// Runs a command whose output is this terminal, to its end; returns everything printed.
    pub fn run(command: &mut Command) -> Vec<u8> {
        let (terminal, near) = Self::open();
        let mut child = command.stdout(near.try_clone().unwrap()).stderr(near).spawn().unwrap();
        // The command keeps its ends of the terminal; while they are open, reading would not end.
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        child.wait().unwrap();
        terminal.seen.iter().flatten().collect()
    }

    pub fn keys(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }

    /// Everything printed up to `what`; the rest is kept for the next call.
    pub fn until(&mut self, what: &str) -> String {
        loop {
            let text = String::from_utf8_lossy(&self.screen).into_owned();
            if let Some(at) = text.find(what) {
                let (before, after) = text.split_at(at + what.len());
                self.screen = after.as_bytes().to_vec();
                return before.to_owned();
            }
            let more = self.seen.recv_timeout(DEADLINE);
            self.screen.extend(more.unwrap_or_else(|_| panic!("the terminal shows {what:?}, not {text:?}")));
        }
    }
}
