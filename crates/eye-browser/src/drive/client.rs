//! Requests of the driver itself to the page client of a document. Their answers are not passed to the hub.

use super::frames;
use eye_protocol::rpc::{self, json};
use eye_protocol::{Code, Ending, Error};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// The prefix of ids of the driver's own requests. The hub's ids are numbers.
const ID_PREFIX: &str = "d";

/// How long a page client may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The page client of one document.
#[derive(Clone, Debug)]
pub struct Client {
    /// Leads to the tab, which passes requests to the client in order with all other messages.
    questions: mpsc::UnboundedSender<String>,
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Debug, Default)]
struct Waiting {
    last: u64,
    pending: HashMap<String, oneshot::Sender<Ending>>,
}

impl Client {
    /// The client of a document. The tab receives its requests.
    pub fn new(questions: mpsc::UnboundedSender<String>) -> Self {
        Self { questions, waiting: Arc::default() }
    }

    fn hold(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and waits for the answer.
    pub async fn ask(&self, method: &str, params: &serde_json::Value) -> Ending {
        let (sender, receiver) = oneshot::channel();
        let id = {
            let mut waiting = self.hold();
            waiting.last += 1;
            let id = format!("{ID_PREFIX}{}", waiting.last);
            waiting.pending.insert(id.clone(), sender);
            id
        };
        let left = || Err(Error::new(Code::CONNECTION, "the page left before it answered"));
        let ending = match self.questions.send(format!("[{}]", rpc::request(&json(&id), method, params))) {
            Ok(()) => match timeout(PATIENCE, receiver).await {
                Ok(Ok(ending)) => ending,
                Ok(Err(_)) => left(),
                Err(_) => Err(Error::new(Code::TIMEOUT, "the page does not say where things are")),
            },
            Err(_) => left(),
        };
        self.hold().pending.remove(&id);
        ending
    }

    /// Ends all pending requests with an error, because the document cannot answer.
    pub fn fail(&self, error: &Error) {
        for (_, waiting) in self.hold().pending.drain() {
            // Fails if the caller no longer waits.
            let _ = waiting.send(Err(error.clone()));
        }
    }

    /// The document is gone: its pending requests get no answer.
    pub fn left(&self) {
        self.hold().pending.clear();
    }

    /// Takes the answers to the driver's requests out of a message of the page. Returns the rest, which is for the hub.
    pub fn take<'a>(&self, message: &'a str) -> Option<Cow<'a, str>> {
        if self.hold().pending.is_empty() || !message.starts_with('[') {
            return Some(message.into());
        }
        let mut mine = Vec::new();
        for id in frames::answered(message).into_iter().filter(|id| id.starts_with(ID_PREFIX)) {
            if let Some(waiting) = self.hold().pending.remove(&id) {
                mine.push((id, waiting));
            }
        }
        if mine.is_empty() {
            return Some(message.into());
        }
        let elements: Vec<serde_json::Value> = serde_json::from_str(message).unwrap_or_default();
        let rest: Vec<&serde_json::Value> =
            elements.iter().filter(|element| !mine.iter().any(|(id, _)| frames::is_of(element, id))).collect();
        let rest = (!rest.is_empty()).then(|| json(&rest).into());
        for (id, waiting) in mine {
            if let Some(element) = elements.iter().find(|element| frames::is_of(element, &id)) {
                // Fails if the caller no longer waits.
                let _ = waiting.send(ending_of(element));
            }
        }
        rest
    }
}

fn ending_of(element: &serde_json::Value) -> Ending {
    match element.as_str() {
        Some(line) => {
            let unclear = || Err(Error::new(Code::INTERNAL, "the page's answer is malformed"));
            eye_protocol::answer::parse_typed(line).map_or_else(unclear, |(_, ending)| ending)
        }
        None => Err(Error::from_raw(&json(&element["error"]))),
    }
}
