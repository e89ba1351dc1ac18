//! `cargo xtask chaos` and `cargo xtask metering`: build the hub and a load program. The first counts every call's
//! endings, the second measures what one busy page costs others.

use crate::run::{TaskError, cargo, command, run as run_command};
use crate::{dist, place};

/// Counts endings. `--debug` uses a debug build of the hub; all other words go to the program.
pub fn run(words: &[&str]) -> Result<(), TaskError> {
    torment("eye-chaos", words)
}

/// Measures what one busy page costs others.
pub fn metering(words: &[&str]) -> Result<(), TaskError> {
    torment("eye-metering", words)
}

/// Builds the hub and the load program, and runs the latter.
fn torment(program: &str, words: &[&str]) -> Result<(), TaskError> {
    let (debug, rest): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| **word == "--debug");
    let eye = if debug.is_empty() {
        place::root().join(dist::build()?)
    } else {
        cargo(&["build", "--package", "eye"])?;
        place::target().join("debug/eye")
    };
    cargo(&["build", "--package", "eye-bench", "--bin", program])?;
    let mut chaos = command(&place::target().join("debug").join(program).to_string_lossy(), &[], &place::root());
    run_command(chaos.arg(eye).args(rest))
}
