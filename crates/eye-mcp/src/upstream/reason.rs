//! Why a server is down, in one line: how it ended and the last line of its output, where programs put the reason.

use crate::config::environment::WITHHELD;

/// Separates how a child ended from its stderr.
pub const STDERR_MARK: &str = "; it said: ";

/// Why a server is not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It refused the handshake with 401.
    #[error("it wants a login: eye servers login {0}")]
    Login(Box<str>),
    /// It could not be started, ended, or does not speak MCP: how, with the end of its stderr.
    #[error("{0}")]
    Failed(String),
}

impl Reason {
    /// Applies a change to the text.
    pub fn map(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Login(server) => Self::Login(server),
            Self::Failed(why) => Self::Failed(change(why)),
        }
    }

    /// Whether only a login is missing.
    pub fn is_login(&self) -> bool {
        matches!(self, Self::Login(_))
    }
}

impl From<String> for Reason {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

impl From<&str> for Reason {
    fn from(why: &str) -> Self {
        Self::Failed(why.to_owned())
    }
}

/// `it ended with exit status: 1: ModuleNotFoundError: No module named 'x'`.
pub fn short(why: &str) -> String {
    let why = why.find(WITHHELD).map_or(why, |at| why[..at].trim_end_matches([';', ' ']));
    let Some((how, stderr)) = why.split_once(STDERR_MARK) else { return why.trim().to_owned() };
    match stderr.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(last) => format!("{how}: {last}"),
        None => how.to_owned(),
    }
}

/// Logs that a server is down. Its stderr may hold secrets and is left out; `eye servers` shows it.
pub fn log(server: &str, stopped: bool, failures: u32, why: &str) {
    let why = why.split(STDERR_MARK).next().unwrap_or_default();
    if !stopped {
        tracing::warn!(server, failures, why, "an MCP server is down");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_traceback_is_the_reason() {
        let why =
            "it ended with exit status: 1; it said: Traceback (most recent call last):\n  File x\nKeyError: 'k'\n\n";
        assert_eq!(short(why), "it ended with exit status: 1: KeyError: 'k'");
        assert_eq!(short("it closed its output"), "it closed its output");
        assert_eq!(short("it ended; it said: \n"), "it ended");
        let long = format!("it ended with exit status: 3; it said: a\nno database; {WITHHELD}A, B; pass one");
        assert_eq!(short(&long), "it ended with exit status: 3: no database");
    }
}
