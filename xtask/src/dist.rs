//! The release binary. On Linux it is static and not position-independent: that starts about 0.4 ms sooner.

use crate::place;
use crate::run::{TaskError, command, run};
use std::path::PathBuf;

/// Functions that came out alike are one: nothing of ours asks whether two of them are the same. Cargo forgets to strip a package whose
/// `opt-level` is its own, so it is said here again.
const FLAGS: &str =
    "-C target-feature=+crt-static -C relocation-model=static -C strip=symbols -C link-arg=-Wl,--icf=all";

/// Builds it and says where it is.
pub fn build() -> Result<PathBuf, TaskError> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut args = vec!["build", "--release", "--package", "eye"];
    let triple = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("x86_64-unknown-linux-gnu"),
        ("linux", "aarch64") => Some("aarch64-unknown-linux-gnu"),
        _ => None,
    };
    let mut folder = place::target();
    // With an explicit target, the flags do not reach build scripts and macros, which must stay dynamic.
    if let Some(triple) = triple {
        args.extend(["--target", triple]);
        folder.push(triple);
    }
    let mut build = command(&cargo, &args, &place::root());
    if triple.is_some() {
        build.env("RUSTFLAGS", FLAGS);
    }
    run(&mut build)?;
    Ok(folder.join("release/eye"))
}
