//! The programs that tests drive: found, or installed through the system's package manager where that is permitted.

use crate::run::{TaskError, has, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program from outside this repository.
struct Program {
    /// Its names, the first of them the package's.
    names: &'static [&'static str],
    /// Names it, where it is none of these.
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
/// Where distributions put servers, which is not on everybody's `PATH`.
const ADMINISTRATION: &str = "/usr/sbin";

/// The program of a Chromium, as a whole path; installs one when there is none.
pub fn find_or_install() -> Result<PathBuf, TaskError> {
    CHROMIUM.find_or_install()
}

/// All that the tests of pages drive, by the variables that name them; installs what is not there.
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

/// Where a program is: as it is named, or in a folder of `PATH`.
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
