//! `cargo xtask check`: to be run before each commit. Format, lints, types, and the tests that need no other program.

use crate::run::{TaskError, cargo_command, command};
use crate::step::{Step, Times};
use crate::{place, web};
use std::time::Instant;

/// Runs all steps and prints how long each took.
pub fn run() -> Result<(), TaskError> {
    let started = Instant::now();
    let mut times = Times::default();
    let done = steps(&mut times);
    times.print(started.elapsed());
    done
}

fn steps(times: &mut Times) -> Result<(), TaskError> {
    let clippy = cargo_command(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    static_checks(times, vec![Step::new("clippy", "`cargo clippy` of all targets", clippy)])?;
    let unit = command("node", &["test/run.mjs", "--unit"], &place::root().join("web/client"));
    let unit_apps = command("npm", &["test", "--silent", "--workspace", "eye-apps"], &place::root().join("web"));
    let unit_extension = command("node", &["extension/test/run.mjs"], &place::root().join("web"));
    times.together(vec![
        Step::new(
            "unit tests",
            "`cargo test` of libraries and programs",
            cargo_command(&["test", "--workspace", "--lib", "--bins"]),
        ),
        Step::new("client unit tests", "the page client's tests without a browser", unit),
        Step::new("app unit tests", "the demo apps' tests", unit_apps),
        Step::new("extension unit tests", "the extension's guard", unit_extension),
    ])
}

/// Format, types and the lints of `web/`, with further steps in parallel; also the beginning of `cargo xtask test`.
pub fn static_checks(times: &mut Times, more: Vec<Step>) -> Result<(), TaskError> {
    times.one(Step::new("format", "`cargo fmt --check`", cargo_command(&["fmt", "--all", "--check"])))?;
    times.own("npm packages", "`npm ci`, if package-lock.json changed", web::install)?;
    let mut steps = more;
    let types = web::npm_command(&["run", "--silent", "typecheck"]);
    steps.push(Step::new("types", "the TypeScript compiler", types));
    if web::has_script("lint")? {
        let lint = web::npm_command(&["run", "--silent", "lint"]);
        steps.push(Step::new("web lint", "the linter and formatter of web/", lint));
    }
    times.together(steps)
}
