//! `cargo xtask package`: writes all packages of a release to `target/package`. Publishes nothing.

mod archive;
mod content;
mod deb;
mod extension;
mod formula;
mod names;
mod npm;
mod sbom;
mod trial;
mod wheel;

use crate::run::TaskError;
use crate::{dist, place, web};
use archive::{Effort, Entry, tar_gz};
use content::{Content, read};
use names::Platform;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

pub struct Options {
    /// A binary for this machine; without one the release is built.
    pub binary: Option<PathBuf>,
    /// Existing binaries for other targets: triple and file.
    pub others: Vec<(String, PathBuf)>,
    effort: Effort,
}

impl Default for Options {
    fn default() -> Self {
        Self { binary: None, others: Vec::new(), effort: Effort::Best }
    }
}

/// Parses the command line and builds the packages.
pub fn run(words: &[&str]) -> Result<(), TaskError> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (*word, words.next()) {
            ("--binary", Some(file)) => options.binary = Some(file.into()),
            ("--add", Some(pair)) => {
                let wrong = || TaskError::Wrong(format!("--add takes TRIPLE=FILE, not {pair}"));
                let (triple, file) = pair.split_once('=').ok_or_else(wrong)?;
                options.others.push((triple.into(), file.into()));
            }
            _ => return Err(TaskError::Wrong(format!("package does not know {word}, or it lacks its value"))),
        }
    }
    println!("{}", make(&options)?.display());
    Ok(())
}

/// Builds the packages and returns their folder.
pub fn make(options: &Options) -> Result<PathBuf, TaskError> {
    web::build()?;
    let host = match &options.binary {
        Some(binary) => binary.clone(),
        None => dist::build()?,
    };
    let out = place::target().join("package");
    write(&host, options, &out)?;
    Ok(out)
}

/// Builds the packages twice, compares them, and installs and tries each. Accepts a debug binary, to test the
/// packaging.
pub fn check(binary: Option<&Path>) -> Result<(), TaskError> {
    let effort = if binary.is_some() { Effort::Quick } else { Effort::Best };
    let options = Options { binary: binary.map(Path::to_owned), effort, ..Options::default() };
    let out = make(&options)?;
    let again = place::target().join("package-again");
    let host = options.binary.clone().map_or_else(dist::build, Ok)?;
    write(&host, &options, &again)?;
    let (one, other) = (read(&out.join(SUMS))?, read(&again.join(SUMS))?);
    if one != other {
        return Err(TaskError::Wrong(format!("two packagings differ: compare {SUMS} in {}", again.display())));
    }
    trial::all(&out)
}

const SUMS: &str = "SHA256SUMS";

fn write(host: &Path, options: &Options, out: &Path) -> Result<(), TaskError> {
    let Some(platform) = dist::host().and_then(Platform::by_triple) else {
        return Err(TaskError::Wrong("packages are made on Linux; other systems use the tarball's script".into()));
    };
    let content = Content::collect(host, sbom::components(platform.triple)?, options.effort)?;
    let mut binaries = vec![(platform, read(host)?)];
    for (triple, file) in &options.others {
        let unknown = || TaskError::Wrong(format!("no package is planned for {triple}"));
        binaries.push((Platform::by_triple(triple).ok_or_else(unknown)?, read(file)?));
    }
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut tarballs = Vec::new();
    for (platform, binary) in &binaries {
        let (name, bytes) = tarball(&content, *platform, binary)?;
        tarballs.push((*platform, name.clone(), sum(&bytes)));
        files.push((name, bytes));
        files.push(npm::platform(&content, *platform, binary)?);
        files.push(wheel::make(&content, *platform, binary)?);
        files.extend(deb::make(&content, *platform, binary)?);
    }
    files.push(npm::launcher(&content)?);
    files.push(npm::client(&content)?);
    files.push(extension::make(&content.version, content.stamp.effort)?);
    let formula = formula::make(&content.version, &tarballs);
    files.push((format!("{}.rb", names::PACKAGE), formula.into_bytes()));
    let bill = sbom::cyclonedx(&content.components, &content.version, content.stamp.epoch_s);
    files.push((format!("eye-{}.cdx.json", content.version), bill.into_bytes()));
    files.sort();
    let mut sums = String::new();
    for (name, bytes) in &files {
        let _ = writeln!(sums, "{}  {name}", sum(bytes));
    }
    files.push((SUMS.into(), sums.into_bytes()));
    // Old packages of another version or commit could be taken for new ones.
    let _ = fs::remove_dir_all(out);
    fs::create_dir_all(out).map_err(TaskError::io("making the folder of packages"))?;
    for (name, bytes) in files {
        println!("{:>9.1} KiB  {name}", kib(bytes.len()));
        fs::write(out.join(&name), bytes).map_err(TaskError::io(format!("writing {name}")))?;
    }
    Ok(())
}

fn tarball(content: &Content, platform: Platform, binary: &[u8]) -> Result<(String, Vec<u8>), TaskError> {
    let stem = format!("eye-{}-{}", content.version, platform.triple);
    let mut entries = vec![
        Entry::program(format!("bin/{}", platform.program()), binary),
        Entry::file("share/man/man1/eye.1", content.manual.clone()),
        Entry::file("README.md", content.readme.clone()),
    ];
    let completions = content.completions.iter();
    entries.extend(completions.map(|(_, file, text)| Entry::file(format!("share/completions/{file}"), text.clone())));
    entries.extend(content.licences.iter().cloned());
    Ok((format!("{stem}.tar.gz"), tar_gz(entries, &format!("{stem}/"), false, content.stamp)?))
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[allow(clippy::cast_precision_loss, reason = "a size that people read")]
fn kib(bytes: usize) -> f64 {
    bytes as f64 / 1024.0
}
