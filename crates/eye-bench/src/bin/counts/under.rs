//! The tools under which a process is counted, and parsers for their output.

use eye_testkit::Home;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A tool with its output file, or none.
pub enum Under {
    Nothing,
    /// valgrind's callgrind, which counts instructions.
    Callgrind(PathBuf),
    /// strace, which shows system calls.
    Strace(PathBuf),
    /// valgrind's DHAT, which sees every allocation of the system's allocator.
    Dhat(PathBuf),
}

impl Under {
    /// The home's program under this tool.
    pub fn command(&self, home: &Home) -> Command {
        match self {
            Self::Nothing => home.command(),
            Self::Callgrind(file) => {
                under(home, "valgrind", &["--tool=callgrind", &format!("--callgrind-out-file={}", file.display())])
            }
            Self::Dhat(file) => {
                under(home, "valgrind", &["--tool=dhat", &format!("--dhat-out-file={}", file.display())])
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

/// The total number of instructions from callgrind's file.
pub fn instructions(file: &Path) -> f64 {
    let text = fs::read_to_string(file).expect("callgrind's file");
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")));
    total.and_then(|total| total.trim().parse().ok()).expect("callgrind's total")
}

/// The allocations at one place of our code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Allocated {
    /// Number of allocations.
    pub blocks: f64,
    /// Sum of their bytes.
    pub bytes: f64,
}

/// DHAT's allocations, by the innermost function of ours on the stack.
pub fn allocations(file: &Path) -> BTreeMap<String, Allocated> {
    let text = fs::read_to_string(file).expect("DHAT's file");
    let seen: Seen = serde_json::from_str(&text).expect("DHAT's JSON");
    let mut places: BTreeMap<String, Allocated> = BTreeMap::new();
    for point in &seen.pps {
        let ours = point.fs.iter().filter_map(|frame| seen.ftbl.get(*frame)).find_map(|frame| own_function(frame));
        let place = places.entry(ours.unwrap_or("elsewhere").to_owned()).or_default();
        place.blocks += point.tbk;
        place.bytes += point.tb;
    }
    places
}

#[derive(Deserialize)]
struct Seen {
    pps: Vec<Point>,
    ftbl: Vec<String>,
}

/// A place in the program: bytes, blocks, and the stack, innermost frame first.
#[derive(Deserialize)]
struct Point {
    tb: f64,
    tbk: f64,
    fs: Vec<usize>,
}

/// The function of a frame, if it is in one of our crates: `0x10: eye_core::session::on (session.rs:7)`.
fn own_function(frame: &str) -> Option<&str> {
    let (_, after) = frame.split_once(": ")?;
    let name = after.split(" (").next()?;
    let plain = name.trim_start_matches('<');
    ["eye_", "eye::"].iter().any(|prefix| plain.starts_with(prefix)).then_some(name)
}

/// The system calls that strace recorded, by name.
pub fn system_calls(file: &Path) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for line in fs::read_to_string(file).expect("strace's file").lines() {
        // `PID name(…`; a call interrupted by another thread appears twice, the second time as `<... name resumed>`.
        let Some((_, call)) = line.split_once(' ') else { continue };
        let Some((name, _)) = call.trim_start().split_once('(') else { continue };
        if name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            *counts.entry(name.to_owned()).or_insert(0.0) += 1.0;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_belongs_to_the_innermost_function_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dhat");
        let frames = r#"["[root]","0x1: alloc::raw_vec::finish_grow (raw_vec.rs:1)","0x2: eye_core::session::on (session.rs:7)","0x3: eye::main (main.rs:1)","0x4: <eye_hub::Outbox as core::fmt::Write>::write_str (outbox.rs:9)"]"#;
        let points = r#"[{"tb":64,"tbk":2,"fs":[1,2,3]},{"tb":8,"tbk":1,"fs":[1,4,3]},{"tb":5,"tbk":1,"fs":[1]},{"tb":6,"tbk":1,"fs":[2,3]}]"#;
        fs::write(&file, format!(r#"{{"pps":{points},"ftbl":{frames}}}"#)).unwrap();
        let found = allocations(&file);
        let of = |name: &str| found.get(name).map(|one| (one.blocks, one.bytes));
        assert_eq!(of("eye_core::session::on"), Some((3.0, 70.0)));
        assert_eq!(of("<eye_hub::Outbox as core::fmt::Write>::write_str"), Some((1.0, 8.0)));
        assert_eq!(of("elsewhere"), Some((1.0, 5.0)));
    }
}
