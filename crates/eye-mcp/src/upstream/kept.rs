//! Tool lists on disk, so that discovery works before an upstream has started in this hub.

use crate::config::{Spec, Transport};
use crate::limits::KEPT_LIST_BYTES_MAX;
use eye_platform::files;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What is stored of an upstream.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Kept {
    pub tools: Vec<Box<RawValue>>,
    /// The MCP revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// The server's own instructions for using it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
}

/// The file of an upstream. Projects share it: the same command nearly always has the same tools, and a start corrects
/// it.
pub fn file(folder: &Path, spec: &Spec) -> PathBuf {
    let words: Vec<&str> = match &spec.transport {
        Transport::Child { program, args, .. } => std::iter::once(program).chain(args).map(String::as_str).collect(),
        Transport::Http { url, .. } => vec![url],
    };
    let bytes = std::iter::once(&*spec.name).chain(words).flat_map(|word| word.bytes().chain([0]));
    // FNV-1a: the name must be the same in every build of eye.
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let clean = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = spec.name.chars().map(clean).take(40).collect();
    folder.join(format!("{name}-{hash:016x}.json"))
}

/// The stored list, if the file exists and is valid.
pub fn read(file: &Path) -> Option<Kept> {
    let length = fs::metadata(file).ok()?.len();
    if length > KEPT_LIST_BYTES_MAX as u64 {
        return None;
    }
    serde_json::from_str(&fs::read_to_string(file).ok()?).ok()
}

/// Writes the file atomically. Callers drop the error: a list that cannot be stored is requested again.
pub fn write(file: &Path, kept: &Kept) -> std::io::Result<()> {
    let text = serde_json::to_vec(kept)?;
    if text.len() > KEPT_LIST_BYTES_MAX {
        // The older stored list is no longer true.
        return fs::remove_file(file);
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let draft = file.with_extension(format!("{}.draft", std::process::id()));
    let mut out = files::private(fs::OpenOptions::new().write(true).create(true).truncate(true)).open(&draft)?;
    out.write_all(&text)?;
    drop(out);
    fs::rename(&draft, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_back_raw_and_nonsense_is_nothing() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("deep/x.json");
        assert!(read(&file).is_none());
        let tool = RawValue::from_string(r#"{"name":"x","z":1.0,"a":2}"#.into()).unwrap();
        write(&file, &Kept { tools: vec![tool], protocol: Some("2025-11-25".into()), instructions: None }).unwrap();
        assert_eq!(read(&file).unwrap().tools[0].get(), r#"{"name":"x","z":1.0,"a":2}"#);
        assert_eq!(fs::read_dir(home.path().join("deep")).unwrap().count(), 1);
        fs::write(&file, "nonsense").unwrap();
        assert!(read(&file).is_none());
        let large = |bytes: usize| RawValue::from_string(format!("\"{}\"", "x".repeat(bytes))).unwrap();
        let kept = |bytes| Kept { tools: vec![large(bytes)], ..Kept::default() };
        write(&file, &kept(KEPT_LIST_BYTES_MAX - 100)).unwrap();
        assert!(read(&file).is_some());
        write(&file, &kept(KEPT_LIST_BYTES_MAX)).unwrap();
        assert!(read(&file).is_none());
    }
}
