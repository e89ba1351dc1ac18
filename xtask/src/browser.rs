//! Chromium: found, or installed through the system's package manager where that is permitted.

use crate::run::{TaskError, has, run};
use std::path::{Path, PathBuf};
use std::process::Command;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The program of a Chromium, as a whole path; installs one when there is none.
pub fn find_or_install() -> Result<PathBuf, TaskError> {
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

fn find() -> Option<PathBuf> {
    let own = std::env::var("EYE_CHROMIUM").ok().filter(|own| !own.is_empty());
    own.into_iter().chain(NAMES.map(str::to_owned)).find_map(|name| on_path(&name))
}

/// Where a program is: as it is named, or in a folder of `PATH`.
fn on_path(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder: PathBuf| Path::new(&folder).join(name)).find(|path| path.is_file())
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
