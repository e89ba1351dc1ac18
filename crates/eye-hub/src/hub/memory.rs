//! The file of a hub's sessions, so that after a restart calls wait for the pages to reconnect.

use crate::private;
use eye_core::Known;
use eye_protocol::SessionId;
use eye_protocol::messages::PageInfo;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file larger than this is not ours.
const FILE_BYTES_MAX: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
struct Entry {
    id: String,
    origin: Box<str>,
    page: PageInfo,
    #[serde(default)]
    tools: bool,
    #[serde(default)]
    state: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Box<str>>,
}

#[derive(Clone, Debug)]
pub struct Memory {
    file: PathBuf,
}

impl Memory {
    /// The folder need not exist.
    pub fn new(folder: &Path) -> Self {
        Self { file: folder.join("sessions.json") }
    }

    /// Loads the sessions of the previous hub. An unreadable file counts as empty: the pages will send everything
    /// again.
    pub fn load(&self) -> Vec<Known> {
        let small = fs::metadata(&self.file).is_ok_and(|meta| meta.len() <= FILE_BYTES_MAX);
        let text = if small { fs::read_to_string(&self.file).unwrap_or_default() } else { String::new() };
        let entries: Vec<Entry> = serde_json::from_str(&text).unwrap_or_default();
        let known = |Entry { id, origin, page: info, tools, state, name }: Entry| {
            Some(Known { id: SessionId::parse(&id)?, origin: origin.into(), info, tools, state, name })
        };
        entries.into_iter().filter_map(known).collect()
    }

    /// Atomically replaces the file.
    pub fn save(&self, known: Vec<Known>) -> io::Result<()> {
        let entry = |Known { id, origin, info, tools, state, name }: Known| {
            let id = id.to_string();
            Entry { id, origin: (*origin).into(), page: info, tools, state, name }
        };
        let entries: Vec<Entry> = known.into_iter().map(entry).collect();
        private::write(&self.file, &serde_json::to_vec(&entries)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_loaded_and_junk_is_forgotten() {
        let home = tempfile::tempdir().unwrap();
        let memory = Memory::new(&home.path().join("state"));
        assert_eq!(memory.load(), []);
        let known = vec![Known {
            id: SessionId::parse("a").unwrap(),
            origin: "http://localhost".into(),
            info: PageInfo { title: Some("A".into()), ..PageInfo::default() },
            tools: true,
            state: false,
            name: Some("till".into()),
        }];
        memory.save(known.clone()).unwrap();
        assert_eq!(memory.load(), known);
        fs::write(home.path().join("state/sessions.json"), "junk").unwrap();
        assert_eq!(memory.load(), []);
    }
}
