//! Requests from an upstream during a call: passed on to the client of that call, where it is known.

use super::connection::Connection;
use super::envelope;
use super::listener::Listener;
use crate::context::Question;
use crate::error::RpcError;
use eye_protocol::{Code, Error};
use serde_json::value::RawValue;
use std::sync::{Arc, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// The client capabilities that we declare to legacy servers. Whether the actual client has one is checked when it is
/// needed.
pub const ABILITIES: &str = r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{"listChanged":true}}"#;
const PASSED_ON: [&str; 2] = ["elicitation/create", "sampling/createMessage"];
const METHOD_SHOWN_CHARS_MAX: usize = 100;

/// Why an upstream's request reaches no agent.
#[derive(Debug, thiserror::Error)]
enum Unbridged {
    #[error("agents cannot be asked that")]
    Method,
    #[error("several calls are under way, and which one it is about cannot be told")]
    Ambiguous,
    #[error("no caller that could be asked waits for a call")]
    NoAgent,
    #[error("too much is asked at once")]
    Flood,
}

impl Connection {
    /// Handles an upstream's request. `about` is our call on whose stream it came, if known.
    pub(super) fn requested(
        self: &Arc<Self>,
        id: Box<RawValue>,
        method: &str,
        params: Option<Box<RawValue>>,
        about: Option<u64>,
    ) {
        if method == "ping" {
            return self.reply(&id, &Ok(raw("{}")));
        }
        if method == "roots/list" {
            return self.reply(&id, &Ok(raw(&self.roots.list(self.root.as_deref()))));
        }
        let passed = self.whose(method, about).and_then(|(call, sink)| {
            let (answer, answered) = oneshot::channel();
            let params = params.unwrap_or_else(|| raw("{}"));
            let question = Question { method: method.to_owned(), params, answer };
            sink.try_send(question).map_err(|_| Unbridged::Flood)?;
            Ok((call, answered))
        });
        let (call, answered) = match passed {
            Ok(passed) => passed,
            Err(why) => {
                let method: String = method.chars().take(METHOD_SHOWN_CHARS_MAX).collect();
                let error = Error::new(Code::METHOD, format!("the gateway cannot pass {method} on: {why}"));
                *self.unbridged.lock().unwrap_or_else(PoisonError::into_inner) = Some(method);
                return self.reply(&id, &Err(error.into()));
            }
        };
        self.count_question(call, 1);
        let connection = Arc::clone(self);
        tokio::spawn(async move {
            let outcome = tokio::select! {
                outcome = answered => outcome,
                () = connection.closed.cancelled() => return,
            };
            connection.count_question(call, -1);
            let none = || Err(Error::new(Code::CANCELLED, "the agent no longer waits for this call").into());
            connection.reply(&id, &outcome.unwrap_or_else(|_| none()));
        });
    }

    /// The call that a request belongs to, and the receiver of its questions.
    fn whose(&self, method: &str, about: Option<u64>) -> Result<(u64, mpsc::Sender<Question>), Unbridged> {
        if !PASSED_ON.contains(&method) {
            return Err(Unbridged::Method);
        }
        let calls = self.calls();
        let mut able =
            calls.iter().filter(|(id, _)| about.is_none_or(|about| about == **id)).filter_map(|(id, waiting)| {
                let sink = waiting.questions.clone()?;
                Some((*id, sink))
            });
        match (able.next(), able.next()) {
            (Some(one), None) => Ok(one),
            (Some(_), Some(_)) => Err(Unbridged::Ambiguous),
            (None, _) => Err(Unbridged::NoAgent),
        }
    }

    fn reply(self: &Arc<Self>, id: &RawValue, outcome: &Result<Box<RawValue>, RpcError>) {
        let text = envelope::response(id, outcome.as_ref().map(AsRef::as_ref));
        if self.send(None, self.era(), "", None, text).is_err() {
            self.end("it asks without reading the answers");
        }
    }

    fn count_question(&self, call: u64, by: isize) {
        if let Some(waiting) = self.calls().get_mut(&call) {
            waiting.asking = waiting.asking.saturating_add_signed(by);
        }
    }

    /// Whether this call waits for its caller to answer a question.
    pub(super) fn is_asking(&self, call: u64) -> bool {
        self.calls().get(&call).is_some_and(|waiting| waiting.asking > 0)
    }

    /// The last request that could not be passed on; it may be why the upstream does not answer.
    pub(super) fn unbridged(&self) -> Option<String> {
        self.unbridged.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
