//! The Debian package: binary, manual page, completions, copyright. The binary is static, so there are no dependencies.

use super::archive::{Entry, ar, gzip, tar_gz};
use super::content::Content;
use super::names::{DESCRIPTION, PACKAGE, Platform};
use crate::run::TaskError;
use std::fmt::Write;

/// Builds the package. `None` if Debian does not have the platform.
pub fn make(content: &Content, platform: Platform, binary: &[u8]) -> Result<Option<(String, Vec<u8>)>, TaskError> {
    let Some(architecture) = platform.debian else { return Ok(None) };
    let mut entries = vec![
        Entry::program("usr/bin/eye", binary),
        Entry::file("usr/share/man/man1/eye.1.gz", gzip(&content.manual, content.stamp.effort)?),
    ];
    for (shell, file, text) in &content.completions {
        let folder = match *shell {
            "bash" => "usr/share/bash-completion/completions",
            "zsh" => "usr/share/zsh/vendor-completions",
            _ => "usr/share/fish/vendor_completions.d",
        };
        entries.push(Entry::file(format!("{folder}/{file}"), text.clone()));
    }
    let doc = format!("usr/share/doc/{PACKAGE}");
    entries.extend(content.licences.iter().map(|licence| licence.clone().below(&doc)));
    entries.push(Entry::file(format!("{doc}/copyright"), COPYRIGHT));
    let installed_kib = entries.iter().map(|entry| entry.bytes.len().div_ceil(1024)).sum::<usize>();
    let control = format!(
        "Package: {PACKAGE}\nVersion: {}\nArchitecture: {architecture}\nMaintainer: {MAINTAINER}\n\
         Installed-Size: {installed_kib}\nSection: web\nPriority: optional\nDescription: {DESCRIPTION}\n \
         A page joins with one script tag; agents look, act and call tools from a shell or over MCP.\n",
        content.version,
    );
    let mut sums = String::new();
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    for entry in &entries {
        let _ = writeln!(sums, "{:x}  {}", md5::compute(&entry.bytes), entry.path);
    }
    let control = vec![Entry::file("control", control), Entry::file("md5sums", sums)];
    let control = tar_gz(control, "", false, content.stamp)?;
    let data = tar_gz(entries, "", true, content.stamp)?;
    let members: [(&str, &[u8]); 3] =
        [("debian-binary", b"2.0\n"), ("control.tar.gz", &control), ("data.tar.gz", &data)];
    Ok(Some((format!("{PACKAGE}_{}_{architecture}.deb", content.version), ar(&members, content.stamp.epoch_s))))
}

const MAINTAINER: &str = "the authors of eye <eye@example.invalid>";
const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: the authors of eye
License: MIT or Apache-2.0
 The whole texts are LICENSE-MIT and LICENSE-APACHE in this folder. Libraries in the binary are listed in THIRD-PARTY.txt.
";
