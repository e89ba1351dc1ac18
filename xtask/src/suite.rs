//! `cargo xtask test`: everything, in the order in which a mistake is found soonest.

use crate::run::{self, TaskError, cargo, command};
use crate::{browser, demo, generated, place, web};

/// Runs everything; with `all`, on every application of the corpus, not on the light ones only.
pub fn run(all: bool) -> Result<(), TaskError> {
    cargo(&["fmt", "--all", "--check"])?;
    web::install()?;
    let programs = browser::find_or_install_all()?;
    web::npm(&["run", "lint"])?;
    web::npm(&["run", "typecheck"])?;
    generated::check()?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    cargo(&["test", "--workspace"])?;
    cargo(&["build", "--package", "eye"])?;
    let web = place::root().join("web");
    let mut tests = command("npm", &["test"], &web);
    run::run(tests.envs(programs.clone()).env("EYE_BIN", place::target().join("debug/eye")))?;
    let mut corpus = command("node", &["e2e/apps/run.mjs"], &web);
    corpus.args(all.then_some("--all")).envs(programs).env("EYE_BIN", place::target().join("debug/eye"));
    run::run(&mut corpus)?;
    cargo(&["build", "--package", "eye", "--example", "conformance"])?;
    let mut suite = command("node", &["e2e/conformance/run.mjs"], &web);
    run::run(suite.env("EYE_CONFORMANCE", place::target().join("debug/examples/conformance")))?;
    demo::run()
}
