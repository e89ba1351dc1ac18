//! `eye logs --hub`: prints the hub's own log from its files, so that it can be read when no hub runs.

use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::stream::Bound;
use crate::ui::Lines;
use crate::{places, ui};
use eye_hub::rotated::Rotated;
use eye_protocol::limits::LOG_FILES_MAX;
use eye_protocol::visible;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

/// Lines shown without `--all`.
const LINES_SHOWN: usize = 100;
/// How often the file is checked for new lines.
const LOOK: Duration = Duration::from_millis(100);

/// Prints the log; with `follow`, also new lines.
pub fn run(all: bool, follow: Option<Bound>) -> Result<Exit, Failure> {
    if Var::Server.get().is_some() {
        let hint = "run eye logs --hub there, or unset EYE_SERVER";
        return Err(Failure::usage("the log of a hub elsewhere is on its machine", hint));
    }
    let path = places::log_file()?;
    // Opened first, so that following continues where the printed text ends.
    let mut tail = Tail::open(&path)?;
    let mut text = String::new();
    for piece in Rotated::pieces(&path, LOG_FILES_MAX) {
        if piece != path {
            text.push_str(&String::from_utf8_lossy(&fs::read(&piece).unwrap_or_default()));
        }
    }
    text.push_str(&tail.read());
    let past: Vec<&str> = text.lines().collect();
    let shown = if all { &past[..] } else { &past[past.len().saturating_sub(LINES_SHOWN)..] };
    let mut lines = Lines::new();
    for line in shown {
        lines.line(visible::line(line))?;
    }
    lines.flush()?;
    let Some(bound) = follow else { return Ok(Exit::Success) };
    let ends = bound.lasts().map(|lasts| Instant::now() + lasts);
    let mut left = bound.count.unwrap_or(usize::MAX);
    let mut rest = String::new();
    while left > 0 && ends.is_none_or(|ends| Instant::now() < ends) {
        rest.push_str(&tail.read());
        while left > 0
            && let Some(end) = rest.find('\n')
        {
            let line: String = rest.drain(..=end).collect();
            ui::line(visible::line(line.trim_end()))?;
            left -= 1;
        }
        std::thread::sleep(LOOK);
    }
    Ok(Exit::Success)
}

/// The end of a file that is rotated.
struct Tail<'a> {
    path: &'a Path,
    file: Option<File>,
}

impl<'a> Tail<'a> {
    fn open(path: &'a Path) -> Result<Self, Failure> {
        match File::open(path) {
            Ok(file) => Ok(Self { path, file: Some(file) }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self { path, file: None }),
            Err(error) => Err(Failure::io(format!("read {}", path.display()))(error)),
        }
    }

    /// Reads what was written since the last call, also to a file that replaced the previous one.
    fn read(&mut self) -> String {
        let mut bytes = Vec::new();
        let number = |about: std::io::Result<fs::Metadata>| about.ok().map(|about| eye_platform::files::number(&about));
        let before = self.file.as_ref().and_then(|file| number(file.metadata()));
        let now = number(fs::metadata(self.path));
        if let Some(file) = &mut self.file {
            let _ = file.read_to_end(&mut bytes);
        }
        if now != before && now.is_some() {
            self.file = File::open(self.path).ok();
            if let Some(file) = &mut self.file {
                let _ = file.read_to_end(&mut bytes);
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_renamed_is_read_to_its_end_and_then_the_next() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("hub.log");
        let mut tail = Tail::open(&path).unwrap();
        assert_eq!(tail.read(), "");
        let mut log = Rotated::new(path.clone(), 10, 3);
        for (text, want) in [("one\n", "one\n"), ("two\n", "two\n"), ("three\n", "three\n"), ("", "")] {
            log.append(text.as_bytes()).unwrap();
            assert_eq!(tail.read(), want);
        }
    }
}
