//! Running commands, so that a person sees what is done and why it failed.

use crate::place;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Why a task failed.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// Called wrongly.
    #[error("no such command\n{0}")]
    Usage(&'static str),
    /// A command said no.
    #[error("`{0}` failed")]
    Failed(String),
    /// A command is not there.
    #[error("`{command}` was not found; {hint}")]
    Missing {
        /// Which.
        command: String,
        /// How to get it.
        hint: &'static str,
    },
    /// Generated files are stale.
    #[error("stale: {0}; run `cargo xtask gen`")]
    Stale(String),
    /// Something is not as it must be.
    #[error("{0}")]
    Wrong(String),
    /// The system said no.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl TaskError {
    /// Names what was being done when the system said no.
    pub fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}

/// A command in a folder of the repository.
pub fn command(program: &str, args: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    command
}

/// Runs a command in the open. It must succeed.
pub fn run(command: &mut Command) -> Result<(), TaskError> {
    let words = words(command);
    println!("$ {words}");
    let status = command.status().map_err(|error| not_started(command, error))?;
    if status.success() { Ok(()) } else { Err(TaskError::Failed(words)) }
}

/// Runs cargo in the repository's root.
pub fn cargo(args: &[&str]) -> Result<(), TaskError> {
    run(&mut cargo_command(args))
}

/// Cargo in the repository's root.
pub fn cargo_command(args: &[&str]) -> Command {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    command(&cargo, args, &place::root())
}

/// Cargo that lints what it compiles, in one pass: `cargo clippy` before `cargo test` would read, expand and check
/// every crate twice. Code that is compiled so is less optimised, and is only for tests.
pub fn linting_cargo(args: &[&str]) -> Command {
    let mut command = cargo_command(args);
    // As `cargo clippy` calls it.
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("CLIPPY_ARGS", "-Dwarnings");
    command
}

/// The same command behind everything else that wants the processor, where the system has such a thing.
pub fn at_leisure(command: &Command) -> Command {
    let nice = if cfg!(unix) && has("nice") { &["nice", "-n", "19"][..] } else { &[] };
    let mut words = nice.iter().map(OsStr::new).chain([command.get_program()]).chain(command.get_args());
    let mut later = Command::new(words.next().unwrap_or_default());
    later.args(words);
    later.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    later.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    later
}

/// Whether a program is there.
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

/// Why a command could not be started.
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
