//! The errors of commands and browsers.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// A dialog of a page: `alert`, `confirm`, `prompt` or `beforeunload`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    pub message: String,
    /// The default text of a `prompt`.
    pub suggestion: String,
}

/// Why a command has no result. Every command ends with its result or with one of these errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    #[error("{message}")]
    Refused {
        code: i64,
        /// The browser's own message.
        message: String,
    },
    /// The page shows a dialog. It runs no script until the dialog is answered.
    #[error("the page shows {}: {}", .0.kind, .0.message)]
    Dialog(Dialog),
    /// The page's process ended.
    #[error("the page crashed")]
    Crashed,
    /// The page or its session was closed.
    #[error("the page was closed")]
    Detached,
    #[error("the browser ended: {0}")]
    Ended(Arc<str>),
    #[error("no answer to {method} within {ms} ms")]
    Late { method: String, ms: u64 },
    /// The answer does not have the form that the protocol defines.
    #[error("the browser's answer to {method} is malformed: {why}")]
    Malformed { method: String, why: String },
}

/// Why a browser could not be started or attached.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    #[error("no Chromium, Chrome, Edge or Brave is installed")]
    NotFound,
    #[error("{} cannot be started", program.display())]
    Start {
        program: PathBuf,
        #[source]
        why: io::Error,
    },
    /// The profile's folder could not be created or used.
    #[error("the profile folder {} cannot be used", folder.display())]
    Profile {
        folder: PathBuf,
        #[source]
        why: io::Error,
    },
    /// Another browser has the profile open.
    #[error("the profile {} is in use{}", folder.display(), by(*.pid))]
    InUse {
        folder: PathBuf,
        /// The process that has it open, if known.
        pid: Option<u32>,
    },
    /// The browser ended before its first answer.
    #[error("the browser ended at its start: {0}")]
    Died(String),
    /// No browser answers at the endpoint that the person named.
    #[error("no browser answers at {url}: {why}")]
    Unreachable { url: String, why: String },
    /// A first command to the browser failed.
    #[error(transparent)]
    Command(#[from] CommandError),
}

fn by(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" by process {pid}"))
}
