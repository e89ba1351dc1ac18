//! Finds the programs that tests drive, or installs them with the system's package manager if that is permitted.

use crate::run::{TaskError, has, run};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Program {
    /// File names of the program; the first one is the package's name.
    names: &'static [&'static str],
    /// The environment variable that names another program.
    variable: &'static str,
    hint: &'static str,
}

const CHROMIUM: Program = Program {
    names: &["chromium", "chromium-browser", "google-chrome", "chrome"],
    variable: "EYE_CHROMIUM",
    hint: "install Chromium or Chrome (on Debian: apt-get install chromium), or name it in EYE_CHROMIUM",
};
const FIREFOX: Program = Program {
    names: &["firefox-esr", "firefox"],
    variable: "EYE_FIREFOX",
    hint: "install Firefox (on Debian: apt-get install firefox-esr), or name it in EYE_FIREFOX",
};
const NGINX: Program = Program {
    names: &["nginx"],
    variable: "EYE_NGINX",
    hint: "install nginx (on Debian: apt-get install nginx), or name it in EYE_NGINX",
};
/// Distributions install servers here, which is not on every user's `PATH`.
const ADMINISTRATION: &str = "/usr/sbin";

/// The absolute path of Chromium; installs it if there is none.
pub fn find_or_install() -> Result<PathBuf, TaskError> {
    CHROMIUM.find_or_install()
}

/// All programs that the page tests drive, with the variables that name them; installs missing ones.
pub fn find_or_install_all() -> Result<Vec<(&'static str, PathBuf)>, TaskError> {
    [CHROMIUM, FIREFOX, NGINX].iter().map(|program| Ok((program.variable, program.find_or_install()?))).collect()
}

impl Program {
    fn find_or_install(&self) -> Result<PathBuf, TaskError> {
        if let Some(found) = self.find() {
            return Ok(found);
        }
        let package = self.names[0];
        if has("apt-get") && is_root() {
            run(Command::new("apt-get").args(["update", "-qq"]))?;
            run(Command::new("apt-get").args(["install", "-y", "-qq", "--no-install-recommends", package]))?;
        }
        self.find().ok_or(TaskError::Missing { command: package.into(), hint: self.hint })
    }

    fn find(&self) -> Option<PathBuf> {
        let own = std::env::var(self.variable).ok().filter(|own| !own.is_empty());
        own.into_iter().chain(self.names.iter().map(|&name| name.to_owned())).find_map(|name| on_path(&name))
    }
}

/// Finds a program: by its path, or in a folder of `PATH`.
fn on_path(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).chain([ADMINISTRATION.into()]);
    folders.map(|folder: PathBuf| Path::new(&folder).join(name)).find(|path| path.is_file())
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
