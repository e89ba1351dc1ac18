//! `cargo xtask test`: all checks, ordered so that mistakes are found early. `--all` adds those that are slow or need
//! the network: real applications, packages, links for other systems, licences, longer fuzzing.

use crate::run::{TaskError, at_leisure, cargo_command, command, has, linting_cargo};
use crate::step::{Step, Times};
use crate::{browser, check, demo, fuzz, generated, place, properties, tutorial, upgrade, web};
use std::process::Command;
use std::time::Instant;

/// End-to-end test files that run in parallel. Each has its own home, hub and browser, and mostly waits.
const E2E_JOBS: &str = "3";

/// Runs all steps and prints how long each took.
pub fn run(all: bool) -> Result<(), TaskError> {
    let started = Instant::now();
    let mut times = Times::default();
    let done = usual(&mut times, all).and_then(|()| if all { more(&mut times) } else { Ok(()) });
    times.print(started.elapsed());
    done
}

fn usual(times: &mut Times, all: bool) -> Result<(), TaskError> {
    check::static_checks(times, Vec::new())?;
    let mut programs = Vec::new();
    times.own("browsers, nginx", "the system's package manager, if one is missing", || {
        programs = browser::find_or_install_all()?;
        Ok(())
    })?;
    times.own("generated files", "the web build, and that nothing generated is stale", generated::check)?;
    // Everything is compiled before anything runs, because two cargos would wait for each other. This includes the hub
    // and the examples.
    let build = linting_cargo(&["test", "--workspace", "--all-targets", "--no-run"]);
    times.one(Step::new("lint and build", "`cargo test --no-run`, compiled by clippy", build))?;
    let eye = place::target().join("debug/eye");
    let web = |args: &[&str]| {
        let mut command = web::npm_command(args);
        command.envs(programs.clone()).env("EYE_BIN", &eye).env("EYE_TEST_JOBS", E2E_JOBS);
        command
    };
    times.together(vec![
        Step::new("rust tests", "`cargo test --workspace`", linting_cargo(&["test", "--workspace", "--no-fail-fast"])),
        Step::new("client tests", "the page client in Node and Chromium", web(&["test", "--workspace", "eye-client"])),
    ])?;
    let mut conformance = command("node", &["e2e/conformance/run.mjs"], &place::root().join("web"));
    conformance.env("EYE_CONFORMANCE", place::target().join("debug/examples/conformance"));
    let mut beside = vec![
        Step::new("e2e", "browsers against a real hub", web(&["test", "--workspace", "eye-e2e"])),
        Step::new("app tests", "the demo apps' tests", web(&["test", "--workspace", "eye-apps"])),
        Step::new("extension tests", "the extension's guard", web(&["run", "test:extension"])),
    ];
    beside.extend(if all { Some(fuzz::build_at_leisure()?) } else { fuzz::check() });
    times.together(beside)?;
    // Alone, because the suite's timeouts for a server are short.
    times.one(Step::new("conformance", "the official suite of MCP", conformance))?;
    if all {
        // Beside all steps until the packages are tried: applications mostly wait, and the last part of the release
        // build has work for one core only.
        let links = at_leisure(&task(&["cross"]));
        times.begin(Step::new("links", "the binary linked for other systems", links))?;
    }
    corpus(times, all)?;
    times.own("README", "the README's commands, live", || demo::check(&eye))
}

fn more(times: &mut Times) -> Result<(), TaskError> {
    licences(times)?;
    let lean = cargo_command(&["clippy", "--package", "eye", "--no-default-features", "--", "-D", "warnings"]);
    times.one(Step::new("lean hub", "`cargo clippy` without guests, browser and cluster", lean))?;
    times.one(Step::new("packages", "each package made, installed alone and tried", task(&["package", "--check"])))?;
    times.finish()?;
    times.own("adding a verb", "docs/adding-a-verb.md performed in a copy of the tree", tutorial::run)?;
    let eye = place::target().join("debug/eye");
    times.own("upgrade", "a build of a newer version, which takes over from this one", || upgrade::check(&eye))?;
    fuzzing(times)
}

/// Another task of this program, as a process of its own.
fn task(words: &[&str]) -> Command {
    let mut task = cargo_command(&["run", "--quiet", "--package", "xtask", "--"]);
    task.args(words);
    task
}

/// Checks licences and duplicates by `deny.toml`.
fn licences(times: &mut Times) -> Result<(), TaskError> {
    if !has("cargo-deny") {
        // Not optimised: it runs for two seconds, and an optimised build takes five minutes.
        let install = cargo_command(&["install", "cargo-deny", "--locked", "--debug"]);
        let installed = times.one(Step::new("cargo-deny", "`cargo install cargo-deny`, once", install));
        installed.map_err(|_| {
            let hint = "it could not be installed; `cargo install cargo-deny --locked` where there is a network";
            TaskError::Missing { command: "cargo-deny".into(), hint }
        })?;
    }
    let mut check = cargo_command(&["deny", "check", "licenses", "bans", "sources"]);
    // Known vulnerabilities are checked only if their list is already on this machine: nothing is downloaded for it.
    let list = std::env::home_dir().map(|home| home.join(".cargo/advisory-dbs")).filter(|list| list.exists());
    check.args(list.map(|_| ["--disable-fetch", "advisories"]).into_iter().flatten());
    times.one(Step::new("licences", "`cargo deny`", check))
}

/// Runs the real applications of `web/e2e/apps`, which installs its own packages: the light ones, or with `all` every
/// one, also in eye's own browser.
fn corpus(times: &mut Times, all: bool) -> Result<(), TaskError> {
    let folder = place::root().join("web/e2e/apps");
    let mut corpus = command("node", &["run.mjs"], &folder);
    corpus.args(all.then_some(["--all", "--hands"]).into_iter().flatten());
    corpus.envs(browser::find_or_install_all()?).env("EYE_BIN", place::target().join("debug/eye"));
    times.one(Step::new("corpus", "tasks in real applications", corpus))
}

/// Property tests with many more cases than in the usual run, and some seconds of every fuzz target.
fn fuzzing(times: &mut Times) -> Result<(), TaskError> {
    times.together(properties::steps()?)?;
    times.own("fuzz", "every parser, guided by coverage, some seconds each", || fuzz::run(&["--seconds", FUZZ_SECONDS]))
}

/// For each target: enough for the corpus and a little more.
const FUZZ_SECONDS: &str = "10";
