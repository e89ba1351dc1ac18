//! `cargo xtask`: the repository's own commands, one file each. This file only dispatches.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people at a terminal")]

mod bench;
mod browser;
mod chaos;
mod check;
mod circles;
#[cfg(test)]
mod columns;
mod cross;
mod demo;
mod dist;
mod edges;
mod fuzz;
mod generated;
mod history;
mod package;
mod place;
#[cfg(test)]
mod programs;
mod properties;
mod readme;
mod run;
#[cfg(test)]
mod security;
#[cfg(test)]
mod seeds;
#[cfg(test)]
mod signatures;
mod stage;
mod step;
mod suite;
mod tutorial;
mod upgrade;
mod web;

use run::TaskError;
use std::process::ExitCode;

const HELP: &str = "\
usage: cargo xtask COMMAND

  check                   before each commit: format, lints, types, unit tests (minutes)
  test                    everything that must hold, with a table of times at the end
  test --all              also real applications, packages, licences, links for other systems, longer fuzzing
  demo [--binary FILE]    build, start a hub, open pages, run the README's commands; the hub goes on
  demo --stop             end what a demo left running
  bench [--quick] [--keep] [--against FILE] [--only PART]
                          measure, and print a table with ratios against the budgets, each until it is known to 5 %;
                          --keep puts the run into docs/bench, --against compares with one that was kept, --only
                          measures one part of the times, such as depth
  bench --cluster [--quick] [--only PART]
                          the same for three hubs over a nats-server
  chaos [OPTIONS]         misbehaving pages and agents, a hub that is killed, and every call's endings counted
  metering [OPTIONS]      one page that never rests, and what that costs others
  counts [OPTIONS]        instructions, system calls, memory and processor's time of one round trip, beside a relay
  fuzz [TARGET] [--seconds N]
                          fuzz every parser, guided by coverage, 60 s each; findings are in target/fuzz/findings
  gen [--check]           make the generated files, or say which of them are stale
  tutorial                perform docs/adding-a-verb.md in a copy of the tree: parity tests, and one call
  dist                    build the release binary (static on Linux)
  package [--binary FILE] [--add TRIPLE=FILE]...
                          make tarball, npm packages, wheel, .deb, formula, SBOM and checksums in target/package;
                          FILE is a binary that is built already, else the release is built
  package --check [--binary FILE]
                          make them twice, compare, install each in an empty folder and do the README's first screen
  cross                   link the binary for other systems, by `cargo zigbuild`
  upgrade                 let a newer version take over from a running hub of this build (target/debug/eye)

Logs of the steps are in target/xtask.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["check"] => check::run(),
        ["demo"] => demo::run(None),
        ["demo", "--binary", binary] => demo::run(Some(binary.as_ref())),
        ["demo", "--stop"] => {
            demo::stop();
            Ok(())
        }
        ["test"] => suite::run(false),
        ["test", "--all"] => suite::run(true),
        ["cross"] => cross::check(&mut step::Times::default()),
        ["upgrade"] => upgrade::check(&place::target().join("debug/eye")),
        ["package", "--check"] => package::check(None),
        ["package", "--check", "--binary", binary] => package::check(Some(binary.as_ref())),
        ["package", rest @ ..] => package::run(rest),
        ["bench", "--cluster", rest @ ..] => bench::cluster(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["chaos", rest @ ..] => chaos::run(rest),
        ["metering", rest @ ..] => chaos::metering(rest),
        ["counts", rest @ ..] => bench::counts(rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["gen"] => generated::write(),
        ["gen", "--check"] => generated::check(),
        ["tutorial"] => tutorial::run(),
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
