//! The files that every package contains beside the binary: completions, the manual page, licences.

use super::archive::{Effort, Entry, Stamp};
use super::sbom::Component;
use crate::place;
use crate::run::TaskError;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The files of one release, independent of the package format.
pub struct Content {
    /// The workspace's version.
    pub version: String,
    /// The time of all archive entries, and the compression.
    pub stamp: Stamp,
    /// `eye.1`, not compressed.
    pub manual: Vec<u8>,
    /// Shell, file name and text of each completion.
    pub completions: Vec<(&'static str, &'static str, Vec<u8>)>,
    /// Our licences, and the list of the libraries in the binary.
    pub licences: Vec<Entry>,
    pub readme: Vec<u8>,
    pub components: Vec<Component>,
}

const SHELLS: [(&str, &str); 3] = [("bash", "eye"), ("zsh", "_eye"), ("fish", "eye.fish")];

impl Content {
    /// Runs `eye` for what it prints, and reads the rest from the repository.
    pub fn collect(eye: &Path, components: Vec<Component>, effort: Effort) -> Result<Self, TaskError> {
        let completion = |(shell, file)| Ok((shell, file, printed(eye, &["completions", shell])?));
        let mut licences = Vec::new();
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            licences.push(Entry::file(name, read(&place::root().join(name))?));
        }
        licences.push(Entry::file("THIRD-PARTY.txt", third_party(&components)));
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").into(),
            stamp: Stamp { epoch_s: super::archive::epoch_s()?, effort },
            manual: printed(eye, &["man"])?,
            completions: SHELLS.into_iter().map(completion).collect::<Result<_, TaskError>>()?,
            licences,
            readme: read(&place::root().join("README.md"))?,
            components,
        })
    }
}

pub fn read(path: &Path) -> Result<Vec<u8>, TaskError> {
    fs::read(path).map_err(TaskError::io(format!("reading {}", path.display())))
}

fn printed(eye: &Path, args: &[&str]) -> Result<Vec<u8>, TaskError> {
    let output = Command::new(eye).args(args).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(TaskError::io(format!("running {}", eye.display())))?;
    if output.status.success() { Ok(output.stdout) } else { Err(TaskError::Failed(format!("eye {}", args.join(" ")))) }
}

fn third_party(components: &[Component]) -> String {
    let mut text = String::from("eye contains these libraries, each under the licence that it names.\n\n");
    for Component { name, version, licence, .. } in components {
        let _ = writeln!(text, "{name} {version}: {licence}");
    }
    text
}
