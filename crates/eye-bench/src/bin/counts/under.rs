//! The tools under which a process is counted, and what they counted.

use eye_testkit::Home;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A tool, with the file that it writes, or none.
pub enum Under {
    /// The process alone.
    Nothing,
    /// valgrind's callgrind, which counts instructions.
    Callgrind(PathBuf),
    /// strace, which shows system calls.
    Strace(PathBuf),
}

impl Under {
    /// The program of a home under this tool.
    pub fn command(&self, home: &Home) -> Command {
        match self {
            Self::Nothing => home.command(),
            Self::Callgrind(file) => {
                under(home, "valgrind", &["--tool=callgrind", &format!("--callgrind-out-file={}", file.display())])
            }
            Self::Strace(file) => under(home, "strace", &["--follow-forks", "-o", &file.to_string_lossy()]),
        }
    }
}

fn under(home: &Home, tool: &str, args: &[&str]) -> Command {
    let own = home.command();
    let mut command = Command::new(tool);
    command.args(args).arg(own.get_program());
    command.env_clear().envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(own.get_current_dir().expect("a folder"));
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// The instructions that callgrind counted in all.
pub fn instructions(file: &Path) -> f64 {
    let text = fs::read_to_string(file).expect("callgrind's file");
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")));
    total.and_then(|total| total.trim().parse().ok()).expect("callgrind's total")
}

/// The system calls that strace saw, by name.
pub fn system_calls(file: &Path) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for line in fs::read_to_string(file).expect("strace's file").lines() {
        // `PID name(…`; a call that another thread interrupted is there twice, the second time as `<... name resumed>`.
        let Some((_, call)) = line.split_once(' ') else { continue };
        let Some((name, _)) = call.trim_start().split_once('(') else { continue };
        if name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            *counts.entry(name.to_owned()).or_insert(0.0) += 1.0;
        }
    }
    counts
}
