//! Writes secrets and certificates: each file is replaced whole, in a folder that only this user can enter.

use super::folder::CertificateError;
use eye_platform::files;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// Replaces a file atomically. Others may read it if it is `readable`.
pub fn write(path: &Path, text: &str, readable: bool) -> Result<(), CertificateError> {
    let wrong = |source| CertificateError::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        files::make_folder(folder).map_err(wrong)?;
    }
    let fresh = path.with_extension(format!("new-{}", std::process::id()));
    // A leftover of a killed process may have another mode.
    let _ = fs::remove_file(&fresh);
    files::own(OpenOptions::new().write(true).create_new(true), readable)
        .open(&fresh)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&fresh, path))
        .map_err(wrong)
}

pub fn read_secret(path: &Path) -> Result<String, CertificateError> {
    fs::read_to_string(path).map_err(|source| CertificateError::Io { path: path.to_owned(), source })
}
