//! `eye upgrade`: reports how this copy of eye was installed, and which command installs a newer one. Changes nothing.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use eye_protocol::rpc;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Tell how this eye was installed and what upgrades it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: eye upgrade\n         eye upgrade --json\n\nA hub that runs needs no restart: it makes room when the new \
                        eye first asks, and its pages come back."
)]
pub struct Args {}

/// The tool that installed this copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Installer {
    Npm,
    Pip,
    Deb,
    Homebrew,
    Cargo,
    Checkout,
    Tarball,
}

#[derive(Serialize)]
struct Answer {
    version: &'static str,
    path: PathBuf,
    installer: Installer,
    run: String,
}

pub fn run(_: &Args, options: &Options) -> Result<Exit, Failure> {
    let path = std::env::current_exe().map_err(Failure::io("find this program"))?;
    let path = path.canonicalize().unwrap_or(path);
    let installer = installer(&path, &|file| file.exists());
    let answer = Answer { version: env!("CARGO_PKG_VERSION"), run: installer.command(&path), path, installer };
    if options.json {
        ui::line(rpc::json(&answer))?;
    } else {
        ui::line(format_args!("eye {} at {}", answer.version, answer.path.display()))?;
        ui::line(format_args!("installed {}; to upgrade: {}", installer.shown(), answer.run))?;
    }
    Ok(Exit::Success)
}

/// Derived from the program's path: each installer uses its own.
fn installer(path: &Path, exists: &dyn Fn(&Path) -> bool) -> Installer {
    let has = |part: &str| path.components().any(|component| component.as_os_str() == part);
    let folder = path.parent().unwrap_or(path);
    if has("node_modules") {
        Installer::Npm
    } else if has("Cellar") {
        Installer::Homebrew
    } else if folder.ends_with(".cargo/bin") {
        Installer::Cargo
    } else if exists(&folder.join("python3")) && exists(&folder.join("../pyvenv.cfg")) {
        Installer::Pip
    } else if folder == Path::new("/usr/bin") && exists(Path::new("/var/lib/dpkg/info/eye-hub.list")) {
        Installer::Deb
    } else if built_here(folder, exists) {
        Installer::Checkout
    } else {
        Installer::Tarball
    }
}

/// Whether the folder is Cargo's `target/PROFILE` or `target/TRIPLE/PROFILE` in a checkout of eye.
fn built_here(folder: &Path, exists: &dyn Fn(&Path) -> bool) -> bool {
    let target = folder.ancestors().skip(1).take(2).find(|above| above.ends_with("target"));
    target.and_then(Path::parent).is_some_and(|checkout| exists(&checkout.join("crates/eye/Cargo.toml")))
}

impl Installer {
    fn shown(self) -> &'static str {
        match self {
            Self::Npm => "with npm",
            Self::Pip => "with pip or uv",
            Self::Deb => "as a Debian package",
            Self::Homebrew => "with Homebrew",
            Self::Cargo => "with cargo",
            Self::Checkout => "from a checkout",
            Self::Tarball => "from a tarball",
        }
    }

    /// Packages are not published yet, so each command names the packed file of a newer version.
    fn command(self, path: &Path) -> String {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        match self {
            Self::Npm => {
                "npm install eye-hub-VERSION.tgz eye-hub-OS-CPU-VERSION.tgz (-g if it was installed so)".into()
            }
            Self::Pip => "pip install --upgrade eye_hub-VERSION-….whl (or uv tool install --force)".into(),
            Self::Deb => "sudo dpkg -i eye-hub_VERSION_….deb".into(),
            Self::Homebrew => "brew upgrade eye-hub".into(),
            Self::Cargo => "cargo install --path crates/eye, in a newer checkout".into(),
            Self::Checkout => "git pull && cargo xtask dist".into(),
            Self::Tarball => {
                format!("unpack the newer tarball for {arch} {os}, and put its bin/eye in place of {}", path.display())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_installer_is_known_by_its_place() {
        let checkout = Path::new("/work/eye/crates/eye/Cargo.toml");
        let exists = |file: &Path| {
            [Path::new("/v/bin/python3"), Path::new("/v/bin/../pyvenv.cfg"), checkout].contains(&file)
                || file == Path::new("/var/lib/dpkg/info/eye-hub.list")
        };
        for (path, want) in [
            ("/app/node_modules/eye-hub-linux-x64/bin/eye", Installer::Npm),
            ("/v/bin/eye", Installer::Pip),
            ("/usr/bin/eye", Installer::Deb),
            ("/opt/homebrew/Cellar/eye-hub/1.0.0/bin/eye", Installer::Homebrew),
            ("/u/.cargo/bin/eye", Installer::Cargo),
            ("/work/eye/target/debug/eye", Installer::Checkout),
            ("/work/eye/target/x86_64-unknown-linux-gnu/release/eye", Installer::Checkout),
            ("/work/eye/target/a/copy/bin/eye", Installer::Tarball),
            ("/work/target/debug/eye", Installer::Tarball),
            ("/u/bin/eye", Installer::Tarball),
        ] {
            assert_eq!(installer(Path::new(path), &exists), want, "{path}");
        }
    }

    #[test]
    fn a_system_without_the_package_has_a_copy() {
        assert_eq!(installer(Path::new("/usr/bin/eye"), &|_| false), Installer::Tarball);
    }
}
