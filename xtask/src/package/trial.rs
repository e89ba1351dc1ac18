//! Installs each package alone, as a user would from the packed file, and runs the README's first screen with it: an
//! empty home, no Rust, no modules of the checkout, and only the system's programs on the `PATH`.

use super::npm::is_installed;
use crate::run::{TaskError, command, run};
use crate::stage::Stage;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A way to install from the packages' folder into an empty folder; returns the folder of `eye`.
type Install = fn(&Path, &Path) -> Result<PathBuf, TaskError>;

const WAYS: [(&str, Install); 4] =
    [("tarball", from_tarball), ("npm", from_npm), ("wheel", from_wheel), ("deb", from_deb)];

/// Tries all of them, in a folder outside the checkout.
pub fn all(packages: &Path) -> Result<(), TaskError> {
    let packages = fs::canonicalize(packages).map_err(TaskError::io("finding the packages"))?;
    let root = std::env::temp_dir().join(format!("eye-trial-{}", std::process::id()));
    let tried = each(&packages, &root);
    let _ = fs::remove_dir_all(&root);
    tried
}

fn each(packages: &Path, root: &Path) -> Result<(), TaskError> {
    for (name, install) in WAYS {
        println!("package {name}: waiting for its installation and the README's first screen");
        let folder = empty(root, name)?;
        let bin = install(packages, &folder)?;
        let stage = Stage::set(root.join(format!("{name}-home")), bin)?;
        let tried =
            stage.open_start_page(false).and_then(|_browser| stage.readme()).and_then(|()| upgrade(name, &stage));
        let _ = stage.eye(&["down"]);
        tried?;
    }
    client(packages, &empty(root, "client")?)
}

/// `eye upgrade` must recognise how this copy was installed.
fn upgrade(name: &str, stage: &Stage) -> Result<(), TaskError> {
    let stdout = stage.eye(&["upgrade"])?;
    let want = match name {
        "npm" => "npm install",
        "wheel" => "pip install",
        // Not in the system's own database here, so it is reported as a plain copy.
        _ => "tarball",
    };
    if stdout.contains(want) { Ok(()) } else { Err(TaskError::Wrong(format!("eye upgrade of {name} says: {stdout}"))) }
}

fn from_tarball(packages: &Path, folder: &Path) -> Result<PathBuf, TaskError> {
    let tarball = one(packages, "eye-", "-gnu.tar.gz")?;
    clean(folder, "tar", &["-xzf", &tarball, "--strip-components=1"])?;
    for file in ["share/man/man1/eye.1", "share/completions/_eye", "LICENSE-MIT", "THIRD-PARTY.txt"] {
        there(&folder.join(file))?;
    }
    Ok(folder.join("bin"))
}

fn from_npm(packages: &Path, folder: &Path) -> Result<PathBuf, TaskError> {
    fs::write(folder.join("package.json"), "{ \"private\": true }\n").map_err(TaskError::io("making a project"))?;
    let platform = one(packages, "eye-hub-linux-", ".tgz")?;
    let launcher = one(packages, &format!("eye-hub-{}", env!("CARGO_PKG_VERSION")), ".tgz")?;
    let args =
        ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", &platform, &launcher];
    clean(folder, "npm", &args)?;
    if !is_installed(folder) {
        return Err(TaskError::Wrong("npm installed no program `eye`".into()));
    }
    Ok(folder.join("node_modules/.bin"))
}

fn from_wheel(packages: &Path, folder: &Path) -> Result<PathBuf, TaskError> {
    let wheel = one(packages, "eye_hub-", ".whl")?;
    clean(folder, "python3", &["-m", "venv", "venv"])?;
    let pip = folder.join("venv/bin/python").display().to_string();
    clean(folder, &pip, &["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", &wheel])?;
    Ok(folder.join("venv/bin"))
}

fn from_deb(packages: &Path, folder: &Path) -> Result<PathBuf, TaskError> {
    let deb = one(packages, "eye-hub_", ".deb")?;
    // A separate dpkg root with an empty database, so that this machine's stays as it is.
    for name in ["updates", "info"] {
        fs::create_dir_all(folder.join("var/lib/dpkg").join(name)).map_err(TaskError::io("making a database"))?;
    }
    fs::write(folder.join("var/lib/dpkg/status"), "").map_err(TaskError::io("making a database"))?;
    let root = format!("--root={}", folder.display());
    clean(folder, "dpkg", &[&root, "--force-not-root", "--log=/dev/null", "--install", &deb])?;
    clean(folder, "dpkg", &[&root, "--verify", "eye-hub"])?;
    there(&folder.join("usr/share/man/man1/eye.1.gz"))?;
    there(&folder.join("usr/share/doc/eye-hub/copyright"))?;
    Ok(folder.join("usr/bin"))
}

/// The page client as a library: it can be imported with nothing else installed.
fn client(packages: &Path, folder: &Path) -> Result<(), TaskError> {
    println!("package eye-client: waiting for its installation and an import");
    fs::write(folder.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")
        .map_err(TaskError::io("making a project"))?;
    let packed = one(packages, "eye-client-", ".tgz")?;
    clean(
        folder,
        "npm",
        &["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", &packed],
    )?;
    let script = "import { SocketNativeClient } from 'eye-client'; import eye from 'eye-client/vite'; \
                  if (typeof SocketNativeClient !== 'function' || eye().name !== 'eye') process.exit(1);";
    clean(folder, "node", &["--input-type=module", "-e", script])
}

fn empty(root: &Path, name: &str) -> Result<PathBuf, TaskError> {
    let folder = root.join(name);
    fs::create_dir_all(&folder).map_err(TaskError::io("making a folder to install into"))?;
    Ok(folder)
}

/// Runs a command with only the system's programs and an empty home.
fn clean(folder: &Path, program: &str, args: &[&str]) -> Result<(), TaskError> {
    let home = folder.join(".home");
    fs::create_dir_all(&home).map_err(TaskError::io("making a home"))?;
    let mut command: Command = command(program, args, folder);
    run(command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin").env("HOME", home))
}

fn one(packages: &Path, begin: &str, end: &str) -> Result<String, TaskError> {
    let files = fs::read_dir(packages).map_err(TaskError::io("reading the packages"))?;
    let names = files.filter_map(|file| file.ok().map(|file| file.file_name().to_string_lossy().into_owned()));
    let mut found: Vec<String> = names.filter(|name| name.starts_with(begin) && name.ends_with(end)).collect();
    match (found.pop(), found.is_empty()) {
        (Some(name), true) => Ok(packages.join(name).display().to_string()),
        _ => Err(TaskError::Wrong(format!("there is not one package {begin}*{end}"))),
    }
}

fn there(file: &Path) -> Result<(), TaskError> {
    if file.is_file() { Ok(()) } else { Err(TaskError::Wrong(format!("{} is missing", file.display()))) }
}
