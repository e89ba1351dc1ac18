//! `cargo xtask fuzz`: builds the targets of `fuzz/` with coverage and runs libFuzzer on each, starting from the
//! committed corpus.

use crate::place;
use crate::run::{TaskError, at_leisure, cargo_command, command, has, run as run_command};
use crate::step::Step;
use std::fs;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

/// How long a target runs by default.
const SECONDS_DEFAULT: u64 = 60;
/// An input that takes longer is a finding.
const INPUT_SECONDS_MAX: u32 = 10;
/// An input that takes more memory is a finding.
const MEMORY_MIB_MAX: u32 = 2048;
/// Longer inputs are not tried: shorter ones already expose growth.
const INPUT_BYTES_MAX: u32 = 4096;
/// The profile in `fuzz/Cargo.toml`.
const PROFILE: &str = "fuzz";
/// The compiler's coverage instrumentation for libFuzzer. Stable compilers accept these options.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table -Ccodegen-units=1";

/// Fuzzes one target or all, for N seconds each: `[TARGET] [--seconds N]`.
pub fn run(words: &[&str]) -> Result<(), TaskError> {
    let (target, seconds) = match words {
        [] => (None, SECONDS_DEFAULT),
        ["--seconds", seconds] => (None, number(seconds)?),
        [target] => (Some(*target), SECONDS_DEFAULT),
        [target, "--seconds", seconds] => (Some(*target), number(seconds)?),
        _ => return Err(TaskError::Wrong("write `cargo xtask fuzz [TARGET] [--seconds N]`".into())),
    };
    let all = targets()?;
    let chosen: Vec<&String> = all.iter().filter(|name| target.is_none_or(|target| target == *name)).collect();
    if chosen.is_empty() {
        return Err(TaskError::Wrong(format!("there is no such target; there are {}", all.join(", "))));
    }
    let triple = triple()?;
    run_command(&mut building(target, &triple))?;
    println!("{:<10} {:>12} {:>9} {:>9} {:>9}", "target", "executions", "coverage", "features", "corpus");
    // As many at a time as there are processors.
    let left = Mutex::new(chosen.into_iter());
    let worker = || {
        loop {
            let Some(name) = left.lock().ok().and_then(|mut left| left.next()) else { return Ok(()) };
            let line = fuzz(name, seconds, &triple).inspect_err(|_| {
                // The other workers end with the target that they have.
                if let Ok(mut left) = left.lock() {
                    left.by_ref().for_each(drop);
                }
            })?;
            println!("{line}");
        }
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let all: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let ended = all.into_iter().map(|one| one.join().unwrap_or_else(|panic| resume_unwind(panic)));
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}

/// Builds all targets at the lowest priority, beside steps that mostly wait.
pub fn build_at_leisure() -> Result<Step, TaskError> {
    let build = building(None, &triple()?);
    Ok(Step::new("fuzz targets", "`cargo build` of fuzz/", at_leisure(&build)))
}

/// Checks that the targets compile against the current code and that their lock file is current. Skipped without a C++
/// compiler, which libFuzzer needs.
pub fn check() -> Option<Step> {
    if !has("c++") {
        println!("fuzz targets: not compiled, libFuzzer needs a C++ compiler");
        return None;
    }
    let words = ["check", "--locked", "--manifest-path", "fuzz/Cargo.toml", "--bins", "--all-features"];
    let mut check = cargo_command(&words);
    check.env("CARGO_TARGET_DIR", place::target());
    Some(Step::new("fuzz targets", "`cargo check` of fuzz/", at_leisure(&check)))
}

fn number(text: &str) -> Result<u64, TaskError> {
    text.parse().map_err(|_| TaskError::Wrong(format!("`{text}` is not a number of seconds")))
}

/// The names of the targets, from their files.
fn targets() -> Result<Vec<String>, TaskError> {
    let folder = place::root().join("fuzz/targets");
    let entries = fs::read_dir(&folder).map_err(TaskError::io(format!("reading {}", folder.display())))?;
    let name = |entry: fs::DirEntry| entry.path().file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut names: Vec<String> = entries.filter_map(|entry| name(entry.ok()?)).collect();
    names.sort_unstable();
    Ok(names)
}

/// This machine's target triple, if libFuzzer runs here.
fn triple() -> Result<String, TaskError> {
    if !has("c++") {
        let hint = "libFuzzer is C++; install a compiler (Debian: g++)";
        return Err(TaskError::Missing { command: "c++".into(), hint });
    }
    let about = command("rustc", &["-vV"], &place::root()).output().map_err(TaskError::io("running rustc"))?;
    let about = String::from_utf8_lossy(&about.stdout).into_owned();
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let triple = host.ok_or_else(|| TaskError::Wrong("rustc does not say which system it is for".into()))?.to_owned();
    if !triple.contains("linux") && !triple.contains("darwin") {
        return Err(TaskError::Wrong(format!("libFuzzer does not run on {triple}; use Linux or macOS")));
    }
    Ok(triple)
}

/// The command that builds one target, or all.
fn building(target: Option<&str>, triple: &str) -> Command {
    let words = ["build", "--locked", "--profile", PROFILE, "--manifest-path", "fuzz/Cargo.toml", "--target", triple];
    let mut build = cargo_command(&words);
    // With an explicit target, build scripts and macros are built without coverage.
    build.env("RUSTFLAGS", COVERAGE).env("CARGO_TARGET_DIR", place::target().join("fuzz"));
    match target {
        Some(name) => build.args(["--bin", name, "--features", name]),
        None => build.args(["--bins", "--all-features"]),
    };
    build
}

/// Runs one target and returns its line of the table. New inputs stay in `target/fuzz/corpus`; a finding stops the run.
fn fuzz(name: &str, seconds: u64, triple: &str) -> Result<String, TaskError> {
    let folder = place::target().join("fuzz");
    let (found, findings) = (folder.join("corpus").join(name), folder.join("findings"));
    for folder in [&found, &findings] {
        fs::create_dir_all(folder).map_err(TaskError::io(format!("making {}", folder.display())))?;
    }
    let program = folder.join(triple).join(PROFILE).join(name);
    let mut fuzzer = command(&program.to_string_lossy(), &[], &place::root());
    fuzzer
        .args([format!("-max_total_time={seconds}"), format!("-timeout={INPUT_SECONDS_MAX}")])
        .args([format!("-rss_limit_mb={MEMORY_MIB_MAX}"), format!("-max_len={INPUT_BYTES_MAX}")])
        .args(["-print_final_stats=1", "-verbosity=1", "-use_value_profile=1"])
        .arg(format!("-artifact_prefix={}/{name}-", findings.display()))
        .args([found.as_path(), &place::root().join("fuzz/corpus").join(name)])
        .stdout(Stdio::null());
    let ran = fuzzer.output().map_err(TaskError::io(format!("running {name}")))?;
    let stderr = String::from_utf8_lossy(&ran.stderr);
    if !ran.status.success() {
        let mut end: Vec<&str> = stderr.lines().rev().take(40).collect();
        end.reverse();
        let end = end.join("\n");
        return Err(TaskError::Wrong(format!("{end}\n{name} has a finding; its input is in {}", findings.display())));
    }
    let last = stderr.lines().rev().find(|line| line.contains(" cov: ")).unwrap_or_default();
    let after = |word: &str| last.split(word).nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or("?");
    let stat = stderr.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:")).unwrap_or("?");
    let line = (stat.trim(), after(" cov: "), after(" ft: "), after(" corp: "));
    Ok(format!("{name:<10} {:>12} {:>9} {:>9} {:>9}", line.0, line.1, line.2, line.3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_a_program_with_a_committed_corpus() {
        let manifest = fs::read_to_string(place::root().join("fuzz/Cargo.toml")).expect("the manifest");
        let all = targets().expect("targets");
        for name in &all {
            let entry = format!("path = \"targets/{name}.rs\"\nrequired-features = [\"{name}\"]");
            assert!(manifest.contains(&entry), "{name} is not in fuzz/Cargo.toml");
            let corpus = place::root().join("fuzz/corpus").join(name);
            assert!(fs::read_dir(&corpus).is_ok_and(|files| files.count() > 1), "{name} has no corpus");
        }
        for parser in
            ["frames", "stream", "events", "batches", "rpc", "scan", "patches", "config", "csp", "wgsl", "png", "hubs"]
        {
            assert!(all.iter().any(|name| name == parser), "{parser}");
        }
    }
}
