//! The browser extension (`web/extension`), embedded in this binary. Writes it into a folder.

use crate::drive::client_file;
use std::fs;
use std::io;
use std::path::Path;

/// The files of the extension, without the manifest.
const FILES: [(&str, &[u8]); 7] = [
    ("worker.js", include_bytes!("../assets/extension/worker.js")),
    ("popup.js", include_bytes!("../assets/extension/popup.js")),
    ("popup.html", include_bytes!("../assets/extension/popup.html")),
    ("popup.css", include_bytes!("../assets/extension/popup.css")),
    ("icon16.png", include_bytes!("../assets/extension/icon16.png")),
    ("icon48.png", include_bytes!("../assets/extension/icon48.png")),
    ("icon128.png", include_bytes!("../assets/extension/icon128.png")),
];

/// The script that runs in pages beside the client when the extension has no debugger.
const RELAY: (&str, &[u8]) = ("relay.js", include_bytes!("../assets/extension-scripted/relay.js"));
const CLIENT_NAME: &str = "page.js";

/// The two variants of the extension. Browsers and hubs take them for the same one, because they share an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Has the debugger permission, so it sends real input.
    Debugger,
    /// Has no debugger permission. The browser limits it to scripts in tabs and sites that the person allows.
    Scripted,
}

impl Kind {
    fn manifest(self) -> &'static str {
        match self {
            Self::Debugger => include_str!("../assets/extension/manifest.json"),
            Self::Scripted => include_str!("../assets/extension-scripted/manifest.json"),
        }
    }
}

/// Writes the unpacked extension. Overwrites another version in the folder.
pub fn write(folder: &Path, kind: Kind) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, bytes) in FILES {
        fs::write(folder.join(name), bytes)?;
    }
    match kind {
        Kind::Debugger => {
            for name in [RELAY.0, CLIENT_NAME] {
                match fs::remove_file(folder.join(name)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        Kind::Scripted => {
            fs::write(folder.join(RELAY.0), RELAY.1)?;
            fs::write(folder.join(CLIENT_NAME), client_file())?;
        }
    }
    // The manifest is written last: a browser that reads the folder meanwhile finds no extension, not half of one.
    fs::write(folder.join("manifest.json"), kind.manifest())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_whole_over_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("worker.js"), "old").unwrap();
        for kind in [Kind::Debugger, Kind::Scripted, Kind::Debugger] {
            write(folder.path(), kind).unwrap();
            for (name, bytes) in FILES {
                assert_eq!(fs::read(folder.path().join(name)).unwrap(), bytes, "{name}");
            }
            assert_eq!(fs::read_to_string(folder.path().join("manifest.json")).unwrap(), kind.manifest());
            for name in [RELAY.0, CLIENT_NAME] {
                assert_eq!(folder.path().join(name).exists(), kind == Kind::Scripted, "{name}");
            }
        }
    }

    #[test]
    fn without_the_debugger_it_is_the_same_extension_and_asks_for_no_site_at_its_start() {
        let read = |kind: Kind| serde_json::from_str::<serde_json::Value>(kind.manifest()).unwrap();
        let (with, mut without) = (read(Kind::Debugger), read(Kind::Scripted));
        let permissions = |manifest: &serde_json::Value| manifest["permissions"].to_string();
        assert!(permissions(&with).contains("debugger") && !permissions(&without).contains("debugger"));
        assert_eq!(without["host_permissions"], serde_json::Value::Null);
        without.as_object_mut().unwrap().remove("optional_host_permissions");
        without["permissions"] = with["permissions"].clone();
        assert_eq!(with, without, "the key is the same, and so is the id");
    }
}
