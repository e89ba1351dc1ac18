//! Why a query has no answer and a name no tool, and what to do about it.

use super::names::qualified;
use crate::limits::QUERY_BYTES_MAX;
use eye_protocol::{Code, Error};

/// Why a query cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiscoverError {
    /// Nothing was asked.
    #[error("the query is empty")]
    Empty,
    /// Too much was asked.
    #[error("the query has more than {} KiB", QUERY_BYTES_MAX >> 10)]
    TooLong,
    /// The path would select more than there is.
    #[error("the path has {0}")]
    TooBroad(&'static str),
    /// The path is none.
    #[error("not a JSONPath: {why}")]
    Path {
        /// Where and what.
        why: String,
    },
}

impl DiscoverError {
    /// The same as every face says it.
    pub fn to_error(&self) -> Error {
        let hint = match self {
            Self::Empty => "give words (`read file`) or a JSONPath (`$.tools[?@.name contains 'file'].name`)",
            Self::TooLong | Self::TooBroad(_) => "ask for less",
            Self::Path { .. } => "write it as in `$.tools[?@.name contains 'file'].name`, or use plain words",
        };
        Error::new(Code::PARAMS, self.to_string()).hint(hint)
    }
}

/// Why a name is no tool's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// Several providers have one.
    #[error("{} providers have a tool `{name}`", .candidates.len())]
    Ambiguous {
        /// The name.
        name: String,
        /// `server::tool` of each.
        candidates: Vec<String>,
    },
    /// None has.
    #[error("Tool not found: {name}")]
    Unknown {
        /// The name.
        name: String,
        /// Names like it.
        near: Vec<String>,
        /// Servers that may have it, but are not there.
        notes: Vec<String>,
    },
    /// The caller used it in another page, which no longer offers it.
    #[error("`{name}` was a tool of {before}, which no longer offers it; nothing was done")]
    Moved {
        /// The name.
        name: String,
        /// The page that it was called in.
        before: String,
        /// The page that offers one of this name now.
        now: String,
    },
    /// Its server is not there.
    #[error("{why}")]
    Down {
        /// The name.
        name: String,
        /// What is wrong with the server.
        why: String,
        /// What to do about it, where that is known.
        hint: Option<String>,
    },
    /// It is a server's, and the token of the caller does not cover servers.
    #[error("{}", .0.message)]
    Refused(Error),
}

impl Unresolved {
    /// The same as every face says it.
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

    /// The same, with what is known of servers that may have the tool.
    #[must_use]
    pub fn beside(self, notes: Vec<String>) -> Self {
        match self {
            Self::Unknown { name, near, .. } => Self::Unknown { name, near, notes },
            Self::Ambiguous { .. } | Self::Moved { .. } | Self::Down { .. } | Self::Refused(_) => self,
        }
    }
}
