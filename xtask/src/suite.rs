//! `cargo xtask test`: everything, in the order in which a mistake is found soonest.

use crate::run::{self, TaskError, cargo, command};
use crate::{browser, demo, generated, place, web};

/// Runs everything.
pub fn run() -> Result<(), TaskError> {
    cargo(&["fmt", "--all", "--check"])?;
    web::install()?;
    let chromium = browser::find_or_install()?;
    web::npm(&["run", "typecheck"])?;
    generated::check()?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    cargo(&["test", "--workspace"])?;
    cargo(&["build", "--package", "eye"])?;
    let mut tests = command("npm", &["test"], &place::root().join("web"));
    run::run(tests.env("EYE_CHROMIUM", chromium).env("EYE_BIN", place::target().join("debug/eye")))?;
    demo::run()
}
