//! The web side: npm packages, the page client's build, and its checks.

use crate::place;
use crate::run::{TaskError, command, run};
use std::fs;
use std::process::Command;

/// Installs the locked npm packages if they are missing or the lock file changed.
pub fn install() -> Result<(), TaskError> {
    let web = place::root().join("web");
    let lock = fs::read(web.join("package-lock.json")).map_err(TaskError::io("reading package-lock.json"))?;
    let stamp = web.join("node_modules/.eye-lock");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    run(&mut command("npm", &["ci", "--no-audit", "--no-fund"], &web))?;
    fs::write(stamp, lock).map_err(TaskError::io("noting what is installed"))
}

/// Builds the page client into `web/client/dist`, and the copy that the hub contains.
pub fn build() -> Result<(), TaskError> {
    install()?;
    npm(&["run", "build"])
}

pub fn npm(args: &[&str]) -> Result<(), TaskError> {
    run(&mut npm_command(args))
}

pub fn npm_command(args: &[&str]) -> Command {
    command("npm", args, &place::root().join("web"))
}

pub fn has_script(name: &str) -> Result<bool, TaskError> {
    let text = fs::read(place::root().join("web/package.json")).map_err(TaskError::io("reading web/package.json"))?;
    let wrong = |error| TaskError::Wrong(format!("web/package.json: {error}"));
    let manifest: serde_json::Value = serde_json::from_slice(&text).map_err(wrong)?;
    Ok(manifest["scripts"][name].is_string())
}
