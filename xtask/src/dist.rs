//! Builds the release binary. On Linux it is static and not position-independent: it starts about 0.4 ms sooner. It
//! should contain no path of the machine, so that builds of one commit in two folders can be compared.

use crate::place;
use crate::run::{TaskError, command, run};
use std::path::{Path, PathBuf};

/// Cargo does not strip a package with its own `opt-level`, so the flag is repeated here.
const FLAGS: [&str; 2] = ["-C", "strip=symbols"];
/// Identical functions are merged: our code never compares function addresses.
const FLAGS_LINUX: [&str; 6] =
    ["-C", "target-feature=+crt-static", "-C", "relocation-model=static", "-C", "link-arg=-Wl,--icf=all"];

/// Builds the binary for this machine and returns its path.
pub fn build() -> Result<PathBuf, TaskError> {
    let triple = host();
    build_in(&place::root(), &place::target(), triple)
}

/// Builds a checkout for this machine, into a given folder.
pub fn build_in(root: &Path, target: &Path, triple: Option<&str>) -> Result<PathBuf, TaskError> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut args = vec!["build", "--release", "--locked", "--package", "eye", "--bin", "eye"];
    let mut folder = target.to_owned();
    // With an explicit target the flags do not affect build scripts and macros, which must stay dynamic.
    if let Some(triple) = triple {
        args.extend(["--target", triple]);
        folder.push(triple);
    }
    let mut build = command(&cargo, &args, root);
    build.env("CARGO_TARGET_DIR", target).env("CARGO_INCREMENTAL", "0");
    build.env("CARGO_ENCODED_RUSTFLAGS", flags(root, triple).join("\u{1f}"));
    run(&mut build)?;
    Ok(folder.join("release/eye"))
}

/// This machine's target triple; `None` where the binary is built without naming one.
pub fn host() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("x86_64-unknown-linux-gnu"),
        ("linux", "aarch64") => Some("aarch64-unknown-linux-gnu"),
        _ => None,
    }
}

fn flags(root: &Path, triple: Option<&str>) -> Vec<String> {
    let mut flags: Vec<String> = FLAGS.map(str::to_owned).to_vec();
    if triple.is_some_and(|triple| triple.contains("-linux-")) {
        flags.extend(FLAGS_LINUX.map(str::to_owned));
    }
    flags.push(format!("--remap-path-prefix={}=/eye", root.display()));
    if let Some(home) = cargo_home() {
        flags.push(format!("--remap-path-prefix={}=/cargo", home.display()));
    }
    flags
}

/// Cargo's folder with the sources of libraries; their panics contain these paths.
fn cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}
