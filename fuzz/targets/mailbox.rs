//! The files of a mailbox: whatever other programs write into them, and whenever they empty them, the hub never takes
//! its own line for one of theirs (it would run it), and delivers each of their lines once and whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

#[path = "../../crates/eye-hub/src/guests/mailbox/files.rs"]
mod files;

use files::{Files, IN, OUT};

/// A character in every line of the hub, and in none of the others.
const OURS: &str = "\u{2615}";

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("eye-fuzz-mailbox-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
});

fuzz_target!(|bytes: &[u8]| {
    if bytes.windows(OURS.len()).any(|part| part == OURS.as_bytes()) {
        return;
    }
    for file in [IN, OUT] {
        fs::write(FOLDER.join(file), "").expect("a file");
    }
    let mut files = Files::begin(FOLDER.clone());
    // The lines that others have added since they last emptied the file, and those that the hub delivered.
    let mut written: [Vec<u8>; 2] = Default::default();
    let mut given: [Vec<String>; 2] = Default::default();
    let mut emptied = false;
    for step in bytes.split(|byte| *byte == 0) {
        let Some((what, rest)) = step.split_first() else { continue };
        let at = usize::from(what & 1);
        let name = [IN, OUT][at];
        match (what >> 1) & 3 {
            0 => {
                let mut file = OpenOptions::new().append(true).open(FOLDER.join(name)).expect("a file");
                file.write_all(rest).expect("a disk");
                written[at].extend_from_slice(rest);
            }
            1 => {
                fs::write(FOLDER.join(name), "").expect("a file");
                emptied = true;
            }
            2 => {
                files.append(name, &format!("{OURS}{}", String::from_utf8_lossy(rest).replace(['\n', '\r'], " ")));
                // The hub's line ends a line that others have not finished.
                if written[at].last().is_some_and(|last| *last != b'\n') {
                    written[at].push(b'\n');
                }
            }
            _ => {
                for (file, line) in files.new_lines() {
                    assert!(!line.contains(OURS), "it reads its own line: {line}");
                    given[usize::from(file == OUT)].push(line);
                }
            }
        }
    }
    if emptied {
        return;
    }
    for (file, line) in files.new_lines() {
        given[usize::from(file == OUT)].push(line);
    }
    for (written, given) in written.iter().zip(&given) {
        let text = String::from_utf8_lossy(written);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        assert!(!written.ends_with(b"\n") || given.len() == lines.len(), "{lines:?} {given:?}");
        assert!(given.len() <= lines.len() && given.iter().zip(&lines).all(|(given, line)| given == line), "{lines:?} {given:?}");
    }
});
