//! The npm packages: one per platform that contains the binary, and the launcher that finds it. No install script and
//! no download: npm chooses the platform's package by `os` and `cpu`.

use super::archive::{Entry, tar_gz};
use super::content::{Content, read};
use super::names::{DESCRIPTION, PACKAGE, PLATFORMS, Platform};
use crate::place;
use crate::run::{TaskError, command};
use serde_json::json;
use std::path::Path;

const LAUNCHER: &str = include_str!("launcher.cjs");

/// The package with the binary for one platform.
pub fn platform(content: &Content, platform: Platform, binary: &[u8]) -> Result<(String, Vec<u8>), TaskError> {
    let name = platform.npm();
    let manifest = json!({
        "name": name,
        "version": content.version,
        "description": format!("eye for {} on {}; installed by the package {PACKAGE}.", platform.node.0, platform.node.1),
        "license": "MIT OR Apache-2.0",
        "os": [platform.node.0],
        "cpu": [platform.node.1],
        "files": ["bin"],
    });
    let mut entries = vec![
        Entry::file("package.json", format!("{manifest:#}\n")),
        Entry::program(format!("bin/{}", platform.program()), binary),
    ];
    entries.extend(content.licences.iter().cloned());
    packed(content, &name, entries)
}

/// The launcher package.
pub fn launcher(content: &Content) -> Result<(String, Vec<u8>), TaskError> {
    let platforms = PLATFORMS.iter().map(|platform| (platform.npm(), json!(content.version)));
    let manifest = json!({
        "name": PACKAGE,
        "version": content.version,
        "description": DESCRIPTION,
        "license": "MIT OR Apache-2.0",
        "bin": { "eye": "bin/eye.cjs" },
        "engines": { "node": ">=20" },
        "optionalDependencies": platforms.collect::<serde_json::Map<_, _>>(),
    });
    let mut entries = vec![
        Entry::file("package.json", format!("{manifest:#}\n")),
        Entry::program("bin/eye.cjs", LAUNCHER),
        Entry::file("README.md", content.readme.clone()),
    ];
    entries.extend(content.licences.iter().cloned());
    packed(content, PACKAGE, entries)
}

/// The page client and the agents' clients, with the files that npm would pack, in a reproducible archive.
pub fn client(content: &Content) -> Result<(String, Vec<u8>), TaskError> {
    let folder = place::root().join("web/client");
    let mut npm = command("npm", &["pack", "--dry-run", "--json", "--ignore-scripts", "--silent"], &folder);
    let output = npm.output().map_err(TaskError::io("running npm pack"))?;
    let wrong = || TaskError::Wrong(format!("npm pack: {}", String::from_utf8_lossy(&output.stderr)));
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).map_err(|_| wrong())?;
    // npm 11 prints an object by package name, older versions a list.
    let package = listed.as_array().and_then(|list| list.first()).or_else(|| listed.as_object()?.values().next());
    let files = package.and_then(|package| package["files"].as_array()).ok_or_else(wrong)?;
    let mut entries = Vec::new();
    for file in files {
        let path = file["path"].as_str().ok_or_else(wrong)?;
        entries.push(Entry::file(path, read(&folder.join(path))?));
    }
    if !entries.iter().any(|entry| entry.path == "dist/index.js") {
        return Err(TaskError::Wrong("web/client is not built; run `npm run build` in web".into()));
    }
    let ours = content.licences.iter().filter(|licence| licence.path.starts_with("LICENSE"));
    entries.extend(ours.cloned());
    packed(content, "eye-client", entries)
}

fn packed(content: &Content, name: &str, entries: Vec<Entry>) -> Result<(String, Vec<u8>), TaskError> {
    let file = format!("{name}-{}.tgz", content.version);
    Ok((file, tar_gz(entries, "package/", false, content.stamp)?))
}

/// Whether npm has installed the launcher where the tests expect it.
pub fn is_installed(folder: &Path) -> bool {
    folder.join("node_modules/.bin/eye").exists()
}
