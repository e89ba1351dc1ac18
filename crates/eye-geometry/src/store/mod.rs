//! Cartridges on disk, one PNG each with its source and facts. Bounded in count and bytes; the oldest are removed. The
//! functions block, so they are called from worker threads.

use crate::cartridge::{self, Facts};
use crate::limits::{CARTRIDGE_BYTES_MAX, CARTRIDGE_ID_BYTES_MAX, STORE_BYTES_MAX, STORE_LEN_MAX};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The suffix of a cartridge's file after its id.
const SUFFIX: &str = ".rts.png";
/// The suffix while the file is being written.
const UNFINISHED: &str = ".part";

/// A cartridge in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub id: String,
    /// The size of the file.
    pub bytes: u64,
    /// Unix time in milliseconds.
    pub created_ms: u64,
    /// `None` if the file has no readable facts.
    pub facts: Option<Facts>,
}

/// The cartridges of one hub.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    len_max: usize,
    bytes_max: u64,
    /// From the oldest to the newest. Read from the folder at the first use, because a starting hub has no time for it.
    entries: Mutex<Option<VecDeque<Entry>>>,
}

impl Store {
    /// A store in this folder, which need not exist yet.
    pub fn new(folder: PathBuf) -> Self {
        Self::bounded(folder, STORE_LEN_MAX, STORE_BYTES_MAX)
    }

    fn bounded(folder: PathBuf, len_max: usize, bytes_max: u64) -> Self {
        Self { folder, len_max, bytes_max, entries: Mutex::new(None) }
    }

    /// Stores a cartridge and returns its id. Removes the oldest ones if there is no room.
    pub fn save(&self, png: &[u8], facts: Facts) -> io::Result<String> {
        eye_platform::files::make_folder(&self.folder)?;
        let id = fresh_id(&facts)?;
        let (path, part) = (self.path(&id), self.folder.join(format!("{id}{UNFINISHED}")));
        let written = fs::File::create(&part).and_then(|mut file| {
            file.write_all(png)?;
            file.sync_all()
        });
        if let Err(error) = written.and_then(|()| fs::rename(&part, &path)) {
            let _ = fs::remove_file(&part);
            return Err(error);
        }
        let mut entries = self.hold();
        let entries = self.read(&mut entries);
        // The list may have just been read from the folder, with this cartridge in it.
        entries.retain(|entry| entry.id != id);
        entries.push_back(Entry { id: id.clone(), bytes: len(png), created_ms: now_ms(), facts: Some(facts) });
        self.make_room(entries);
        Ok(id)
    }

    /// All cartridges, the newest first.
    pub fn list(&self) -> Vec<Entry> {
        let mut entries = self.hold();
        self.read(&mut entries).iter().rev().cloned().collect()
    }

    /// The file of a cartridge.
    pub fn png(&self, id: &str) -> Option<Vec<u8>> {
        is_id(id).then(|| fs::read(self.path(id)).ok()).flatten()
    }

    /// The WGSL source in a cartridge.
    pub fn source(&self, id: &str) -> Option<String> {
        cartridge::decode(&self.png(id)?).ok()?.source
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}{SUFFIX}"))
    }

    fn hold(&self) -> MutexGuard<'_, Option<VecDeque<Entry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<'a>(&self, entries: &'a mut Option<VecDeque<Entry>>) -> &'a mut VecDeque<Entry> {
        entries.get_or_insert_with(|| {
            let mut found: Vec<Entry> =
                fs::read_dir(&self.folder).into_iter().flatten().filter_map(|file| entry(&file.ok()?.path())).collect();
            found.sort_by(|a, b| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
            let mut found = VecDeque::from(found);
            self.make_room(&mut found);
            found
        })
    }

    fn make_room(&self, entries: &mut VecDeque<Entry>) {
        let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        while (entries.len() > self.len_max || bytes > self.bytes_max) && entries.len() > 1 {
            if let Some(oldest) = entries.pop_front() {
                bytes -= oldest.bytes;
                // A file that cannot be removed is found again by the next hub, which tries again.
                let _ = fs::remove_file(self.path(&oldest.id));
            }
        }
    }
}

/// The entry of a file in the folder. Removes files that were not finished.
fn entry(path: &Path) -> Option<Entry> {
    let name = path.file_name()?.to_str()?;
    if name.strip_suffix(UNFINISHED).is_some() {
        let _ = fs::remove_file(path);
        return None;
    }
    let id = name.strip_suffix(SUFFIX).filter(|id| is_id(id))?;
    let meta = fs::metadata(path).ok().filter(|meta| meta.len() <= CARTRIDGE_BYTES_MAX as u64)?;
    let facts = fs::read(path).ok().and_then(|png| cartridge::decode(&png).ok()).and_then(|cartridge| cartridge.facts);
    let created_ms = meta.modified().ok().map_or(0, since_epoch_ms);
    Some(Entry { id: id.to_owned(), bytes: meta.len(), created_ms, facts })
}

/// Whether a text is a valid cartridge id. Such an id cannot lead out of the folder.
pub fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=CARTRIDGE_ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(plain)
}

fn fresh_id(facts: &Facts) -> io::Result<String> {
    let mut random = [0_u8; 6];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    let mut id = facts.metric.name().replace('_', "-");
    id.push('-');
    for byte in random {
        let _ = write!(id, "{byte:02x}");
    }
    Ok(id)
}

fn len(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn now_ms() -> u64 {
    since_epoch_ms(SystemTime::now())
}

fn since_epoch_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::Picture;
    use crate::evolution::Metric;

    fn facts(fitness: f64) -> Facts {
        Facts { metric: Metric::VisualQuality, fitness, entropy: 1.5, generations: 3, seed: 7 }
    }

    fn png(fitness: f64) -> Vec<u8> {
        let picture = Picture { width: 4, height: 4, rgba: vec![9; 64] };
        cartridge::encode(&picture, "fn main() {}", &facts(fitness)).unwrap()
    }

    #[test]
    fn what_is_saved_is_there_after_a_restart() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("cartridges");
        let id = Store::new(folder.clone()).save(&png(0.5), facts(0.5)).unwrap();
        assert!(is_id(&id) && id.starts_with("visual-quality-"), "{id}");
        fs::write(folder.join("half.part"), "x").unwrap();
        fs::write(folder.join("Not An Id.rts.png"), "x").unwrap();
        let store = Store::new(folder.clone());
        let list = store.list();
        assert_eq!(list.len(), 1);
        assert_eq!((list[0].id.as_str(), &list[0].facts), (id.as_str(), &Some(facts(0.5))));
        assert_eq!(store.png(&id).unwrap(), png(0.5));
        assert_eq!(store.source(&id).unwrap(), "fn main() {}");
        assert!(!folder.join("half.part").exists());
    }

    #[test]
    fn the_oldest_give_way_at_the_limits() {
        let home = tempfile::tempdir().unwrap();
        let bytes = len(&png(0.0));
        for (len_max, bytes_max, kept) in [(3, u64::MAX, 3), (99, 2 * bytes, 2), (99, 1, 1)] {
            let store = Store::bounded(home.path().join(format!("{len_max}-{kept}")), len_max, bytes_max);
            let ids: Vec<String> = (0..5).map(|_| store.save(&png(0.0), facts(0.0)).unwrap()).collect();
            let left: Vec<String> = store.list().into_iter().map(|entry| entry.id).collect();
            let want: Vec<String> = ids.iter().rev().take(kept).cloned().collect();
            assert_eq!(left, want);
            assert!(store.png(&ids[0]).is_none() && store.png(&ids[4]).is_some());
        }
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("secret.rts.png"), "x").unwrap();
        let store = Store::new(home.path().join("cartridges"));
        for id in ["../secret", "", "a/b", "A", "a.b", &"x".repeat(65)] {
            assert!(store.png(id).is_none() && !is_id(id), "{id}");
        }
        assert!(is_id(&"x".repeat(64)));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_no_panic() {
        let home = tempfile::tempdir().unwrap();
        let blocked = home.path().join("blocked");
        fs::write(&blocked, "a file, no folder").unwrap();
        let store = Store::new(blocked.join("cartridges"));
        assert!(store.save(b"png", facts(0.0)).is_err());
        assert!(store.list().is_empty());
    }
}
