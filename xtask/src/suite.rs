//! `cargo xtask test`: everything, in the order in which a mistake is found soonest.

use crate::run::{self, TaskError, cargo, command};
use crate::{browser, demo, generated, place, web};

/// Runs everything.
pub fn run() -> Result<(), TaskError> {
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
    run::run(tests.envs(programs).env("EYE_BIN", place::target().join("debug/eye")))?;
    cargo(&["build", "--package", "eye", "--example", "conformance"])?;
    let mut suite = command("node", &["e2e/conformance/run.mjs"], &web);
    run::run(suite.env("EYE_CONFORMANCE", place::target().join("debug/examples/conformance")))?;
    demo::run()
}
