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
    /// The oldest major version that the tests have been seen to pass with, if older ones fail.
    oldest: Option<u32>,
}

const CHROMIUM: Program = Program {
    names: &["chromium", "chromium-browser", "google-chrome", "chrome"],
    variable: "EYE_CHROMIUM",
    hint: "install Chromium or Chrome (on Debian: apt-get install chromium), or name it in EYE_CHROMIUM",
    // WebMCP was renamed several times until then.
    oldest: Some(156),
};
const FIREFOX: Program = Program {
    names: &["firefox-esr", "firefox"],
    variable: "EYE_FIREFOX",
    hint: "install Firefox (on Debian: apt-get install firefox-esr), or name it in EYE_FIREFOX",
    oldest: None,
};
const NGINX: Program = Program {
    names: &["nginx"],
    variable: "EYE_NGINX",
    hint: "install nginx (on Debian: apt-get install nginx), or name it in EYE_NGINX",
    oldest: None,
};
/// Distributions install servers here, which is not on every user's `PATH`.
const ADMINISTRATION: &str = "/usr/sbin";

/// The absolute path of Chromium; installs it if there is none.
pub fn find_or_install() -> Result<PathBuf, TaskError> {
    CHROMIUM.find_or_install()
}

/// All programs that the page tests drive, with the variables that name them; installs missing and outdated ones.
pub fn find_or_install_all() -> Result<Vec<(&'static str, PathBuf)>, TaskError> {
    [CHROMIUM, FIREFOX, NGINX].iter().map(|program| Ok((program.variable, program.find_or_update()?))).collect()
}

impl Program {
    fn find_or_install(&self) -> Result<PathBuf, TaskError> {
        if let Some(found) = self.find() {
            return Ok(found);
        }
        self.install()?;
        self.find().ok_or(TaskError::Missing { command: self.names[0].into(), hint: self.hint })
    }

    /// The same, with a version that is new enough for the tests.
    fn find_or_update(&self) -> Result<PathBuf, TaskError> {
        let found = self.find_or_install()?;
        let Some(fault) = self.outdated(&found) else { return Ok(found) };
        println!("{fault}");
        self.install()?;
        let found = self.find_or_install()?;
        match self.outdated(&found) {
            Some(fault) => Err(TaskError::Wrong(fault)),
            None => Ok(found),
        }
    }

    /// Installs the newest version, if that is permitted.
    fn install(&self) -> Result<(), TaskError> {
        if has("apt-get") && is_root() {
            run(Command::new("apt-get").args(["update", "-qq"]))?;
            run(Command::new("apt-get").args(["install", "-y", "-qq", "--no-install-recommends", self.names[0]]))?;
        }
        Ok(())
    }

    /// Why a program is too old for the tests, if it is.
    fn outdated(&self, path: &Path) -> Option<String> {
        self.oldest?;
        let output = Command::new(path).arg("--version").output().ok()?;
        self.outdated_at(path, &String::from_utf8_lossy(&output.stdout))
    }

    fn outdated_at(&self, path: &Path, line: &str) -> Option<String> {
        let oldest = self.oldest?;
        let version = major(line).filter(|version| *version < oldest)?;
        let (path, hint) = (path.display(), self.hint);
        Some(format!("{path} has version {version}, and the tests need {oldest} or newer; {hint}"))
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

/// The major version in a line such as `Chromium 156.0.8078.79 built on Debian`.
fn major(line: &str) -> Option<u32> {
    line.split_whitespace().find_map(|word| word.split_once('.')?.0.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_any_browser() {
        assert_eq!(major("Chromium 156.0.8078.79 built on Debian GNU/Linux 12"), Some(156));
        assert_eq!(major("Google Chrome 148.0.7204.49 "), Some(148));
        assert_eq!(major("no version"), None);
    }

    #[test]
    fn an_outdated_program_is_named_with_what_the_tests_need() {
        let fault = |program: Program, line: &str| program.outdated_at(Path::new("/bin/it"), line);
        let old = fault(CHROMIUM, "Chromium 155.0.1.2").unwrap();
        assert!(old.starts_with("/bin/it has version 155, and the tests need 156 or newer; install Chromium"), "{old}");
        assert_eq!(fault(CHROMIUM, "Chromium 156.0.1.2"), None);
        assert_eq!(fault(CHROMIUM, "no version"), None);
        assert_eq!(fault(FIREFOX, "Mozilla Firefox 102.0"), None);
    }
}
