//! Other systems that the sources are written for: the binary must link for each of them. It is not run here.

mod frameworks;

use crate::place;
use crate::run::{TaskError, cargo_command, has};
use crate::step::{Step, Times};

/// What must link, and its name in the table of times.
const TARGETS: [(&str, &str); 3] = [
    ("aarch64-unknown-linux-gnu", "link linux arm64"),
    ("aarch64-apple-darwin", "link macos arm64"),
    ("x86_64-pc-windows-gnu", "link windows x64"),
];

/// Links all of them with zig as the linker, in the quick profile.
pub fn check(times: &mut Times) -> Result<(), TaskError> {
    if !has("cargo-zigbuild") {
        let hint = "pip install ziglang cargo-zigbuild, and have them on the PATH";
        return Err(TaskError::Missing { command: "cargo-zigbuild".into(), hint });
    }
    for (target, name) in TARGETS {
        let mut rustup = std::process::Command::new("rustup");
        rustup.args(["target", "add", target]);
        crate::run::run(&mut rustup)?;
        let mut build = cargo_command(&["zigbuild", "--package", "eye", "--bin", "eye", "--target", target]);
        if target.ends_with("-apple-darwin") {
            let frameworks = frameworks::write(&place::target().join("frameworks"))?;
            build.env("CARGO_TARGET_AARCH64_APPLE_DARWIN_RUSTFLAGS", format!("-C link-arg=-F{}", frameworks.display()));
        }
        times.one(Step::new(name, "`cargo zigbuild`", build))?;
    }
    Ok(())
}
