//! Files that only their owner can read: 0600 in folders of 0700, replaced atomically.

use eye_platform::files;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Replaces a file. Creates its folder if missing.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        files::make_folder(folder)?;
    }
    let fresh = path.with_extension("new");
    let _ = fs::remove_file(&fresh);
    let mut file = files::private(OpenOptions::new().write(true).create_new(true)).open(&fresh)?;
    file.write_all(bytes)?;
    drop(file);
    fs::rename(fresh, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn only_the_owner_reads_what_is_written() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("state/eye/sessions.json");
        for text in ["first", "second"] {
            write(&file, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        }
        for folder in ["state", "state/eye"] {
            assert_eq!(fs::metadata(home.path().join(folder)).unwrap().mode() & 0o777, 0o700);
        }
    }
}
