//! Why a command or a browser failed.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// What the page asks the person by `alert`, `confirm`, `prompt` or `beforeunload`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// Its text.
    pub message: String,
    /// What a prompt suggests.
    pub suggestion: String,
}

/// Why a command has no result. Every command ends with its result or with one of these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The browser refused it.
    #[error("{message}")]
    Refused {
        /// The browser's own code.
        code: i64,
        /// The browser's own words.
        message: String,
    },
    /// The page shows a dialog, and runs nothing before that is answered.
    #[error("the page shows {}: {}", .0.kind, .0.message)]
    Dialog(Dialog),
    /// The page's process ended.
    #[error("the page crashed")]
    Crashed,
    /// The page was closed, or its session was.
    #[error("the page was closed")]
    Detached,
    /// The browser is gone.
    #[error("the browser ended: {0}")]
    Ended(Arc<str>),
    /// It took too long.
    #[error("no answer to {method} within {ms} ms")]
    Late {
        /// The command.
        method: String,
        /// The time it had.
        ms: u64,
    },
    /// The answer is not what the protocol says.
    #[error("the browser's answer to {method} is malformed: {why}")]
    Malformed {
        /// The command.
        method: String,
        /// What is wrong.
        why: String,
    },
}

/// Why there is no browser.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// None is installed.
    #[error("no Chromium, Chrome, Edge or Brave is installed")]
    NotFound,
    /// The program could not be started.
    #[error("{} cannot be started", program.display())]
    Start {
        /// Which.
        program: PathBuf,
        /// Why.
        #[source]
        why: io::Error,
    },
    /// The profile's folder could not be made or used.
    #[error("the profile folder {} cannot be used", folder.display())]
    Profile {
        /// Which.
        folder: PathBuf,
        /// Why.
        #[source]
        why: io::Error,
    },
    /// Another browser has the profile open.
    #[error("the profile {} is in use{}", folder.display(), by(*.pid))]
    InUse {
        /// Which.
        folder: PathBuf,
        /// The process that has it, where that is known.
        pid: Option<u32>,
    },
    /// It ended before it answered.
    #[error("the browser ended at its start: {0}")]
    Died(String),
    /// There is no endpoint where the person said.
    #[error("no browser answers at {url}: {why}")]
    Unreachable {
        /// Where.
        url: String,
        /// Why.
        why: String,
    },
    /// It did not answer as a browser does.
    #[error(transparent)]
    Command(#[from] CommandError),
}

fn by(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" by process {pid}"))
}
