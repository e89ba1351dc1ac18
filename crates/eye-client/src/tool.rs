//! A tool of a page as its author sees it: a call to answer, its progress and its cancellation.

use crate::connection::Writer;
use eye_protocol::rpc;
use eye_protocol::{Code, Error};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::fmt::{self, Display};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The function that answers a tool's calls.
pub(crate) type Answer = dyn Fn(&ToolCall) -> Result<serde_json::Value, ToolError> + Send + Sync;

/// Why a tool failed. `?` converts any error to it; it does not implement `Error` itself, because that conversion would
/// then conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    code: Code,
    message: String,
}

impl ToolError {
    /// A failure with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: Code::THREW, message: message.into() }
    }

    /// Sets another code than [`Code::THREW`].
    #[must_use]
    pub fn code(mut self, code: Code) -> Self {
        self.code = code;
        self
    }

    pub(crate) fn into_error(self) -> Error {
        Error::new(self.code, self.message)
    }
}

impl Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

/// Whether a call was cancelled.
#[derive(Default)]
pub(crate) struct Flag {
    raised: Mutex<bool>,
    changed: Condvar,
}

impl Flag {
    pub fn raise(&self) {
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    fn is_raised(&self) -> bool {
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, time: Duration) -> bool {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let (raised, _) =
            self.changed.wait_timeout_while(raised, time, |raised| !*raised).unwrap_or_else(PoisonError::into_inner);
        *raised
    }
}

pub struct ToolCall {
    /// JSON text.
    pub(crate) id: Box<str>,
    pub(crate) name: String,
    pub(crate) arguments: serde_json::Value,
    pub(crate) cancelled: Arc<Flag>,
    pub(crate) writer: Writer,
}

impl ToolCall {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments. The hub has checked them against the tool's schema.
    pub fn arguments(&self) -> &serde_json::Value {
        &self.arguments
    }

    /// Parses the arguments.
    pub fn arguments_as<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        T::deserialize(&self.arguments).map_err(|error| ToolError::new(error.to_string()).code(Code::PARAMS))
    }

    /// Reports the call's progress to the caller.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: &str) {
        #[derive(Serialize)]
        struct Params<'a> {
            id: &'a RawValue,
            progress: f64,
            #[serde(skip_serializing_if = "Option::is_none")]
            total: Option<f64>,
            #[serde(skip_serializing_if = "str::is_empty")]
            message: &'a str,
        }
        let Ok(id) = serde_json::from_str(&self.id) else { return };
        // If the hub is gone, the call is cancelled as well.
        let _ = self.writer.send(&[&rpc::notification("call/progress", &Params { id, progress, total, message })]);
    }

    /// Whether the result is no longer needed: the call was cancelled or timed out, or the hub is gone.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_raised()
    }

    /// Waits for `time`, or until the call is cancelled; returns whether it is.
    pub fn wait_cancelled(&self, time: Duration) -> bool {
        self.cancelled.wait(time)
    }
}

impl fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCall").field("name", &self.name).field("arguments", &self.arguments).finish_non_exhaustive()
    }
}
