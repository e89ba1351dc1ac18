//! Errors for agents: why there is no browser or no page.

use crate::error::BrowserError;
use eye_protocol::{Code, Error};

/// How long a page that was opened may take to join and to load, in ms.
pub const OPEN_MS: u64 = 30_000;

/// The opened page did not join in time.
pub fn late(url: &str) -> Error {
    Error::new(Code::TIMEOUT, format!("{url} did not join within {} s", OPEN_MS / 1000))
        .hint("`eye pages` shows whether it has come since")
}

/// The error of a browser, with the next step as a hint.
pub fn to_error(error: &BrowserError) -> Error {
    let text = match std::error::Error::source(error) {
        Some(why) => format!("{error}: {why}"),
        None => error.to_string(),
    };
    let hint = match error {
        BrowserError::NotFound => "install chromium, or name a browser in EYE_BROWSER; `eye doctor` says more",
        BrowserError::InUse { .. } => "close that browser, or take another --profile, or --private",
        BrowserError::Profile { .. } => "take another --profile",
        BrowserError::Start { .. } | BrowserError::Died(_) => {
            "try it by hand, or give it arguments in EYE_BROWSER_ARGS (in a container: --no-sandbox)"
        }
        BrowserError::Unreachable { .. } => {
            "allow remote debugging in that browser (chrome://inspect/#remote-debugging), and answer its question"
        }
        BrowserError::Command(_) => "`eye browse --stop` ends it; then try again",
    };
    Error::new(Code::CONNECTION, text).hint(hint)
}
