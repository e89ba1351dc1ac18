//! `cargo xtask bench`: builds the release binary and measures it.

use crate::run::{TaskError, cargo, command};
use crate::{browser, dist, place};

/// Builds and measures.
pub fn run(quick: bool) -> Result<(), TaskError> {
    let chromium = browser::find_or_install()?;
    let eye = dist::build()?;
    cargo(&["build", "--release", "--package", "eye-bench"])?;
    let bench = place::target().join("release/eye-bench");
    let mut measure = command(&bench.to_string_lossy(), &[], &place::root());
    measure.arg(&eye).arg(place::target().join("bench.json")).arg(place::client_asset()).env("EYE_CHROMIUM", chromium);
    if quick {
        measure.arg("--quick");
    }
    crate::run::run(&mut measure)
}
