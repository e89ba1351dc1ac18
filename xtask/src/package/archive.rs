//! Reproducible archives: entries sorted, one time, one owner, no extras.

use crate::run::TaskError;
use flate2::{Compression, GzBuilder};
use std::io::Write;
use std::process::Command;

/// How much time compression may take.
#[derive(Clone, Copy)]
pub enum Effort {
    /// For releases: as small as possible.
    Best,
    /// For the tests of the packaging itself.
    Quick,
}

impl Effort {
    fn level(self) -> Compression {
        match self {
            Self::Best => Compression::best(),
            Self::Quick => Compression::fast(),
        }
    }
}

#[derive(Clone, Copy)]
pub struct Stamp {
    /// Unix seconds.
    pub epoch_s: u64,
    pub effort: Effort,
}

#[derive(Clone)]
pub struct Entry {
    /// The path in the archive, with slashes, not starting with one.
    pub path: String,
    pub bytes: Vec<u8>,
    pub executable: bool,
}

impl Entry {
    pub fn file(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), executable: false }
    }

    pub fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { executable: true, ..Self::file(path, bytes) }
    }

    /// Moves the entry below a folder.
    pub fn below(mut self, folder: &str) -> Self {
        self.path = format!("{folder}/{}", self.path);
        self
    }

    pub fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

/// The time of all entries, in Unix seconds: `SOURCE_DATE_EPOCH`, else the commit's.
pub fn epoch_s() -> Result<u64, TaskError> {
    if let Ok(named) = std::env::var("SOURCE_DATE_EPOCH") {
        let wrong = |_| TaskError::Wrong(format!("SOURCE_DATE_EPOCH is not a number of seconds: {named}"));
        return named.parse().map_err(wrong);
    }
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(crate::place::root());
    let output = git.output().map_err(TaskError::io("running git"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let hint = "no commit to take the time from; set SOURCE_DATE_EPOCH";
    text.trim().parse().map_err(|_| TaskError::Wrong(hint.into()))
}

/// A `.tar.gz`, with entries for folders if `folders`, as Debian requires.
pub fn tar_gz(mut entries: Vec<Entry>, prefix: &str, folders: bool, stamp: Stamp) -> Result<Vec<u8>, TaskError> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let io = || TaskError::io("writing an archive");
    let mut tar = tar::Builder::new(Vec::new());
    if folders {
        for folder in folders_of(&entries) {
            let mut header = header(tar::EntryType::Directory, 0o755, 0, stamp.epoch_s);
            tar.append_data(&mut header, format!("{prefix}{folder}/"), std::io::empty()).map_err(io())?;
        }
    }
    for entry in &entries {
        let mut header = header(tar::EntryType::Regular, entry.mode(), entry.bytes.len() as u64, stamp.epoch_s);
        tar.append_data(&mut header, format!("{prefix}{}", entry.path), entry.bytes.as_slice()).map_err(io())?;
    }
    gzip(&tar.into_inner().map_err(io())?, stamp.effort)
}

/// Compresses without storing a name or a time.
pub fn gzip(bytes: &[u8], effort: Effort) -> Result<Vec<u8>, TaskError> {
    let io = || TaskError::io("compressing an archive");
    let mut gz = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), effort.level());
    gz.write_all(bytes).map_err(io())?;
    gz.finish().map_err(io())
}

fn header(kind: tar::EntryType, mode: u32, size: u64, epoch_s: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(epoch_s);
    header.set_uid(0);
    header.set_gid(0);
    header
}

fn folders_of(entries: &[Entry]) -> Vec<String> {
    let mut folders = std::collections::BTreeSet::new();
    for entry in entries {
        let parts: Vec<&str> = entry.path.split('/').collect();
        folders.extend((1..parts.len()).map(|n| parts[..n].join("/")));
    }
    folders.into_iter().collect()
}

/// A `.zip`. Its entries all have the format's earliest time, which has no zone.
pub fn zip(entries: Vec<Entry>, effort: Effort) -> Result<Vec<u8>, TaskError> {
    let wrong = |error: zip::result::ZipError| TaskError::Wrong(format!("writing an archive: {error}"));
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for entry in entries {
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated)
            .compression_level(Some(i64::from(effort.level().level())))
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(entry.mode());
        zip.start_file(&entry.path, options).map_err(wrong)?;
        zip.write_all(&entry.bytes).map_err(TaskError::io("writing an archive"))?;
    }
    Ok(zip.finish().map_err(wrong)?.into_inner())
}

/// An `ar` archive, as `.deb` files are: its members in order.
pub fn ar(members: &[(&str, &[u8])], epoch_s: u64) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let header = format!("{name:<16}{epoch_s:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, "100644", content.len());
        bytes.extend(header.as_bytes());
        bytes.extend(*content);
        if content.len() % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(epoch_s: u64) -> Stamp {
        Stamp { epoch_s, effort: Effort::Quick }
    }

    fn entries() -> Vec<Entry> {
        vec![Entry::file("b/c.txt", "two"), Entry::program("a", "one")]
    }

    #[test]
    fn an_archive_does_not_depend_on_the_order_in_which_its_files_were_found() {
        let one = tar_gz(entries(), "x/", true, at(7)).unwrap();
        let other = tar_gz(entries().into_iter().rev().collect(), "x/", true, at(7)).unwrap();
        assert_eq!(one, other);
        assert_ne!(one, tar_gz(entries(), "x/", true, at(8)).unwrap());
    }

    #[test]
    fn a_tar_has_its_folders_modes_and_the_one_time() {
        let bytes = tar_gz(entries(), "", true, at(7)).unwrap();
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        let seen: Vec<(String, u32, u64)> = tar
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let header = entry.header();
                let path = entry.path_bytes();
                (String::from_utf8_lossy(&path).into_owned(), header.mode().unwrap(), header.mtime().unwrap())
            })
            .collect();
        let want = [("b/", 0o755, 7), ("a", 0o755, 7), ("b/c.txt", 0o644, 7)];
        let want: Vec<(String, u32, u64)> = want.iter().map(|(p, m, t)| ((*p).to_owned(), *m, *t)).collect();
        assert_eq!(seen, want);
    }

    #[test]
    fn members_of_an_ar_begin_at_even_places() {
        let bytes = ar(&[("a", b"1"), ("b", b"22")], 0);
        assert_eq!(bytes.len(), 8 + 60 + 2 + 60 + 2);
        assert_eq!(&bytes[8 + 60 + 2..8 + 60 + 3], b"b");
    }
}
