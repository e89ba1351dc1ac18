//! `eye storage`: saves a page's login in a file that only its owner can read, and loads it.

use super::params::with_options;
use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::results;
use crate::ui;
use eye_platform::files;
use serde_json::{Map, Value, json};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

pub fn run(mut words: Map<String, Value>, options: &Options) -> Result<Exit, Failure> {
    let file = words.remove("file").and_then(|file| file.as_str().map(str::to_owned)).unwrap_or_default();
    let path = Path::new(&file);
    if words.get("action") == Some(&json!("save")) {
        let saved = client::verb("storage", &with_options(Value::Object(words), options), options)?;
        let text = match results::ending(&saved) {
            Ok(value) => value.as_text().to_owned(),
            Err(error) => return Err(Failure::Garbled(error.message)),
        };
        write_own(path, &text).map_err(Failure::io(format!("write {file}")))?;
        if !options.errors {
            ui::line(format_args!("{file} {} bytes, which only you can read", text.len()))?;
        }
        return Ok(Exit::Success);
    }
    let text = fs::read_to_string(path).map_err(Failure::io(format!("read {file}")))?;
    let state: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("{file} holds no login: {error}"), "eye storage save writes one"))?;
    words.insert("state".into(), state);
    let result = client::verb("storage", &with_options(Value::Object(words), options), options)?;
    results::show(&result, options)
}

/// Writes a file that only this user can read, even if it was readable by others before.
fn write_own(path: &Path, text: &str) -> io::Result<()> {
    let mut file = files::private(OpenOptions::new().write(true).create(true).truncate(true)).open(path)?;
    files::close_open(&file)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_that_was_open_to_others_is_closed_to_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("login.json");
        fs::write(&path, "older and longer").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        write_own(&path, "{}").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
