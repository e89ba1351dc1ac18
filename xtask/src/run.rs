//! Runs commands, prints them, and reports why one failed.

use crate::place;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error("no such command\n{0}")]
    Usage(&'static str),
    /// A command exited with an error.
    #[error("`{0}` failed")]
    Failed(String),
    #[error("`{command}` was not found; {hint}")]
    Missing {
        command: String,
        /// How to install the program.
        hint: &'static str,
    },
    #[error("stale: {0}; run `cargo xtask gen`")]
    Stale(String),
    /// A check failed.
    #[error("{0}")]
    Wrong(String),
    #[error("{doing}: {source}")]
    Io {
        /// A participle phrase, such as "making a log".
        doing: String,
        source: std::io::Error,
    },
}

impl TaskError {
    /// Wraps an I/O error with the action that failed.
    pub fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}

pub fn command(program: &str, args: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    command
}

/// Prints and runs a command. It must succeed.
pub fn run(command: &mut Command) -> Result<(), TaskError> {
    let words = words(command);
    println!("$ {words}");
    let status = command.status().map_err(|error| not_started(command, error))?;
    if status.success() { Ok(()) } else { Err(TaskError::Failed(words)) }
}

pub fn cargo(args: &[&str]) -> Result<(), TaskError> {
    run(&mut cargo_command(args))
}

pub fn cargo_command(args: &[&str]) -> Command {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    command(&cargo, args, &place::root())
}

/// A cargo command that lints what it compiles, in one pass: `cargo clippy` before `cargo test` would parse, expand and
/// check every crate twice. Code compiled this way is less optimised, and only for tests.
pub fn linting_cargo(args: &[&str]) -> Command {
    let mut command = cargo_command(args);
    // As `cargo clippy` sets them.
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("CLIPPY_ARGS", "-Dwarnings");
    command
}

/// The same command at the lowest processor priority, if the system has `nice`.
pub fn at_leisure(command: &Command) -> Command {
    let nice = if cfg!(unix) && has("nice") { &["nice", "-n", "19"][..] } else { &[] };
    let mut words = nice.iter().map(OsStr::new).chain([command.get_program()]).chain(command.get_args());
    let mut later = Command::new(words.next().unwrap_or_default());
    later.args(words);
    later.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    later.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    later
}

/// Whether a program can be started.
pub fn has(program: &str) -> bool {
    let quiet = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok()
}

fn words(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|arg| arg.to_string_lossy().into_owned()));
    words.join(" ")
}

/// The error for a command that could not be started.
pub fn not_started(command: &Command, error: std::io::Error) -> TaskError {
    let program = command.get_program().to_string_lossy().into_owned();
    match (error.kind(), program.as_str()) {
        (std::io::ErrorKind::NotFound, "npm" | "node") => {
            TaskError::Missing { command: program, hint: "install Node.js 20 or newer, with npm" }
        }
        (std::io::ErrorKind::NotFound, _) => TaskError::Missing { command: program, hint: "install it" },
        _ => TaskError::io(format!("running {program}"))(error),
    }
}
