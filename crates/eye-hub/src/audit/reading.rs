//! Reads the log back: the latest rows since a time, across all of its files.

use super::entry::rfc3339;
use super::writing::FILE;
use crate::rotated::Rotated;
use eye_protocol::limits::{AUDIT_FILE_BYTES_MAX, AUDIT_FILES_MAX};
use serde_json::value::RawValue;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Most bytes of rows in one answer.
const ANSWER_BYTES_MAX: usize = 8 << 20;
/// The first bytes of every row.
const BEGINNING: &str = r#"{"time":""#;

/// Returns the latest rows since `since_ms`, oldest first, and whether older ones were left out. Skips incomplete
/// lines.
pub fn read(folder: &Path, since_ms: u64, limit: usize) -> (Vec<Box<RawValue>>, bool) {
    let since = rfc3339(since_ms);
    let (mut rows, mut bytes, mut cut) = (Vec::new(), 0, false);
    'files: for piece in Rotated::pieces(&folder.join(FILE), AUDIT_FILES_MAX).iter().rev() {
        let Some(text) = text_of(piece) else { continue };
        for line in text.lines().rev() {
            let Some(time) = line.strip_prefix(BEGINNING).and_then(|rest| rest.get(..since.len())) else { continue };
            if *time < *since {
                continue;
            }
            let Ok(row) = RawValue::from_string(line.to_owned()) else { continue };
            bytes += line.len();
            if rows.len() >= limit || bytes > ANSWER_BYTES_MAX {
                cut = true;
                break 'files;
            }
            rows.push(row);
        }
    }
    rows.reverse();
    (rows, cut)
}

/// Reads a regular file. Anything else, such as a device, may have no end and is not read.
fn text_of(piece: &Path) -> Option<String> {
    let file = File::open(piece).ok().filter(|file| file.metadata().is_ok_and(|about| about.is_file()))?;
    let mut bytes = Vec::new();
    file.take(2 * AUDIT_FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_latest_rows_of_all_files_are_read_and_broken_lines_are_not() {
        let home = tempfile::tempdir().unwrap();
        let row = |at_ms: u64| format!("{{\"time\":\"{}\",\"ms\":{at_ms}}}\n", rfc3339(at_ms));
        fs::write(home.path().join("audit.jsonl.1"), format!("{}junk\n{}", row(1), row(2))).unwrap();
        fs::write(home.path().join(FILE), format!("{}{{\"time\":\"19", row(3))).unwrap();
        let all = |since, limit| {
            let (rows, cut) = read(home.path(), since, limit);
            (rows.iter().map(|row| row.get().to_owned() + "\n").collect::<String>(), cut)
        };
        assert_eq!(all(0, 9), (row(1) + &row(2) + &row(3), false));
        assert_eq!(all(2, 9), (row(2) + &row(3), false));
        assert_eq!(all(0, 3), (row(1) + &row(2) + &row(3), false));
        assert_eq!(all(0, 2), (row(2) + &row(3), true));
        std::os::unix::fs::symlink("/dev/zero", home.path().join("audit.jsonl.2")).unwrap();
        assert_eq!(all(0, 9), (row(1) + &row(2) + &row(3), false));
    }
}
