//! Why something that was asked for does not happen, in the words and with the codes of the seed.

use crate::evolution::Failure;
use serde_json::{Map, Value};

/// The seed's three kinds of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What was asked for cannot be understood or is out of bounds.
    InvalidInput,
    /// No worker is there to do it, or all are busy.
    BackendUnavailable,
    /// It was tried, and failed.
    ExecutionFailed,
}

impl Kind {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidInput => "INVALID_INPUT",
            Self::BackendUnavailable => "BACKEND_UNAVAILABLE",
            Self::ExecutionFailed => "EXECUTION_FAILED",
        }
    }
}

/// A refusal: its kind, one sentence, and where in a shader, if that is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What kind.
    pub kind: Kind,
    /// One sentence, with the next step where there is one.
    pub message: String,
    /// The shader's line, from 1.
    pub line: Option<u32>,
    /// Its column, from 1.
    pub column: Option<u32>,
}

impl Refusal {
    /// A refusal without a place.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), line: None, column: None }
    }

    /// What was asked for is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::InvalidInput, message)
    }

    /// As members of a reply.
    pub fn members(&self) -> Map<String, Value> {
        let mut members = Map::new();
        members.insert("success".into(), false.into());
        members.insert("error".into(), self.message.clone().into());
        members.insert("error_code".into(), self.kind.name().into());
        members.extend(self.line.map(|line| ("line".into(), line.into())));
        members.extend(self.column.map(|column| ("column".into(), column.into())));
        members
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let message = failure.to_string();
        match failure {
            Failure::Invalid { line, column, .. } => Self { line, column, ..Self::invalid(message) },
            Failure::OutOfRange { .. } | Failure::Endless { .. } => Self::invalid(message),
            Failure::Cancelled | Failure::Thread { .. } => Self::new(Kind::ExecutionFailed, message),
        }
    }
}
