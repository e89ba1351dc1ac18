//! Why a query cannot be answered or a name not resolved, and what to do next.

use super::names::qualified;
use crate::limits::QUERY_BYTES_MAX;
use eye_protocol::{Code, Error};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiscoverError {
    #[error("the query is empty")]
    Empty,
    #[error("the query has more than {} KiB", QUERY_BYTES_MAX >> 10)]
    TooLong,
    /// The path could select more values than the document has.
    #[error("the path has {0}")]
    TooBroad(&'static str),
    /// The text is not a valid JSONPath.
    #[error("not a JSONPath: {why}")]
    Path {
        /// The parser's message, with the position.
        why: String,
    },
}

impl DiscoverError {
    /// As the error that every face sends.
    pub fn to_error(&self) -> Error {
        let hint = match self {
            Self::Empty => "give words (`read file`) or a JSONPath (`$.tools[?@.name contains 'file'].name`)",
            Self::TooLong | Self::TooBroad(_) => "ask for less",
            Self::Path { .. } => "write it as in `$.tools[?@.name contains 'file'].name`, or use plain words",
        };
        Error::new(Code::PARAMS, self.to_string()).hint(hint)
    }
}

/// Why a name does not resolve to one tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// Several providers have a tool of this name.
    #[error("{} providers have a tool `{name}`", .candidates.len())]
    Ambiguous {
        name: String,
        /// `server::tool` of each provider.
        candidates: Vec<String>,
    },
    /// No provider has a tool of this name.
    #[error("Tool not found: {name}")]
    Unknown {
        name: String,
        /// Similar names.
        near: Vec<String>,
        /// Notes about servers that may have the tool but are not running.
        notes: Vec<String>,
    },
    /// The caller called this tool in another page, which no longer offers it.
    #[error("`{name}` was a tool of {before}, which no longer offers it; nothing was done")]
    Moved {
        name: String,
        before: String,
        /// The page that offers a tool of this name now.
        now: String,
    },
    /// The tool's server is not running.
    #[error("{why}")]
    Down {
        name: String,
        why: String,
        /// The next step, where known.
        hint: Option<String>,
    },
    /// The tool belongs to a server, and the caller's token does not cover servers.
    #[error("{}", .0.message)]
    Refused(Error),
}

impl Unresolved {
    /// As the error that every face sends.
    pub fn to_error(&self) -> Error {
        let hint = match self {
            Self::Ambiguous { candidates, .. } => format!("call one of {}", candidates.join(", ")),
            Self::Moved { name, now, .. } => {
                let hint = format!("{now} offers one of that name: call {}", qualified(now, name));
                return Error::new(Code::SESSION, self.to_string()).hint(hint);
            }
            Self::Unknown { near, notes, .. } => {
                let next = if near.is_empty() {
                    "find tools by words: mcp_discover, or eye discover".into()
                } else {
                    format!("did you mean {}?", near.join(", "))
                };
                std::iter::once(next).chain(notes.iter().cloned()).collect::<Vec<_>>().join("; ")
            }
            Self::Refused(refusal) => return refusal.clone(),
            Self::Down { name, hint, .. } => {
                let server = name.split("::").next().unwrap_or(name);
                let more = || format!("`eye servers test {server}` tells more");
                return Error::new(Code::CONNECTION, self.to_string()).hint(hint.clone().unwrap_or_else(more));
            }
        };
        Error::new(Code::TOOL, self.to_string()).hint(hint)
    }

    /// Adds notes about servers that may have the tool.
    #[must_use]
    pub fn beside(self, notes: Vec<String>) -> Self {
        match self {
            Self::Unknown { name, near, .. } => Self::Unknown { name, near, notes },
            Self::Ambiguous { .. } | Self::Moved { .. } | Self::Down { .. } | Self::Refused(_) => self,
        }
    }
}
