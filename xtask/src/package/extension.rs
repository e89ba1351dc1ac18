//! The browser extension as a zip, as an alternative to `eye extension`: the same files, in a folder to load unpacked.

use super::archive::{Effort, Entry, zip};
use super::content::read;
use crate::place;
use crate::run::TaskError;
use std::fs;

/// The folder of its built files.
const FOLDER: &str = "crates/eye-browser/assets/extension";

/// The archive's name and bytes.
pub fn make(version: &str, effort: Effort) -> Result<(String, Vec<u8>), TaskError> {
    let io = || TaskError::io("reading the extension");
    let mut names = Vec::new();
    for file in fs::read_dir(place::root().join(FOLDER)).map_err(io())? {
        names.push(file.map_err(io())?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let entry =
        |name: &String| Ok(Entry::file(name, read(&place::root().join(FOLDER).join(name))?).below("eye-extension"));
    let entries: Vec<Entry> = names.iter().map(entry).collect::<Result<_, TaskError>>()?;
    Ok((format!("eye-extension-{version}.zip"), zip(entries, effort)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_whole_extension_and_the_same_bytes_each_time() {
        let (name, bytes) = make("1.2.3", Effort::Quick).unwrap();
        assert_eq!(
            (name.as_str(), make("1.2.3", Effort::Quick).unwrap().1 == bytes),
            ("eye-extension-1.2.3.zip", true)
        );
        let archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        let mut names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
        names.sort_unstable();
        let files = ["icon128.png", "icon16.png", "icon48.png", "manifest.json", "popup.css", "popup.html", "popup.js"];
        let expected: Vec<String> =
            files.iter().chain(&["worker.js"]).map(|file| format!("eye-extension/{file}")).collect();
        assert_eq!(names, expected);
    }
}
