//! Chromium: found, or installed through the system's package manager where that is permitted.

use crate::run::{TaskError, has, run};
use std::process::Command;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The command of a Chromium; installs one when there is none.
pub fn find_or_install() -> Result<String, TaskError> {
    if let Some(found) = find() {
        return Ok(found);
    }
    if has("apt-get") && is_root() {
        run(Command::new("apt-get").args(["update", "-qq"]))?;
        run(Command::new("apt-get").args(["install", "-y", "-qq", "--no-install-recommends", "chromium"]))?;
    }
    find().ok_or(TaskError::Missing {
        command: "chromium".into(),
        hint: "install Chromium or Chrome (on Debian: apt-get install chromium), or name it in EYE_CHROMIUM",
    })
}

fn find() -> Option<String> {
    let own = std::env::var("EYE_CHROMIUM").ok().filter(|own| !own.is_empty());
    own.into_iter().chain(NAMES.map(str::to_owned)).find(|name| has(name))
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
