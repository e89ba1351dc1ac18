//! Long steps, alone or in parallel, each with its own log, and a progress line that names what it waits for. Prints
//! the closing lines of each step's runner, and the table of times.

use crate::place;
use crate::run::{TaskError, not_started};
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often to print a progress line, so that a log without a terminal stays readable.
const PROGRESS_EVERY: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The beginnings of the closing lines of node's test runner.
const NODE_COUNTS: [&str; 5] = ["ℹ tests ", "ℹ pass ", "ℹ fail ", "ℹ cancelled ", "ℹ skipped "];
/// Lines from the end of a failed step's log that are printed, and of what says which tests failed and why.
const TAIL_LINES: usize = 60;
const REASON_LINES: usize = 240;
/// The beginning of the lines in which node's test runner says why a file failed although its tests passed.
const NODE_REASON: &str = "ℹ Error: ";

pub struct Step {
    name: Cow<'static, str>,
    waits_for: &'static str,
    command: Command,
}

/// The steps that have ended, and those that go on beside others.
#[derive(Default)]
pub struct Times {
    /// How long each step took, in the order in which they ended.
    ended: Vec<(Cow<'static, str>, Duration, Outcome)>,
    beside: Vec<Started>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
}

struct Started {
    step: Step,
    child: Child,
    log: PathBuf,
    since: Instant,
    outcome: Option<Outcome>,
}

impl Step {
    /// A step with its name in the table; `waits_for` ends the sentence "waiting for …".
    pub fn new(name: impl Into<Cow<'static, str>>, waits_for: &'static str, command: Command) -> Self {
        Self { name: name.into(), waits_for, command }
    }

    fn start(mut self) -> Result<Started, TaskError> {
        let folder = place::target().join("xtask");
        fs::create_dir_all(&folder).map_err(TaskError::io("making the folder of logs"))?;
        let log = folder.join(format!("{}.log", self.name.replace([' ', '/', ':'], "-")));
        let file = File::create(&log).map_err(TaskError::io("making a log"))?;
        let copy = file.try_clone().map_err(TaskError::io("making a log"))?;
        self.command.stdin(Stdio::null()).stdout(file).stderr(copy);
        println!("{}: waiting for {}", self.name, self.waits_for);
        let child = self.command.spawn().map_err(|error| not_started(&self.command, error))?;
        Ok(Started { step: self, child, log, since: Instant::now(), outcome: None })
    }
}

impl Times {
    /// Runs one step. It must succeed.
    pub fn one(&mut self, step: Step) -> Result<(), TaskError> {
        self.together(vec![step])
    }

    /// Runs steps in parallel, all of them to their end. All must succeed.
    pub fn together(&mut self, steps: Vec<Step>) -> Result<(), TaskError> {
        let all = steps.into_iter().map(Step::start).collect::<Result<Vec<_>, _>>()?;
        self.wait_for(all)
    }

    /// Starts a step that goes on beside the next ones, until [`Times::finish`].
    pub fn begin(&mut self, step: Step) -> Result<(), TaskError> {
        self.beside.push(step.start()?);
        Ok(())
    }

    /// Waits for the steps that go on beside others. All must succeed.
    pub fn finish(&mut self) -> Result<(), TaskError> {
        let all = std::mem::take(&mut self.beside);
        self.wait_for(all)
    }

    fn wait_for(&mut self, mut all: Vec<Started>) -> Result<(), TaskError> {
        let mut reported_at = Instant::now();
        while all.iter().any(|started| started.outcome.is_none()) {
            for started in all.iter_mut().filter(|started| started.outcome.is_none()) {
                if let Some(status) = started.child.try_wait().map_err(TaskError::io("waiting for a step"))? {
                    let outcome = if status.success() { Outcome::Passed } else { Outcome::Failed };
                    started.end(outcome);
                    self.ended.push((started.step.name.clone(), started.since.elapsed(), outcome));
                }
            }
            if reported_at.elapsed() > PROGRESS_EVERY {
                reported_at = Instant::now();
                all.iter().filter(|started| started.outcome.is_none()).for_each(Started::progress);
            }
            std::thread::sleep(LOOK_EVERY);
        }
        let failed = all.iter().filter(|started| started.outcome == Some(Outcome::Failed));
        let failed: Vec<&str> = failed.map(|started| started.step.name.as_ref()).collect();
        if failed.is_empty() { Ok(()) } else { Err(TaskError::Failed(failed.join(", "))) }
    }

    /// Runs a function as a step.
    pub fn own(
        &mut self,
        name: &'static str,
        waits_for: &str,
        work: impl FnOnce() -> Result<(), TaskError>,
    ) -> Result<(), TaskError> {
        println!("{name}: waiting for {waits_for}");
        let since = Instant::now();
        let done = work();
        let outcome = if done.is_ok() { Outcome::Passed } else { Outcome::Failed };
        self.ended.push((name.into(), since.elapsed(), outcome));
        done
    }

    /// Prints the table. Parallel steps overlap, so the total is less than their sum.
    pub fn print(&self, total: Duration) {
        println!("\n{:<34} {:>8}", "step", "time");
        for (name, took, outcome) in &self.ended {
            let mark = if *outcome == Outcome::Failed { "  FAILED" } else { "" };
            println!("{name:<34} {:>8}{mark}", clock(*took));
        }
        println!("{:<34} {:>8}", "whole", clock(total));
        if self.ended.iter().any(|(_, _, outcome)| *outcome == Outcome::Failed) {
            print_room();
        }
    }
}

impl Started {
    fn progress(&self) {
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing printed yet");
        let last: String = last.trim().chars().filter(|c| !c.is_control()).take(100).collect();
        let took = clock(self.since.elapsed());
        println!("{}: {took}, still waiting for {}; last: {last}", self.step.name, self.step.waits_for);
    }

    fn end(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let took = clock(self.since.elapsed());
        if outcome == Outcome::Passed {
            println!("{}: passed, {took}", self.step.name);
            print_lines(closing(&text));
        } else {
            println!("{}: FAILED, {took}; the whole log is {}", self.step.name, shown(&self.log));
            let lines: Vec<&str> = text.lines().collect();
            let tail = lines.len().saturating_sub(TAIL_LINES);
            // Last, because a report of a run is often cut at its beginning.
            print_lines(lines[tail..].iter().copied());
            print_lines(reasons(&lines[..tail]).take(REASON_LINES));
            print_lines(lines.iter().copied().filter(|line| line.ends_with(" ... FAILED")));
        }
    }
}

/// A step that is still running ends with the run that an earlier one has failed.
impl Drop for Started {
    fn drop(&mut self) {
        if self.outcome.is_none() {
            // It may have ended by itself.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Prints the free space of the disks: a full disk makes steps fail without saying so. Prints nothing without `df`.
fn print_room() {
    let folders = [place::target(), std::env::temp_dir()];
    let Ok(output) = Command::new("df").arg("-Ph").args(folders).output() else { return };
    print_lines(String::from_utf8_lossy(&output.stdout).lines());
}

fn print_lines<'a>(lines: impl IntoIterator<Item = &'a str>) {
    let mut out = std::io::stdout().lock();
    for line in lines {
        // A closed pipe is the reader's choice.
        let _ = writeln!(out, "  {line}");
    }
}

/// The runners' closing lines: the test programs and their results, node's counts, the conformance suite's sum.
fn closing(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| {
        let words = line.trim_start();
        words.starts_with("test result:")
            || words.starts_with("Running ")
            || words.starts_with("Doc-tests ")
            || NODE_COUNTS.iter().any(|count| words.starts_with(count))
            || words.contains(" scenarios, ")
    })
}

/// What says which tests failed and why: the parts of Rust's test programs from `failures:` to their result, and the
/// reasons that node's test runner gives for a file.
fn reasons<'a>(lines: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let mut inside = false;
    lines.iter().copied().filter(move |line| {
        inside |= *line == "failures:";
        let kept = inside || line.trim_start().starts_with(NODE_REASON);
        inside &= !line.starts_with("test result: FAILED");
        kept
    })
}

fn shown(path: &Path) -> String {
    path.strip_prefix(place::root()).unwrap_or(path).display().to_string()
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn steps_beside_each_other_all_end_and_the_failed_one_is_named() {
        let mut times = Times::default();
        let steps = vec![
            Step::new("step-test-good", "nothing", sh("exit 0")),
            Step::new("step-test-bad", "nothing", sh("echo reason; exit 1")),
        ];
        let error = times.together(steps).unwrap_err().to_string();
        assert_eq!(error, "`step-test-bad` failed");
        assert_eq!(times.ended.len(), 2);
        assert!(times.one(Step::new("step-test-good", "nothing", sh("exit 0"))).is_ok());
    }

    #[test]
    fn a_step_goes_on_beside_others_and_fails_the_run_at_its_end() {
        let mut times = Times::default();
        times.begin(Step::new("step-test-beside", "nothing", sh("sleep 0.2; exit 1"))).unwrap();
        assert!(times.one(Step::new("step-test-good", "nothing", sh("exit 0"))).is_ok());
        assert_eq!(times.ended.len(), 1);
        assert_eq!(times.finish().unwrap_err().to_string(), "`step-test-beside` failed");
        assert!(times.finish().is_ok());
        times.begin(Step::new("step-test-long", "nothing", sh("exec sleep 60"))).unwrap();
        let began = Instant::now();
        drop(times);
        assert!(began.elapsed() < Duration::from_secs(30), "it ends with the run");
    }

    #[test]
    fn the_runners_closing_lines_are_kept_and_nothing_else() {
        let text = "     Running tests/a.rs (target/debug/deps/a-1)\ntest x ... ok\n\
                    test result: ok. 1 passed\nℹ pass 3\nnoise\n";
        let kept: Vec<&str> = closing(text).collect();
        assert_eq!(kept, ["     Running tests/a.rs (target/debug/deps/a-1)", "test result: ok. 1 passed", "ℹ pass 3"]);
    }

    #[test]
    fn the_reasons_of_failures_are_found_wherever_they_are_in_a_log() {
        let text = "test a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\npanicked\n\nfailures:\n    b\n\n\
                    test result: FAILED. 1 passed\n     Running c\ntest d ... ok\ntest result: ok. 1 passed\n\
                    ✔ e\nℹ Error: activity after the end\n✖ f.test.mjs\n";
        let lines: Vec<&str> = text.lines().collect();
        let found: Vec<&str> = reasons(&lines).filter(|line| !line.is_empty()).collect();
        let of_rust =
            ["failures:", "---- b stdout ----", "panicked", "failures:", "    b", "test result: FAILED. 1 passed"];
        assert_eq!(found[..6], of_rust);
        assert_eq!(found[6..], ["ℹ Error: activity after the end"]);
    }

    #[test]
    fn times_read_as_on_a_clock() {
        assert_eq!(clock(Duration::from_secs(754)), "12:34");
    }
}
