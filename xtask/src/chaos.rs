//! `cargo xtask chaos`: builds the hub and the program that torments it, and counts every call's endings.

use crate::run::{TaskError, cargo, command, run as run_command};
use crate::{dist, place};

/// Builds both and runs. `--debug` takes a debug build of the hub; every other word goes to the program.
pub fn run(words: &[&str]) -> Result<(), TaskError> {
    let (debug, rest): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| **word == "--debug");
    let eye = if debug.is_empty() {
        place::root().join(dist::build()?)
    } else {
        cargo(&["build", "--package", "eye"])?;
        place::target().join("debug/eye")
    };
    cargo(&["build", "--package", "eye-bench", "--bin", "eye-chaos"])?;
    let mut chaos = command(&place::target().join("debug/eye-chaos").to_string_lossy(), &[], &place::root());
    run_command(chaos.arg(eye).args(rest))
}
