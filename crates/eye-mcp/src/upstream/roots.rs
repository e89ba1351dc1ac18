//! The roots for a server on this machine: those of its clients, else the folder that it runs in.

use crate::limits::{ROOT_URI_BYTES_MAX, ROOTS_MAX};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// One root, as a client sent it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Root {
    /// A `file://` URI; others are dropped.
    pub uri: String,
    /// For people to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Parses the result of `roots/list`, keeping [`ROOTS_MAX`] files at most.
pub fn read(result: &str) -> Option<Vec<Root>> {
    #[derive(Deserialize)]
    struct Listed {
        roots: Vec<Root>,
    }
    let Listed { mut roots } = serde_json::from_str(result).ok()?;
    roots.retain(|root| root.uri.starts_with("file://") && root.uri.len() <= ROOT_URI_BYTES_MAX);
    roots.truncate(ROOTS_MAX);
    Some(roots)
}

/// The roots of one server's clients, by client number.
#[derive(Debug, Default)]
pub struct ClientRoots(Mutex<BTreeMap<u64, Arc<Vec<Root>>>>);

impl ClientRoots {
    /// Sets or removes a client's roots; returns whether the merged list changed.
    pub fn set(&self, client: u64, roots: Option<&Arc<Vec<Root>>>) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = merged(&all);
        match roots {
            Some(roots) => all.insert(client, Arc::clone(roots)),
            None => all.remove(&client),
        };
        merged(&all) != before
    }

    /// The result of `roots/list` for a server that runs in this folder. A remote server gets none: folders here are
    /// not its business.
    pub fn list(&self, folder: Option<&Path>) -> String {
        let Some(folder) = folder else { return r#"{"roots":[]}"#.to_owned() };
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(roots) = merged(&all) {
            return json!({ "roots": roots }).to_string();
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let uri = format!("file://{}", escaped(&folder.to_string_lossy()));
        json!({ "roots": [{ "uri": uri, "name": name }] }).to_string()
    }
}

/// All roots without duplicates; `None` if no client sent any.
fn merged(all: &BTreeMap<u64, Arc<Vec<Root>>>) -> Option<Vec<Root>> {
    let mut roots: Vec<Root> = Vec::new();
    for root in all.values().flat_map(|some| some.iter()) {
        if !roots.iter().any(|known| known.uri == root.uri) {
            roots.push(root.clone());
        }
    }
    (!all.is_empty()).then_some(roots)
}

/// Escapes a path for a URI.
fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_clients_are_joined_and_stand_before_the_folder() {
        let roots = ClientRoots::default();
        let folder = Path::new("/work/my app");
        let some = |text: &str| Arc::new(read(text).unwrap());
        assert_eq!(roots.list(Some(folder)), r#"{"roots":[{"uri":"file:///work/my%20app","name":"my app"}]}"#);
        let one = some(r#"{"roots":[{"uri":"file:///a","name":"A"},{"uri":"https://b.example"}]}"#);
        assert!(roots.set(1, Some(&one)) && !roots.set(1, Some(&one)));
        assert!(roots.set(2, Some(&some(r#"{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}"#))));
        assert_eq!(roots.list(Some(folder)), r#"{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}"#);
        assert_eq!(roots.list(None), r#"{"roots":[]}"#);
        assert!(roots.set(2, None) && roots.set(1, None) && !roots.set(1, None));
        assert!(roots.list(Some(folder)).contains("my%20app"));
        // A client without roots counts, too.
        assert!(roots.set(1, Some(&some(r#"{"roots":[]}"#))));
        assert_eq!(roots.list(Some(folder)), r#"{"roots":[]}"#);
    }

    #[test]
    fn there_is_an_end_of_them() {
        let root = |uri: String| json!({ "uri": uri });
        let many: Vec<_> = (0..=ROOTS_MAX).map(|n| root(format!("file:///{n}"))).collect();
        assert_eq!(read(&json!({ "roots": many }).to_string()).unwrap().len(), ROOTS_MAX);
        let long = |bytes: usize| json!({ "roots": [root(format!("file:///{}", "x".repeat(bytes - 8)))] }).to_string();
        assert_eq!(read(&long(ROOT_URI_BYTES_MAX)).unwrap().len(), 1);
        assert_eq!(read(&long(ROOT_URI_BYTES_MAX + 1)).unwrap().len(), 0);
        assert!(read("7").is_none());
    }
}
