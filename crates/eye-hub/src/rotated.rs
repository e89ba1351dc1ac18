//! A bounded file of lines: at its limit it is renamed to `NAME.1`, older ones move on, the oldest is removed. Only its
//! owner can read it. It contains only complete lines: what a crash or a full disk cut off is removed.

use eye_platform::files;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// How far back from the end an incomplete line is searched for.
const TAIL_BYTES_MAX: u64 = 1 << 20;

/// One file and its older pieces.
#[derive(Debug)]
pub struct Rotated {
    path: PathBuf,
    bytes_max: u64,
    files_max: usize,
    open: Option<(File, u64)>,
}

impl Rotated {
    /// `files_max` counts the file and its older pieces.
    pub fn new(path: PathBuf, bytes_max: u64, files_max: usize) -> Self {
        Self { path, bytes_max, files_max, open: None }
    }

    /// Appends complete lines. After an error none of them is in the file, and the file is opened again the next time.
    /// Returns whether a new file was begun.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<bool> {
        let (mut file, mut len) = match self.open.take() {
            Some(open) => open,
            None => open(&self.path)?,
        };
        let full = len > 0 && len + lines.len() as u64 > self.bytes_max;
        if full {
            self.rotate()?;
            (file, len) = open(&self.path)?;
        }
        let written = (&file).write_all(lines);
        if written.is_err() {
            // If it is a regular file, it then ends with a complete line again.
            let _ = file.set_len(len);
            return written.map(|()| full);
        }
        self.open = Some((file, len + lines.len() as u64));
        Ok(full)
    }

    /// The existing pieces, oldest first.
    pub fn pieces(path: &Path, files_max: usize) -> Vec<PathBuf> {
        (0..files_max).rev().map(|age| piece(path, age)).filter(|piece| piece.exists()).collect()
    }

    fn rotate(&self) -> io::Result<()> {
        for age in (1..self.files_max).rev() {
            match fs::rename(piece(&self.path, age - 1), piece(&self.path, age)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        if self.files_max <= 1 { fs::remove_file(&self.path) } else { Ok(()) }
    }
}

fn piece(path: &Path, age: usize) -> PathBuf {
    if age == 0 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{age}"));
    name.into()
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    if let Some(folder) = path.parent() {
        files::make_folder(folder)?;
    }
    let mut file = files::private(OpenOptions::new().read(true).append(true).create(true)).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Ok((file, 0));
    }
    if files::is_open(&about) {
        files::close_open(&file)?;
    }
    let len = about.len();
    let start = len.saturating_sub(TAIL_BYTES_MAX);
    let mut tail = Vec::new();
    if len > 0 {
        file.seek(SeekFrom::Start(len - 1))?;
        file.read_to_end(&mut tail)?;
    }
    if tail.last().is_none_or(|last| *last == b'\n') {
        return Ok((file, len));
    }
    tail.clear();
    file.seek(SeekFrom::Start(start))?;
    file.read_to_end(&mut tail)?;
    let complete = tail.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1);
    file.set_len(start + complete)?;
    Ok((file, start + complete))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    fn rotated(folder: &Path) -> Rotated {
        Rotated::new(folder.join("below/log"), 10, 3)
    }

    #[test]
    fn a_file_at_its_limit_is_renamed_and_the_oldest_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let mut log = rotated(home.path());
        for text in ["aaaa\n", "bbbb\n", "cccc\n", "dddd\n", "eeee\n", "ffff\n", "gggg\n"] {
            log.append(text.as_bytes()).unwrap();
        }
        let path = home.path().join("below/log");
        let texts: Vec<String> =
            Rotated::pieces(&path, 3).iter().map(|piece| fs::read_to_string(piece).unwrap()).collect();
        assert_eq!(texts, ["cccc\ndddd\n", "eeee\nffff\n", "gggg\n"]);
        assert!(!piece(&path, 3).exists());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(home.path().join("below")).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_line_that_was_cut_off_is_taken_back() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("below")).unwrap();
        for (before, after) in [("ab\ncd", "ab\nx\n"), ("ab", "x\n"), ("ab\n", "ab\nx\n"), ("", "x\n")] {
            fs::write(home.path().join("below/log"), before).unwrap();
            rotated(home.path()).append(b"x\n").unwrap();
            assert_eq!(fs::read_to_string(home.path().join("below/log")).unwrap(), after, "{before:?}");
        }
    }

    #[test]
    fn after_a_full_disk_it_goes_on_where_it_was() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("below/log");
        fs::create_dir(home.path().join("below")).unwrap();
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        let mut log = rotated(home.path());
        assert!(log.append(b"a\n").is_err());
        fs::remove_file(&path).unwrap();
        log.append(b"b\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "b\n");
    }
}
