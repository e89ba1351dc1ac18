//! The task of a page, on the wire between hubs.

use eye_core::{Task, Terms};
use serde::{Deserialize, Serialize};

/// [`Task`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WireTask {
    #[serde(rename = "E")]
    Eval {
        #[serde(rename = "c")]
        code: String,
        #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
        frame: Option<Box<str>>,
        #[serde(rename = "t", default, skip_serializing_if = "WireTerms::is_usual")]
        terms: WireTerms,
    },
    Tool {
        name: Box<str>,
        arguments: Box<str>,
        confirmed: bool,
        terms: WireTerms,
    },
    Verb {
        method: Box<str>,
        params: Box<str>,
        again: bool,
        terms: WireTerms,
    },
    State,
}

/// [`Terms`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireTerms {
    pub delta: bool,
    pub if_revision: Option<u64>,
}

impl WireTerms {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

impl From<Task> for WireTask {
    fn from(task: Task) -> Self {
        match task {
            Task::Eval { code, frame, terms } => Self::Eval { code, frame, terms: terms.into() },
            Task::Tool { name, arguments, confirmed, terms } => {
                Self::Tool { name, arguments, confirmed, terms: terms.into() }
            }
            Task::Verb { method, params, again, terms } => Self::Verb { method, params, again, terms: terms.into() },
            Task::State => Self::State,
        }
    }
}

impl From<WireTask> for Task {
    fn from(task: WireTask) -> Self {
        match task {
            WireTask::Eval { code, frame, terms } => Self::Eval { code, frame, terms: terms.into() },
            WireTask::Tool { name, arguments, confirmed, terms } => {
                Self::Tool { name, arguments, confirmed, terms: terms.into() }
            }
            WireTask::Verb { method, params, again, terms } => {
                Self::Verb { method, params, again, terms: terms.into() }
            }
            WireTask::State => Self::State,
        }
    }
}

impl From<Terms> for WireTerms {
    fn from(Terms { delta, if_revision }: Terms) -> Self {
        Self { delta, if_revision }
    }
}

impl From<WireTerms> for Terms {
    fn from(WireTerms { delta, if_revision }: WireTerms) -> Self {
        Self { delta, if_revision }
    }
}
