//! Secrets that lie in files.

use crate::exit::Exit;
use crate::failure::Failure;
use eye_remote::Secret;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A secret of a file that no other user can read.
pub fn read_token(file: &Path) -> Result<Secret, Failure> {
    let doing = || Failure::io(format!("read {}", file.display()));
    if std::fs::metadata(file).map_err(doing())?.mode() & 0o077 != 0 {
        return Err(Failure::NotConnected {
            message: format!("{} can be read by others", file.display()),
            hint: Some(format!("chmod 600 {}", file.display())),
            exit: Exit::Denied,
        });
    }
    Ok(Secret::new(&std::fs::read_to_string(file).map_err(doing())?))
}
