//! A hermetic home for a test: folders, a free port, and the real `eye` program with an empty environment.

use crate::deadline::DEADLINE;
use crate::port::free_port;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The pause between two reads of a file that another process writes.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A home folder that contains everything that eye looks for.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
    program: PathBuf,
    port: u16,
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The exit code, or 128 + the number of the signal that ended the command.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A running command.
#[derive(Debug)]
pub struct Running(Child);

impl Home {
    /// Makes a home for the program. Tests name it with `env!("CARGO_BIN_EXE_eye")`.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let_children_be_interrupted();
        let folder = tempfile::Builder::new().prefix("eye").tempdir().expect("a temporary folder");
        for name in ["run", "config", "state", "work", "work/a", "work/b"] {
            fs::create_dir(folder.path().join(name)).expect("a folder in it");
        }
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(folder.path().join("run"), private).expect("a private folder");
        Self { folder, program: program.into(), port: free_port() }
    }

    /// A file or folder in the home.
    pub fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(below)
    }

    /// The hub's Unix socket.
    pub fn socket(&self) -> PathBuf {
        self.path("run/eye/hub.sock")
    }

    /// The hub's port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A command that runs the program in this home, without the caller's environment.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("EYE_PORT", self.port.to_string())
            .current_dir(self.path("work"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Waits for the line of the hub's log that contains these words: a separate thread writes the log.
    pub fn logged(&self, words: &[&str]) -> String {
        let began = Instant::now();
        loop {
            let text = fs::read_to_string(self.path("state/eye/hub.log")).unwrap_or_default();
            let found = text.lines().find(|line| words.iter().all(|word| line.contains(word)));
            if let Some(found) = found {
                return found.to_owned();
            }
            assert!(began.elapsed() < DEADLINE, "{words:?} is not in the log:\n{text}");
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Runs the program until it ends.
    pub fn eye<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Ran {
        self.start(args).wait()
    }

    pub fn start<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Running {
        Running::of(self.command().args(args))
    }

    /// Runs the program with this text on its stdin.
    pub fn eye_reading<A: AsRef<OsStr>>(&self, stdin: &str, args: impl IntoIterator<Item = A>) -> Ran {
        let mut running = Running::of(self.command().args(args).stdin(Stdio::piped()));
        let mut pipe = running.0.stdin.take().expect("stdin is a pipe");
        let text = stdin.to_owned();
        let writer = std::thread::spawn(move || {
            // The program need not read all of it.
            let _ = pipe.write_all(text.as_bytes());
        });
        let ran = running.wait();
        writer.join().expect("the writer does not panic");
        ran
    }
}

/// Resets SIGINT to its default action for children. A test run under `nohup` or with `&` ignores the signal, and
/// children inherit that. They do not inherit a handler, which this process installs here. Ctrl-C still ends this
/// process.
fn let_children_be_interrupted() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let always = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_default(signal_hook::consts::SIGINT, always).expect("a handler");
    });
}

impl Drop for Home {
    fn drop(&mut self) {
        // A hub that a command started would outlive the test.
        if self.socket().exists() {
            let stopped = self.command().arg("down").status().is_ok_and(|status| status.success());
            if !stopped {
                // `eye down` does not stop a relay, because a relay is not a hub.
                let _ = self.command().arg("disconnect").status();
            }
        }
    }
}

impl Running {
    /// Starts a command of [`Home::command`].
    pub fn of(command: &mut Command) -> Self {
        Self(command.spawn().expect("the program starts"))
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    /// Waits until the command ends.
    pub fn wait(mut self) -> Ran {
        let stdout = self.0.stdout.take().map(read_aside);
        let stderr = self.0.stderr.take().map(read_aside);
        let status = self.0.wait().expect("the program ends");
        let text = |reader: Option<std::thread::JoinHandle<String>>| {
            reader.map_or_else(String::new, |reader| reader.join().expect("the reader does not panic"))
        };
        Ran { code: code(status), stdout: text(stdout), stderr: text(stderr) }
    }
}

fn read_aside(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = pipe.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    })
}

fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}
