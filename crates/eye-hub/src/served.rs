//! Folders that an agent wants to see in a browser: served as they are, with the page client added to every document.
//! What is in them is not eye's own, so they are never served under the name that eye's own pages have.

use crate::gate::{OWN_NAME, host_name};
use crate::http::{Door, json_response, moved_to, public};
use crate::media;
use axum::body::Body;
use axum::extract::{Path as Segments, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use eye_protocol::limits::{SERVED_FILE_BYTES_MAX, SERVED_FOLDERS_MAX};
use eye_protocol::{Code, Error};
use std::collections::VecDeque;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The line that lets a document join.
const TAG: &str = "<script src=\"/eye.js\"></script>";

/// Folders by an id that cannot be guessed; the oldest give way.
#[derive(Debug, Default)]
pub struct Served(VecDeque<(Box<str>, PathBuf)>);

impl Served {
    /// Serves a file, or a folder with its `index.html`; gives the path of its URL.
    pub fn add(&mut self, path: &Path) -> Result<String, Error> {
        let wrong = |why: String| Error::new(Code::PARAMS, format!("cannot serve {}: {why}", path.display()));
        if !path.is_absolute() {
            return Err(wrong("the path is not absolute".into()));
        }
        let path = path.canonicalize().map_err(|error| wrong(error.to_string()))?;
        let (folder, file) = if path.is_dir() {
            (path.as_path(), String::new())
        } else {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (path.parent().unwrap_or(&path), name)
        };
        Ok(format!("/open/{}/{}", self.id_of(folder), escaped(&file)))
    }

    fn id_of(&mut self, folder: &Path) -> Box<str> {
        if let Some((id, _)) = self.0.iter().find(|(_, known)| known == folder) {
            return id.clone();
        }
        let id: Box<str> = crate::session_id::fresh().as_str().into();
        self.0.push_back((id.clone(), folder.to_owned()));
        if self.0.len() > SERVED_FOLDERS_MAX {
            self.0.pop_front();
        }
        id
    }

    /// The folder of an id.
    pub fn folder(&self, id: &str) -> Option<PathBuf> {
        self.0.iter().find(|(known, _)| &**known == id).map(|(_, folder)| folder.clone())
    }
}

/// A file name as part of a URL.
fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// A folder itself.
pub async fn index(door: State<Door>, Segments(id): Segments<String>, uri: Uri, headers: HeaderMap) -> Response {
    file(door, Segments((id, String::new())), uri, headers).await
}

/// A file in a folder.
pub async fn file(
    State(door): State<Door>,
    Segments((id, path)): Segments<(String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
    if host_name(host).eq_ignore_ascii_case(OWN_NAME) {
        return moved_to(door.hub.address(), host, &uri);
    }
    let folder = door.hub.served(&id);
    let found = match folder {
        // The disk may be slow, and nobody else waits for it.
        Some(folder) => {
            let below = path.clone();
            tokio::task::spawn_blocking(move || read(&folder, &below)).await.unwrap_or(Err(io::ErrorKind::Other))
        }
        None => Err(io::ErrorKind::NotFound),
    };
    public(&door, &headers, || match found {
        Ok(Found::File(bytes, media_type)) => {
            let kind = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-cache".into())];
            (kind, Body::from(bytes)).into_response()
        }
        Ok(Found::Folder) => Redirect::temporary(&format!("/open/{id}/{path}/")).into_response(),
        Err(io::ErrorKind::FileTooLarge) => {
            let error = format!("over the limit of {} MiB", SERVED_FILE_BYTES_MAX >> 20);
            (StatusCode::PAYLOAD_TOO_LARGE, json_response(&serde_json::json!({ "error": error }))).into_response()
        }
        Err(_) => (StatusCode::NOT_FOUND, json_response(&serde_json::json!({ "error": "Not found" }))).into_response(),
    })
}

#[derive(Debug, PartialEq, Eq)]
enum Found {
    File(Vec<u8>, String),
    /// Written without its slash: what it refers to would be looked for beside it.
    Folder,
}

fn read(folder: &Path, below: &str) -> Result<Found, io::ErrorKind> {
    // Only plain names lead down, and no link leads out.
    let relative = Path::new(below);
    if !relative.components().all(|component| matches!(component, Component::Normal(_))) {
        return Err(io::ErrorKind::NotFound);
    }
    let mut path = folder.join(relative).canonicalize().map_err(|error| error.kind())?;
    if path.is_dir() {
        if !below.is_empty() && !below.ends_with('/') {
            return Ok(Found::Folder);
        }
        path = path.join("index.html").canonicalize().map_err(|error| error.kind())?;
    }
    if !path.starts_with(folder) {
        return Err(io::ErrorKind::NotFound);
    }
    if std::fs::metadata(&path).map_err(|error| error.kind())?.len() > SERVED_FILE_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge);
    }
    let bytes = std::fs::read(&path).map_err(|error| error.kind())?;
    let media_type = media::type_of(&path);
    let bytes = if media_type.starts_with("text/html") { with_client(&bytes) } else { bytes };
    Ok(Found::File(bytes, media_type))
}

/// A document with the client in it: at the beginning of its head, else of the document, but never before its doctype.
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

    #[test]
    fn nothing_outside_the_folder_is_served() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap().join("site");
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        std::fs::write(home.path().join("secret.txt"), "no").unwrap();
        std::fs::write(folder.join("a b.txt"), "yes").unwrap();
        std::fs::write(folder.join("sub/index.html"), "<p>").unwrap();
        std::os::unix::fs::symlink(home.path().join("secret.txt"), folder.join("link.txt")).unwrap();
        let text = "text/plain; charset=utf-8".to_owned();
        assert_eq!(read(&folder, "a b.txt"), Ok(Found::File(b"yes".to_vec(), text)));
        assert_eq!(read(&folder, "sub"), Ok(Found::Folder));
        assert!(matches!(read(&folder, "sub/"), Ok(Found::File(..))));
        for path in ["link.txt", "../secret.txt", "sub/../../secret.txt", "/etc/passwd", "nothing", ""] {
            assert_eq!(read(&folder, path), Err(io::ErrorKind::NotFound), "{path}");
        }
    }

    #[test]
    fn a_folder_is_served_once_and_the_oldest_gives_way() {
        let home = tempfile::tempdir().unwrap();
        let mut served = Served::default();
        let first = served.add(home.path()).unwrap();
        assert_eq!(served.add(home.path()).unwrap(), first);
        std::fs::write(home.path().join("ä.html"), "").unwrap();
        assert_eq!(served.add(&home.path().join("ä.html")).unwrap(), format!("{first}%C3%A4.html"));
        for n in 0..SERVED_FOLDERS_MAX {
            let folder = home.path().join(n.to_string());
            std::fs::create_dir(&folder).unwrap();
            served.add(&folder).unwrap();
        }
        assert_ne!(served.add(home.path()).unwrap(), first);
        assert!(served.add(Path::new("relative")).is_err());
        assert!(served.add(Path::new("/nowhere/at/all")).is_err());
    }
}
