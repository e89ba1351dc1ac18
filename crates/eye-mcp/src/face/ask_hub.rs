//! The interface to send requests to the hub for one agent, without knowing the call that needs it.

use eye_protocol::Error;
use eye_protocol::local::{LocalEval, LocalValue};
use serde_json::value::RawValue;

/// Sends requests to the hub for one agent.
pub trait AskHub: Sync {
    /// `params` is JSON text.
    fn ask_hub(&self, method: &str, params: &str) -> impl Future<Output = Result<Box<RawValue>, Error>> + Send;

    /// Evaluates code in a page.
    fn eval(&self, eval: LocalEval<'_>) -> impl Future<Output = Result<LocalValue, Error>> + Send;
}
