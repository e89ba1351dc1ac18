//! Writes files that may hold secrets: atomically, and readable by their owner only.

use eye_platform::files;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Replaces the file. Creates its folder if missing, with permissions for the owner only.
pub fn write(file: &Path, text: &str) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    files::make_folder(folder)?;
    let draft = file.with_extension(format!("{}.draft", std::process::id()));
    // A draft left behind by a crash may have other permissions.
    let _ = fs::remove_file(&draft);
    let mut out = files::private(OpenOptions::new().write(true).create_new(true)).open(&draft)?;
    out.write_all(text.as_bytes())?;
    out.sync_all()?;
    drop(out);
    fs::rename(&draft, file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_that_others_could_read_is_closed_when_it_is_written_again() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("deep/eye/x.yaml");
        write(&file, "one").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        write(&file, "two").unwrap();
        assert_eq!((mode(&file), fs::read_to_string(&file).unwrap().as_str()), (0o600, "two"));
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    }
}
