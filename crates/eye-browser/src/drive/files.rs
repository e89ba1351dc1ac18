//! Gives files to a page, like a person who chooses or drops them. The page client sends their content. The browser
//! takes only paths, so the files are written to a folder of this user alone, and removed with the browser. No path
//! comes from the page.

use super::outer::Affine;
use crate::cdp::Session;
use crate::error::CommandError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The most files in one request.
const FILES_LEN_MAX: usize = 64;

/// How long a click may take to open a file chooser.
const CHOOSER: Duration = Duration::from_secs(2);

/// The longest file name, in bytes, that file systems accept.
const NAME_BYTES_MAX: usize = 200;

/// The files, and where they go.
#[derive(Debug, Deserialize)]
pub struct Giving {
    files: Vec<Given>,
    to: To,
}

#[derive(Debug, Deserialize)]
struct Given {
    name: String,
    base64: String,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase")]
enum To {
    /// Into the field that the page client keeps under the request's number.
    Field,
    /// Into the file chooser that a click at this point opens.
    Chooser {
        x: f64,
        y: f64,
    },
    Drop {
        x: f64,
        y: f64,
    },
}

impl Giving {
    /// Whether the browser must report the file chooser that opens.
    pub fn is_chosen(&self) -> bool {
        matches!(self.to, To::Chooser { .. })
    }

    /// Whether the files go into a field, not to a point.
    pub fn is_for_field(&self) -> bool {
        matches!(self.to, To::Field)
    }

    /// Moves the point from the coordinates of the requesting frame to those of the tab.
    pub fn placed(mut self, place: Affine) -> Self {
        if let To::Chooser { x, y } | To::Drop { x, y } = &mut self.to {
            (*x, *y) = place.apply((*x, *y));
        }
        self
    }
}

/// The answer to `Runtime.evaluate` of an expression that returns an object.
#[derive(Deserialize)]
struct Evaluated {
    result: Remote,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Remote {
    object_id: Option<String>,
}

/// The file field of a request.
#[derive(Debug)]
pub struct Field {
    /// The execution context of the expression.
    pub context: i64,
    /// Returns the element.
    pub expression: String,
}

/// Gives the files to the page. `chooser` receives the field of the file chooser that opens.
pub async fn give(
    session: &Session,
    giving: Giving,
    field: Field,
    chooser: Option<oneshot::Receiver<i64>>,
    folder: PathBuf,
) -> Result<(), CommandError> {
    let Giving { files, to } = giving;
    let writing = tokio::task::spawn_blocking(move || write(&folder, &files));
    let paths = match writing.await {
        Ok(Ok(paths)) => paths,
        Ok(Err(error)) => return Err(failed(&format!("the files cannot be written: {error}"))),
        Err(error) => return Err(failed(&error.to_string())),
    };
    match to {
        To::Field => {
            let params = json!({ "expression": field.expression, "contextId": field.context });
            let found: Evaluated = session.ask("Runtime.evaluate", &params).await?;
            let object = found.result.object_id.ok_or_else(|| failed("the field is gone"))?;
            session.command("DOM.setFileInputFiles", &json!({ "files": paths, "objectId": object })).await.map(drop)
        }
        To::Chooser { x, y } => choose(session, &paths, x, y, chooser).await,
        To::Drop { x, y } => drop_at(session, &paths, x, y).await,
    }
}

async fn choose(
    session: &Session,
    paths: &[PathBuf],
    x: f64,
    y: f64,
    chooser: Option<oneshot::Receiver<i64>>,
) -> Result<(), CommandError> {
    let Some(chooser) = chooser else { return Err(failed("no file chooser can be waited for")) };
    session.command("Page.setInterceptFileChooserDialog", &json!({ "enabled": true })).await?;
    for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
        let pressed = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        let moved = json!({ "type": kind, "x": x, "y": y });
        // All three are sent together. Whether it was a click shows when a chooser opens.
        drop(session.send("Input.dispatchMouseEvent", if kind == "mouseMoved" { &moved } else { &pressed })?);
    }
    let opened = timeout(CHOOSER, chooser).await;
    let outcome = match opened {
        Ok(Ok(node)) => {
            let params = json!({ "files": paths, "backendNodeId": node });
            session.command("DOM.setFileInputFiles", &params).await.map(drop)
        }
        Ok(Err(_)) | Err(_) => {
            Err(failed("a click there opened no file chooser; name the file field, or what files are dropped on"))
        }
    };
    // Lets a person who uses the browser get the normal file chooser again.
    session.command("Page.setInterceptFileChooserDialog", &json!({ "enabled": false })).await?;
    outcome
}

async fn drop_at(session: &Session, paths: &[PathBuf], x: f64, y: f64) -> Result<(), CommandError> {
    let data = json!({ "items": [], "files": paths, "dragOperationsMask": 1 });
    for kind in ["dragEnter", "dragOver", "drop"] {
        let params = json!({ "type": kind, "x": x, "y": y, "data": data });
        session.command("Input.dispatchDragEvent", &params).await?;
    }
    Ok(())
}

fn failed(why: &str) -> CommandError {
    CommandError::Refused { code: 0, message: why.to_owned() }
}

/// Writes the files into new folders and returns their paths.
fn write(folder: &Path, files: &[Given]) -> io::Result<Vec<PathBuf>> {
    if files.len() > FILES_LEN_MAX {
        return Err(io::Error::other(format!("there are more than {FILES_LEN_MAX}")));
    }
    let mut paths = Vec::with_capacity(files.len());
    for file in files {
        let bytes = STANDARD.decode(&file.base64).map_err(io::Error::other)?;
        // One folder per file, so that two files of the same name keep it.
        let own = folder.join(super::script::random_text(12));
        eye_platform::files::make_folder(&own)?;
        let path = own.join(plain(&file.name));
        eye_platform::files::private(OpenOptions::new().write(true).create_new(true)).open(&path)?.write_all(&bytes)?;
        paths.push(path);
    }
    Ok(paths)
}

/// The last part of a path, which can only name a file inside a folder.
fn plain(name: &str) -> &str {
    let last = name.rsplit(['/', '\\', '\0']).next().unwrap_or_default();
    let mut end = last.len().min(NAME_BYTES_MAX);
    while !last.is_char_boundary(end) {
        end -= 1;
    }
    match &last[..end] {
        "" | "." | ".." => "file",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_never_leaves_its_folder() {
        for (name, want) in [
            ("a.txt", "a.txt"),
            ("../../a", "a"),
            ("/etc/passwd", "passwd"),
            ("c:\\x\\y.png", "y.png"),
            ("..", "file"),
            ("", "file"),
            ("a/", "file"),
            ("a\0b", "b"),
        ] {
            assert_eq!(plain(name), want);
        }
        assert_eq!(plain(&"x".repeat(NAME_BYTES_MAX)).len(), NAME_BYTES_MAX);
        assert_eq!(plain(&"ä".repeat(NAME_BYTES_MAX)).len(), NAME_BYTES_MAX);
    }

    #[test]
    fn files_are_for_this_user_alone_and_not_more_than_the_limit() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = || Given { name: "a".into(), base64: "aGk=".into() };
        let paths = write(&folder.path().join("b"), &[file(), file()]).unwrap();
        assert_ne!(paths[0], paths[1]);
        assert_eq!(std::fs::read(&paths[1]).unwrap(), b"hi");
        assert_eq!(std::fs::metadata(&paths[0]).unwrap().permissions().mode() & 0o777, 0o600);
        let many: Vec<Given> = (0..=FILES_LEN_MAX).map(|_| file()).collect();
        assert!(write(folder.path(), &many[1..]).is_ok());
        assert!(write(folder.path(), &many).is_err());
    }
}
