//! The downloads of a browser's pages, and where the files are.

use crate::cdp::Event;
use serde::Deserialize;
use std::collections::VecDeque;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The number of downloads to remember.
const DOWNLOADS_LEN_MAX: usize = 100;

/// The downloads of one browser, oldest first.
#[derive(Debug)]
pub struct Downloads {
    folder: Option<PathBuf>,
    list: Mutex<VecDeque<Download>>,
}

#[derive(Debug)]
struct Download {
    guid: String,
    url: String,
    name: String,
    state: State,
    bytes: f64,
    path: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
enum State {
    #[default]
    InProgress,
    Completed,
    Canceled,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WillBegin {
    guid: String,
    url: String,
    suggested_filename: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Progress {
    guid: String,
    received_bytes: f64,
    state: State,
    file_path: Option<String>,
}

impl Downloads {
    /// `folder`: where the browser shall put downloads; `None`: where it puts them by itself.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, list: Mutex::default() }
    }

    /// Whether downloads go to a folder of eye: true for eye's own browsers, false for a person's.
    pub fn are_kept(&self) -> bool {
        self.folder.is_some()
    }

    /// The folder for downloads, if eye sets one.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Handles an event of the browser.
    pub fn take(&self, event: &Event) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        match &*event.method {
            "Browser.downloadWillBegin" => {
                let Some(WillBegin { guid, url, suggested_filename: name }) = event.read() else { return };
                let (state, bytes, path) = (State::InProgress, 0.0, None);
                list.push_back(Download { guid, url, name, state, bytes, path });
                if list.len() > DOWNLOADS_LEN_MAX {
                    list.pop_front();
                }
            }
            "Browser.downloadProgress" => {
                let Some(Progress { guid, received_bytes, state, file_path }) = event.read() else { return };
                if let Some(one) = list.iter_mut().rev().find(|one| one.guid == guid) {
                    (one.state, one.bytes) = (state, received_bytes);
                    one.path = file_path.or(one.path.take());
                }
            }
            _ => {}
        }
    }

    /// One line per download, the newest last.
    pub fn rows(&self) -> String {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for Download { url, name, state, bytes, path, .. } in &*list {
            let _ = match (state, path) {
                (State::Completed, Some(path)) => writeln!(text, "{name} {bytes} bytes {path}"),
                (State::Completed, None) => {
                    let place = self.folder.as_ref().map(|folder| folder.join(name).display().to_string());
                    writeln!(text, "{name} {bytes} bytes {}", place.unwrap_or_default())
                }
                (State::InProgress, _) => writeln!(text, "{name} running, {bytes} bytes so far, from {url}"),
                (State::Canceled, _) => writeln!(text, "{name} cancelled, from {url}"),
            };
        }
        text.truncate(text.trim_end().len());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn take(downloads: &Downloads, method: &str, params: &serde_json::Value) {
        let params = serde_json::value::to_raw_value(params).unwrap();
        downloads.take(&Event { method: format!("Browser.{method}").into(), params, note: None });
    }

    #[test]
    fn a_download_is_told_while_it_runs_and_when_it_has_ended() {
        let downloads = Downloads::new(Some("/d".into()));
        let begin = json!({"guid":"g","url":"http://h/a.pdf","suggestedFilename":"a.pdf","frameId":"f"});
        take(&downloads, "downloadWillBegin", &begin);
        assert_eq!(downloads.rows(), "a.pdf running, 0 bytes so far, from http://h/a.pdf");
        let progress =
            json!({"guid":"g","totalBytes":9,"receivedBytes":9,"state":"completed","filePath":"/d/a (1).pdf"});
        take(&downloads, "downloadProgress", &progress);
        assert_eq!(downloads.rows(), "a.pdf 9 bytes /d/a (1).pdf");
        take(&downloads, "downloadWillBegin", &json!({"guid":"h","url":"http://h/b","suggestedFilename":"b"}));
        let cancelled = json!({"guid":"h","totalBytes":0,"receivedBytes":0,"state":"canceled"});
        take(&downloads, "downloadProgress", &cancelled);
        assert_eq!(downloads.rows().lines().last(), Some("b cancelled, from http://h/b"));
    }

    #[test]
    fn the_oldest_are_forgotten_at_the_limit() {
        let downloads = Downloads::new(None);
        for n in 0..=DOWNLOADS_LEN_MAX {
            let begin = json!({"guid":n.to_string(),"url":"u","suggestedFilename":format!("f{n}")});
            take(&downloads, "downloadWillBegin", &begin);
        }
        assert_eq!(downloads.rows().lines().count(), DOWNLOADS_LEN_MAX);
        assert!(downloads.rows().starts_with("f1 "));
    }
}
