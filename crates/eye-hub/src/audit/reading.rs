//! Reading the log back: the latest rows since a time, from all of its files.

use super::entry::rfc3339;
use super::writing::{AUDIT_FILES_MAX, FILE};
use crate::rotated::Rotated;
use serde_json::value::RawValue;
use std::fs;
use std::path::Path;

/// Bytes of rows in one answer, at most.
const ANSWER_BYTES_MAX: usize = 8 << 20;
/// How every row begins.
const BEGINNING: &str = r#"{"time":""#;

/// The latest rows of calls that were asked since then, oldest first, and whether older ones were left out.
/// A line that is not whole is passed over.
pub fn read(folder: &Path, since_ms: u64, limit: usize) -> (Vec<Box<RawValue>>, bool) {
    let since = rfc3339(since_ms);
    let (mut rows, mut bytes, mut cut) = (Vec::new(), 0, false);
    'files: for piece in Rotated::pieces(&folder.join(FILE), AUDIT_FILES_MAX).iter().rev() {
        let Ok(text) = fs::read(piece) else { continue };
        let text = String::from_utf8_lossy(&text);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_rows_of_all_files_are_read_and_broken_lines_are_not() {
        let home = tempfile::tempdir().unwrap();
        let row = |at_ms: u64| format!("{{\"time\":\"{}\",\"ms\":{at_ms}}}\n", rfc3339(at_ms));
        fs::write(home.path().join("audit.jsonl.1"), format!("{}junk\n{}", row(1), row(2))).unwrap();
        fs::write(home.path().join(FILE), format!("{}{{\"time\":\"19", row(3))).unwrap();
        let all = |since, limit| {
            let (rows, cut) = read(home.path(), since, limit);
            (rows.iter().map(|row| format!("{}\n", row.get())).collect::<String>(), cut)
        };
        assert_eq!(all(0, 9), (row(1) + &row(2) + &row(3), false));
        assert_eq!(all(2, 9), (row(2) + &row(3), false));
        assert_eq!(all(0, 3), (row(1) + &row(2) + &row(3), false));
        assert_eq!(all(0, 2), (row(2) + &row(3), true));
    }
}
