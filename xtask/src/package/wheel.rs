//! The wheel: the binary as a script of the package, so that `pip` and `uv tool` put it on the `PATH`. It contains no
//! Python.

use super::archive::{Entry, zip};
use super::content::Content;
use super::names::{DESCRIPTION, PACKAGE, Platform};
use crate::run::TaskError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::fmt::Write;

pub fn make(content: &Content, platform: Platform, binary: &[u8]) -> Result<(String, Vec<u8>), TaskError> {
    let name = PACKAGE.replace('-', "_");
    let stem = format!("{name}-{}", content.version);
    let info = format!("{stem}.dist-info");
    let metadata = format!(
        "Metadata-Version: 2.4\nName: {PACKAGE}\nVersion: {}\nSummary: {DESCRIPTION}\n\
         License-Expression: MIT OR Apache-2.0\nLicense-File: LICENSE-APACHE\nLicense-File: LICENSE-MIT\n\
         License-File: THIRD-PARTY.txt\nDescription-Content-Type: text/markdown\n\n{}",
        content.version,
        String::from_utf8_lossy(&content.readme),
    );
    let mut tags = String::from("Wheel-Version: 1.0\nGenerator: cargo xtask package\nRoot-Is-Purelib: false\n");
    for tag in platform.wheel.split('.') {
        let _ = writeln!(tags, "Tag: py3-none-{tag}");
    }
    let mut entries = vec![
        Entry::program(format!("{stem}.data/scripts/{}", platform.program()), binary),
        Entry::file(format!("{info}/METADATA"), metadata),
        Entry::file(format!("{info}/WHEEL"), tags),
    ];
    entries.extend(content.licences.iter().map(|licence| licence.clone().below(&format!("{info}/licenses"))));
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let mut record = String::new();
    for entry in &entries {
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(&entry.bytes));
        let _ = writeln!(record, "{},sha256={hash},{}", entry.path, entry.bytes.len());
    }
    let _ = writeln!(record, "{info}/RECORD,,");
    entries.push(Entry::file(format!("{info}/RECORD"), record));
    Ok((format!("{stem}-py3-none-{}.whl", platform.wheel), zip(entries, content.stamp.effort)?))
}
