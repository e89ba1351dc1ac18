//! The browser extension as this binary carries it (`web/extension`), and writes it into a folder.

use std::fs;
use std::io;
use std::path::Path;

/// Its files, beside the manifest.
const FILES: [(&str, &[u8]); 7] = [
    ("worker.js", include_bytes!("../assets/extension/worker.js")),
    ("popup.js", include_bytes!("../assets/extension/popup.js")),
    ("popup.html", include_bytes!("../assets/extension/popup.html")),
    ("popup.css", include_bytes!("../assets/extension/popup.css")),
    ("icon16.png", include_bytes!("../assets/extension/icon16.png")),
    ("icon48.png", include_bytes!("../assets/extension/icon48.png")),
    ("icon128.png", include_bytes!("../assets/extension/icon128.png")),
];

const MANIFEST: &str = include_str!("../assets/extension/manifest.json");

/// Writes it, unpacked. A folder that holds another version becomes this one.
pub fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, bytes) in FILES {
        fs::write(folder.join(name), bytes)?;
    }
    // Last: a browser that looks meanwhile finds no extension rather than half of one.
    fs::write(folder.join("manifest.json"), MANIFEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_whole_over_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("worker.js"), "old").unwrap();
        write(folder.path()).unwrap();
        for (name, bytes) in FILES {
            assert_eq!(fs::read(folder.path().join(name)).unwrap(), bytes, "{name}");
        }
        assert_eq!(fs::read_to_string(folder.path().join("manifest.json")).unwrap(), MANIFEST);
    }
}
