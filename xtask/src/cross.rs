//! Links the binary for other systems. It is not run there.

mod frameworks;

use crate::place;
use crate::run::{TaskError, cargo_command, command, has, run};
use crate::step::{Step, Times};
use std::path::PathBuf;
use std::process::Command;

/// Target triples, and their names in the table of times.
const TARGETS: [(&str, &str); 3] = [
    ("aarch64-unknown-linux-gnu", "link linux arm64"),
    ("aarch64-apple-darwin", "link macos arm64"),
    ("x86_64-pc-windows-gnu", "link windows x64"),
];

/// Links all of them with zig as the linker. Nothing is optimised: these programs are never run.
pub fn check(times: &mut Times) -> Result<(), TaskError> {
    let zig = Zig::find_or_install()?;
    for (target, name) in TARGETS {
        run(&mut command("rustup", &["target", "add", target], &place::root()))?;
        let mut build =
            zig.cargo(&["zigbuild", "--profile", "linked", "--package", "eye", "--bin", "eye", "--target", target]);
        if target.ends_with("-apple-darwin") {
            let frameworks = frameworks::write(&place::target().join("frameworks"))?;
            build.env("CARGO_TARGET_AARCH64_APPLE_DARWIN_RUSTFLAGS", format!("-C link-arg=-F{}", frameworks.display()));
        }
        times.one(Step::new(name, "`cargo zigbuild`", build))?;
    }
    Ok(())
}

/// The folder of `cargo zigbuild` and zig that pip installed; `None` if they are on the PATH.
struct Zig(Option<PathBuf>);

impl Zig {
    fn find_or_install() -> Result<Self, TaskError> {
        if has("cargo-zigbuild") {
            return Ok(Self(None));
        }
        let folder = place::target().join("zigbuild");
        let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "--target"];
        if !folder.join("bin/cargo-zigbuild").exists() {
            let mut pip = command("python3", &words, &place::root());
            run(pip.arg(&folder).args(["ziglang", "cargo-zigbuild"])).map_err(|_| {
                let hint = "pip cannot fetch it; `pip install ziglang cargo-zigbuild` where there is a network";
                TaskError::Missing { command: "cargo-zigbuild".into(), hint }
            })?;
        }
        Ok(Self(Some(folder)))
    }

    fn cargo(&self, args: &[&str]) -> Command {
        let mut cargo = cargo_command(args);
        if let Some(folder) = &self.0 {
            let paths = std::env::var_os("PATH").unwrap_or_default();
            let paths = std::iter::once(folder.join("bin")).chain(std::env::split_paths(&paths));
            if let Ok(paths) = std::env::join_paths(paths) {
                cargo.env("PATH", paths);
            }
            cargo.env("CARGO_ZIGBUILD_ZIG_PATH", folder.join("ziglang/zig"));
        }
        cargo
    }
}
