//! The two files of a mailbox. Reads lines of other programs once, and never the hub's own lines.

use eye_protocol::limits::{MAILBOX_BYTES_MAX, MAILBOX_FILE_BYTES_MAX};
use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The agent reads this file.
pub const IN: &str = "in";
/// The agent writes this file.
pub const OUT: &str = "out";

/// Most own lines that are remembered until they are read again.
const OWN_LINES_MAX: usize = 4_096;

/// The two files, and the offset up to which each was read. Other programs may empty them.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    read: [(&'static str, u64); 2],
    /// Own lines that could not be skipped when they were written.
    own: VecDeque<(&'static str, String)>,
}

impl Files {
    /// Skips existing content: it was for an earlier hub.
    pub fn begin(folder: PathBuf) -> Self {
        let read = [OUT, IN].map(|file| (file, length(&folder.join(file))));
        Self { folder, read, own: VecDeque::new() }
    }

    /// Appends a line, after a line break if other programs left a line unfinished. A line that does not fit is lost:
    /// the mailbox is full until it is emptied.
    pub fn append(&mut self, file: &str, line: &str) {
        let path = self.folder.join(file);
        let before = length(&path);
        if before + line.len() as u64 > MAILBOX_FILE_BYTES_MAX {
            return;
        }
        let open = OpenOptions::new().create(true).append(true).open(&path);
        let lead = if before == 0 || ends_a_line(&path).unwrap_or(true) { "" } else { "\n" };
        let written = open.and_then(|mut open| open.write_all(format!("{lead}{line}\n").as_bytes()));
        if written.is_err() {
            return;
        }
        for (known, read) in self.read.iter_mut().filter(|(known, _)| *known == file) {
            if before < *read {
                // The file was emptied since the last read: all of it is new.
                *read = 0;
            }
            if *read == before {
                // Skip our own line.
                *read += (lead.len() + line.len()) as u64 + 1;
            } else {
                // Other programs emptied or extended the file, so our line will be read again and must be recognised.
                self.own.push_back((known, line.to_owned()));
                while self.own.len() > OWN_LINES_MAX {
                    self.own.pop_front();
                }
            }
        }
    }

    /// Complete lines that other programs added since the last call.
    pub fn new_lines(&mut self) -> Vec<(&'static str, String)> {
        let folder = &self.folder;
        let added = self.read.iter_mut().flat_map(|(file, read)| {
            let text = added_to(&folder.join(*file), read).unwrap_or_default();
            let lines: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
            lines.into_iter().map(|line| (*file, line))
        });
        let mut added: Vec<(&'static str, String)> = added.collect();
        let own = &mut self.own;
        added.retain(|line| match own.iter().position(|known| known == line) {
            Some(at) => own.remove(at).is_none(),
            None => true,
        });
        added
    }
}

fn added_to(path: &Path, read: &mut u64) -> io::Result<String> {
    let now = length(path);
    if now < *read {
        *read = 0;
    }
    // An unfinished line is read by a later call.
    if now == *read || !ends_a_line(path)? {
        return Ok(String::new());
    }
    let bytes = read_from(path, *read)?;
    // Counted in bytes of the file: invalid UTF-8 becomes longer as text, and its length would then be wrong.
    *read += bytes.len() as u64;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |about| about.len())
}

fn ends_a_line(path: &Path) -> io::Result<bool> {
    let mut file = fs::File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Reads at most [`MAILBOX_BYTES_MAX`] bytes of a file, cut after the last complete line.
fn read_from(path: &Path, from: u64) -> io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(MAILBOX_BYTES_MAX as u64).read_to_end(&mut bytes)?;
    if let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
        bytes.truncate(end + 1);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> (tempfile::TempDir, Files) {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(IN), "old\n").unwrap();
        let files = Files::begin(home.path().to_owned());
        (home, files)
    }

    #[test]
    fn others_lines_are_read_once_and_our_own_never() {
        let (home, mut files) = files();
        assert_eq!(files.new_lines(), []);
        files.append(IN, "ours");
        assert_eq!(files.new_lines(), []);
        let mut open = OpenOptions::new().append(true).open(home.path().join(IN)).unwrap();
        open.write_all(b"theirs\nunfinished").unwrap();
        assert_eq!(files.new_lines(), []);
        open.write_all(b"\n").unwrap();
        assert_eq!(files.new_lines(), [(IN, "theirs".to_owned()), (IN, "unfinished".to_owned())]);
        fs::write(home.path().join(IN), "").unwrap();
        assert_eq!(files.new_lines(), []);
        files.append(IN, "after");
        fs::write(home.path().join(OUT), "a\n\nb\n").unwrap();
        assert_eq!(files.new_lines(), [(OUT, "a".to_owned()), (OUT, "b".to_owned())]);
        assert_eq!(files.new_lines(), []);
    }

    #[test]
    fn our_own_lines_are_never_taken_for_others_although_the_file_was_just_emptied() {
        let (home, mut files) = files();
        files.append(IN, "first");
        // Emptied by others, who have added a line of theirs before we looked.
        fs::write(home.path().join(IN), "x\n").unwrap();
        files.append(IN, r#"{"_bridge":"run","_id":1}"#);
        assert_eq!(files.new_lines(), [(IN, "x".to_owned())]);
        assert_eq!(files.new_lines(), []);
    }

    #[test]
    fn our_line_never_goes_on_with_an_unfinished_one_of_others() {
        let (home, mut files) = files();
        for (before, theirs) in [("old\n{\"_bridge\":", vec![(IN, "{\"_bridge\":".to_owned())]), ("unread", vec![])] {
            fs::write(home.path().join(IN), before).unwrap();
            if theirs.is_empty() {
                files = Files::begin(home.path().to_owned());
            }
            files.append(IN, "\"run\"}");
            assert_eq!(files.new_lines(), theirs);
            assert_eq!(fs::read_to_string(home.path().join(IN)).unwrap(), format!("{before}\n\"run\"}}\n"));
        }
    }

    #[test]
    fn bytes_that_are_no_text_make_no_line_be_read_again() {
        let (home, mut files) = files();
        let mut open = OpenOptions::new().append(true).open(home.path().join(IN)).unwrap();
        open.write_all(b"once\n\xff\xff\xff\n").unwrap();
        assert_eq!(files.new_lines(), [(IN, "once".to_owned()), (IN, "\u{fffd}\u{fffd}\u{fffd}".to_owned())]);
        open.write_all(b"next\n").unwrap();
        assert_eq!(files.new_lines(), [(IN, "next".to_owned())]);
    }

    #[test]
    fn a_file_that_nobody_empties_does_not_grow_for_ever() {
        let (home, mut files) = files();
        let line = "x".repeat(1 << 20);
        for _ in 0..=MAILBOX_FILE_BYTES_MAX >> 20 {
            files.append(IN, &line);
        }
        assert!(fs::metadata(home.path().join(IN)).unwrap().len() <= MAILBOX_FILE_BYTES_MAX);
    }
}
