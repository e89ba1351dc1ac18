//! Reads secrets from files.

use crate::exit::Exit;
use crate::failure::Failure;
use eye_remote::Secret;
use std::path::Path;

/// Reads a secret. Refuses a file that other users can read.
pub fn read_token(file: &Path) -> Result<Secret, Failure> {
    let doing = || Failure::io(format!("read {}", file.display()));
    if eye_platform::files::is_open(&std::fs::metadata(file).map_err(doing())?) {
        return Err(Failure::NotConnected {
            message: format!("{} can be read by others", file.display()),
            hint: Some(format!("chmod 600 {}", file.display())),
            exit: Exit::Denied,
        });
    }
    Ok(Secret::new(&std::fs::read_to_string(file).map_err(doing())?))
}
