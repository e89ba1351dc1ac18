//! `cargo xtask`: the repository's own commands. Each is one file; this one only chooses.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people at a terminal")]

mod bench;
mod browser;
mod demo;
mod dist;
mod edges;
mod generated;
mod place;
mod readme;
mod run;
mod suite;
mod web;

use run::TaskError;
use std::process::ExitCode;

const HELP: &str = "\
usage: cargo xtask COMMAND

  demo            build everything, start a hub, open the start page, and show a live round trip
  test [--all]    run everything: fmt, clippy, unit, integration, browser; --all on every application of the corpus
  bench [--quick] measure, and print a table with ratios against the budgets
  gen [--check]   make the generated files, or say which of them are stale
  dist            build the release binary (static on Linux)
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["demo"] => demo::run(),
        ["test"] => suite::run(false),
        ["test", "--all"] => suite::run(true),
        ["bench"] => bench::run(false),
        ["bench", "--quick"] => bench::run(true),
        ["gen"] => generated::write(),
        ["gen", "--check"] => generated::check(),
        ["dist"] => dist::build().map(|binary| println!("{}", binary.display())),
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(TaskError::Usage(HELP)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
