//! Files and folders that an agent opened in a browser: which of them are served, and under which id. Adds the page
//! client to documents.
//!
//! Never served: a dotfile, anything below a dot-folder, anything above or beside the opened path. In a wide folder
//! (home, `/`, the temporary folder, and their parents) only the one named file is served. Folders are not listed.

use super::{media, session_id};
use eye_protocol::limits::{SERVED_FILE_BYTES_MAX, SERVED_FOLDERS_MAX};
use eye_protocol::{Code, Error};
use std::collections::VecDeque;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The tag that loads the page client in a document.
const TAG: &str = "<script src=\"/eye.js\"></script>";

/// Opened targets by an id that cannot be guessed; the oldest are dropped at the limit.
#[derive(Debug, Default)]
pub struct Opened {
    list: VecDeque<(Box<str>, Target)>,
    /// Folders that are never served as a whole, canonical.
    wide: Vec<PathBuf>,
}

/// The target of one id. Paths are canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A folder with everything below it that is not hidden.
    Folder(PathBuf),
    /// One file, and nothing beside it.
    File(PathBuf),
}

impl Opened {
    /// `wide` are the folders in which only single files are served.
    pub fn new(wide: &[PathBuf]) -> Self {
        let wide = wide.iter().map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone())).collect();
        Self { list: VecDeque::new(), wide }
    }

    /// Serves a file, or a folder with its `index.html`. Returns the path of its URL.
    pub fn add(&mut self, path: &Path) -> Result<String, Error> {
        let wrong = |why: String| Error::new(Code::PARAMS, format!("cannot serve {}: {why}", path.display()));
        if !path.is_absolute() {
            return Err(wrong("the path is not absolute".into()));
        }
        let path = path.canonicalize().map_err(|error| wrong(error.to_string()))?;
        if is_hidden(&path) {
            let why = "dotfiles and files below a dot-folder are never served".into();
            return Err(wrong(why).hint("copy it to a folder without a dot at the beginning of its name"));
        }
        if path.is_dir() {
            if self.is_wide(&path) {
                let why = "this folder holds more than one site".into();
                return Err(wrong(why).hint("name the file, or a folder below it"));
            }
            return Ok(format!("/open/{}/", self.id_of(Target::Folder(path))));
        }
        let name = escaped(&path.file_name().unwrap_or_default().to_string_lossy());
        let target = match path.parent() {
            Some(folder) if !self.is_wide(folder) => Target::Folder(folder.to_owned()),
            Some(_) | None => Target::File(path),
        };
        Ok(format!("/open/{}/{name}", self.id_of(target)))
    }

    fn is_wide(&self, folder: &Path) -> bool {
        folder.parent().is_none() || self.wide.iter().any(|wide| wide.starts_with(folder))
    }

    fn id_of(&mut self, target: Target) -> Box<str> {
        if let Some((id, _)) = self.list.iter().find(|(_, known)| *known == target) {
            return id.clone();
        }
        let id: Box<str> = session_id::fresh().as_str().into();
        self.list.push_back((id.clone(), target));
        if self.list.len() > SERVED_FOLDERS_MAX {
            self.list.pop_front();
        }
        id
    }

    pub fn target(&self, id: &str) -> Option<Target> {
        self.list.iter().find(|(known, _)| &**known == id).map(|(_, target)| target.clone())
    }
}

/// Whether a component of the path begins with a dot.
fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| matches!(part, Component::Normal(name) if name.as_encoded_bytes().starts_with(b".")))
}

/// Escapes a file name for a URL.
fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// The result of reading a path below a target.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// Bytes and media type.
    File(Vec<u8>, String),
    /// A folder without the trailing slash, so relative links in it would not resolve.
    Folder,
}

/// Reads a file. A file that must not be served is reported as missing.
pub fn read(target: &Target, below: &str) -> Result<Found, io::ErrorKind> {
    let relative = Path::new(below);
    let plain = relative.components().all(|component| matches!(component, Component::Normal(_)));
    if !plain || is_hidden(relative) {
        return Err(io::ErrorKind::NotFound);
    }
    match target {
        Target::File(file) if file.file_name() == Some(relative.as_os_str()) => read_file(file),
        Target::File(_) => Err(io::ErrorKind::NotFound),
        Target::Folder(folder) => read_below(folder, below),
    }
}

fn read_below(folder: &Path, below: &str) -> Result<Found, io::ErrorKind> {
    let mut path = folder.join(below).canonicalize().map_err(|error| error.kind())?;
    if path.is_dir() {
        if !below.is_empty() && !below.ends_with('/') {
            return Ok(Found::Folder);
        }
        path = path.join("index.html").canonicalize().map_err(|error| error.kind())?;
    }
    // Links must not lead outside, or to hidden files.
    match path.strip_prefix(folder) {
        Ok(relative) if !is_hidden(relative) => read_file(&path),
        Ok(_) | Err(_) => Err(io::ErrorKind::NotFound),
    }
}

fn read_file(path: &Path) -> Result<Found, io::ErrorKind> {
    let about = std::fs::metadata(path).map_err(|error| error.kind())?;
    if !about.is_file() {
        // Reading a pipe or a device may never end.
        return Err(io::ErrorKind::NotFound);
    }
    if about.len() > SERVED_FILE_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge);
    }
    let bytes = std::fs::read(path).map_err(|error| error.kind())?;
    let media_type = media::type_of(path);
    let bytes = if media_type.starts_with("text/html") { with_client(&bytes) } else { bytes };
    Ok(Found::File(bytes, media_type))
}

/// Adds the client to a document: at the beginning of its head, else of the document, but never before its doctype.
fn with_client(document: &[u8]) -> Vec<u8> {
    let text = document.to_ascii_lowercase();
    if text.windows(b"eye.js".len()).any(|bytes| bytes == b"eye.js") {
        return document.to_vec();
    }
    let end_of = |tag: &[u8]| {
        let begin = text.windows(tag.len()).position(|bytes| bytes == tag)?;
        text[begin..].iter().position(|byte| *byte == b'>').map(|end| begin + end + 1)
    };
    let at = [&b"<head"[..], b"<html", b"<!doctype"].iter().find_map(|tag| end_of(tag)).unwrap_or(0);
    [&document[..at], TAG.as_bytes(), &document[at..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(document: &str) -> String {
        String::from_utf8(with_client(document.as_bytes())).unwrap()
    }

    #[test]
    fn every_document_gets_the_client_once_and_keeps_its_doctype_first() {
        for (document, want) in [
            ("<!doctype html><html><head><title>x", "<!doctype html><html><head>TAG<title>x"),
            ("<!DOCTYPE html><p>x", "<!DOCTYPE html>TAG<p>x"),
            ("<p>x", "TAG<p>x"),
            ("", "TAG"),
            ("<HEAD lang=en>x", "<HEAD lang=en>TAGx"),
            (
                "<script src=http://localhost:8765/eye.js></script>",
                "<script src=http://localhost:8765/eye.js></script>",
            ),
        ] {
            assert_eq!(joined(document), want.replace("TAG", TAG));
        }
    }

    /// A folder whose own name has no dot, unlike the usual temporary folders.
    fn home() -> (tempfile::TempDir, PathBuf) {
        let home = tempfile::Builder::new().prefix("eye-").tempdir().unwrap();
        let path = home.path().canonicalize().unwrap();
        (home, path)
    }

    fn text(content: &str) -> Found {
        Found::File(content.into(), "text/plain; charset=utf-8".into())
    }

    #[test]
    fn nothing_outside_the_folder_and_nothing_hidden_is_served() {
        let (_home, home) = home();
        let folder = home.join("site");
        for sub in ["sub", ".git", "sub/.cache"] {
            std::fs::create_dir_all(folder.join(sub)).unwrap();
        }
        for (file, content) in [
            ("../secret.txt", "no"),
            ("a b.txt", "yes"),
            ("a..b.txt", "yes"),
            ("sub/index.html", "<p>"),
            (".env", "no"),
            (".git/config.txt", "no"),
            ("sub/.cache/x.txt", "no"),
        ] {
            std::fs::write(folder.join(file), content).unwrap();
        }
        let link = |to: &Path, name| std::os::unix::fs::symlink(to, folder.join(name)).unwrap();
        link(&home.join("secret.txt"), "link.txt");
        link(&folder.join(".env"), "env.txt");
        link(&folder.join(".git"), "git");
        link(Path::new("/"), "root");
        link(&folder.join("a b.txt"), "fine.txt");
        let site = Target::Folder(folder.clone());
        assert_eq!(read(&site, "a b.txt"), Ok(text("yes")));
        assert_eq!(read(&site, "a..b.txt"), Ok(text("yes")));
        assert_eq!(read(&site, "fine.txt"), Ok(text("yes")));
        assert_eq!(read(&site, "sub"), Ok(Found::Folder));
        assert!(matches!(read(&site, "sub/"), Ok(Found::File(..))));
        for path in [
            "link.txt",
            "../secret.txt",
            "sub/../../secret.txt",
            "sub/../a b.txt",
            "/etc/passwd",
            "root/etc/passwd",
            "nothing",
            "",
            ".",
            ".env",
            "./.env",
            "env.txt",
            ".git/config.txt",
            ".git/",
            ".git",
            "git/config.txt",
            "sub/.cache/x.txt",
            "a b.txt\0",
        ] {
            let found = read(&site, path);
            assert!(!matches!(found, Ok(Found::File(..))), "{path}: {found:?}");
        }
        rustix::fs::mkfifoat(rustix::fs::CWD, folder.join("pipe"), rustix::fs::Mode::RUSR).unwrap();
        assert_eq!(read(&site, "pipe"), Err(io::ErrorKind::NotFound));
    }

    #[test]
    fn a_file_of_a_wide_folder_is_served_alone() {
        let (_home, home) = home();
        std::fs::create_dir(home.join("site")).unwrap();
        for file in ["a.txt", "b.txt", "site/a.txt", "site/b.txt"] {
            std::fs::write(home.join(file), file).unwrap();
        }
        let mut opened = Opened::new(std::slice::from_ref(&home));
        let target = |opened: &Opened, url: &str| opened.target(url.split('/').nth(2).unwrap()).unwrap();
        let url = opened.add(&home.join("a.txt")).unwrap();
        let alone = target(&opened, &url);
        assert_eq!(alone, Target::File(home.join("a.txt")));
        assert_eq!(read(&alone, "a.txt"), Ok(text("a.txt")));
        for path in ["", "b.txt", "site/a.txt", "./a.txt", "a.txt/", "a.txt/../b.txt"] {
            assert_eq!(read(&alone, path), Err(io::ErrorKind::NotFound), "{path}");
        }
        let url = opened.add(&home.join("site/a.txt")).unwrap();
        assert_eq!(target(&opened, &url), Target::Folder(home.join("site")));
        for folder in [home.as_path(), home.parent().unwrap(), Path::new("/")] {
            assert!(opened.add(folder).is_err(), "{}", folder.display());
        }
        assert!(opened.add(&home.join("site")).is_ok());
    }

    #[test]
    fn what_is_hidden_cannot_be_opened() {
        let (_home, home) = home();
        std::fs::create_dir_all(home.join(".ssh/site")).unwrap();
        for file in [".env", ".ssh/id", ".ssh/site/index.html"] {
            std::fs::write(home.join(file), "no").unwrap();
        }
        std::os::unix::fs::symlink(home.join(".ssh/site"), home.join("site")).unwrap();
        let mut opened = Opened::default();
        for path in [".env", ".ssh", ".ssh/id", ".ssh/site", ".ssh/site/index.html", "site", "site/index.html"] {
            let error = opened.add(&home.join(path)).unwrap_err();
            assert!(error.message.contains("never served") && error.hint.is_some(), "{path}: {error:?}");
        }
    }

    #[test]
    fn a_folder_is_served_once_and_the_oldest_gives_way() {
        let (_home, home) = home();
        let mut opened = Opened::default();
        let first = opened.add(&home).unwrap();
        assert_eq!(opened.add(&home).unwrap(), first);
        std::fs::write(home.join("ä.html"), "").unwrap();
        assert_eq!(opened.add(&home.join("ä.html")).unwrap(), format!("{first}%C3%A4.html"));
        for n in 0..SERVED_FOLDERS_MAX {
            let folder = home.join(n.to_string());
            std::fs::create_dir(&folder).unwrap();
            opened.add(&folder).unwrap();
        }
        assert_ne!(opened.add(&home).unwrap(), first);
        assert!(opened.add(Path::new("relative")).is_err());
        assert!(opened.add(Path::new("/nowhere/at/all")).is_err());
    }
}
