//! Errors for requests, with the messages and codes of the original app (`docs/seeds.md`).

use crate::evolution::Failure;
use serde_json::{Map, Value};

/// The three error kinds of the original app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request cannot be understood, or is out of bounds.
    InvalidInput,
    /// No worker can do it, or all are busy.
    BackendUnavailable,
    /// It was tried and failed.
    ExecutionFailed,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidInput => "INVALID_INPUT",
            Self::BackendUnavailable => "BACKEND_UNAVAILABLE",
            Self::ExecutionFailed => "EXECUTION_FAILED",
        }
    }
}

/// An error: its kind, one sentence, and the position in the shader if known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub kind: Kind,
    /// One sentence, with the next step if there is one.
    pub message: String,
    /// The line in the shader, from 1.
    pub line: Option<u32>,
    /// The column in the shader, from 1.
    pub column: Option<u32>,
}

impl Refusal {
    /// An error without a position.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), line: None, column: None }
    }

    /// An error for an invalid request.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::InvalidInput, message)
    }

    /// The error as members of a reply.
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
