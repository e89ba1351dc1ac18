//! The inbox of an agent inside this process: answers go to the calls that wait for them, other messages are queued.

use eye_protocol::limits::LINK_NEWS_LEN_MAX;
use eye_protocol::local::ProgressSink;
use eye_protocol::{Ending, Error};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, oneshot, watch};

/// Frames for this agent. The hub adds them while its state is locked, so nothing here may call the hub.
#[derive(Debug, Default)]
pub struct Letterbox {
    inner: Mutex<Inner>,
    came: Notify,
    /// Why the hub ended this agent.
    ended: watch::Sender<Option<Error>>,
}

#[derive(Debug, Default)]
struct Inner {
    waiting: FxHashMap<u32, Waiting>,
    news: VecDeque<String>,
    news_bytes: usize,
    closed: bool,
}

/// A call that waits for its answer.
#[derive(Debug)]
pub struct Waiting {
    pub answer: oneshot::Sender<Came>,
    /// Whether it takes the ending of its call as it is.
    pub takes_ending: bool,
    pub progress: Option<ProgressSink>,
}

/// What came for a call.
#[derive(Debug)]
pub enum Came {
    /// A response, as JSON text.
    Response(String),
    Ending(Ending),
}

const RESPONSE: &str = r#"{"jsonrpc":"2.0","id":"#;
const PROGRESS: &str = r#"{"jsonrpc":"2.0","method":"call/progress","params":"#;

impl Letterbox {
    fn hold(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a call that waits for the answer with this id.
    pub fn expect(&self, id: u32, waiting: Waiting) {
        let mut inner = self.hold();
        if !inner.closed {
            inner.waiting.insert(id, waiting);
        }
    }

    /// Removes a waiting call. `false`: it was answered.
    pub fn forget(&self, id: u32) -> bool {
        self.hold().waiting.remove(&id).is_some()
    }

    /// Accepts how the call with this id ended, if that call takes it so.
    pub fn put_ending(&self, id: &str, ending: &Ending) -> bool {
        let Ok(id) = id.parse::<u32>() else { return false };
        let mut inner = self.hold();
        if !inner.waiting.get(&id).is_some_and(|waiting| waiting.takes_ending) {
            return false;
        }
        if let Some(waiting) = inner.waiting.remove(&id) {
            let _ = waiting.answer.send(Came::Ending(ending.clone()));
        }
        true
    }

    /// Accepts one frame.
    pub fn put(&self, json: &str) {
        let mut inner = self.hold();
        if let Some(id) = response_id(json) {
            if let Some(waiting) = inner.waiting.remove(&id) {
                // A receiver that no longer waits is fine.
                let _ = waiting.answer.send(Came::Response(json.to_owned()));
            }
            return;
        }
        if let Some(params) = json.strip_prefix(PROGRESS) {
            let params = params.strip_suffix('}').unwrap_or(params);
            let sink = progress_id(params).and_then(|id| inner.waiting.get(&id)).and_then(|w| w.progress.as_ref());
            if let Some(sink) = sink {
                sink.put(params);
            }
            return;
        }
        if inner.news.len() >= LINK_NEWS_LEN_MAX
            && let Some(oldest) = inner.news.pop_front()
        {
            inner.news_bytes -= oldest.len();
        }
        inner.news_bytes += json.len();
        inner.news.push_back(json.to_owned());
        drop(inner);
        self.came.notify_one();
    }

    /// Waits for the next message that is not an answer. `None`: the letterbox is closed.
    pub async fn next(&self) -> Option<String> {
        loop {
            let notified = self.came.notified();
            {
                let mut inner = self.hold();
                if let Some(news) = inner.news.pop_front() {
                    inner.news_bytes -= news.len();
                    return Some(news);
                }
                if inner.closed {
                    return None;
                }
            }
            notified.await;
        }
    }

    /// Bytes of queued messages that are not answers.
    pub fn len_bytes(&self) -> usize {
        self.hold().news_bytes
    }

    /// Ends this agent for a reason.
    pub fn end(&self, error: Error) {
        self.ended.send_replace(Some(error));
        self.close();
    }

    pub fn why_ended(&self) -> Option<Error> {
        self.ended.borrow().clone()
    }

    /// Resolves when the hub ends this agent.
    pub fn ending(&self) -> watch::Receiver<Option<Error>> {
        self.ended.subscribe()
    }

    /// Closes the letterbox: no more frames come.
    pub fn close(&self) {
        let mut inner = self.hold();
        inner.closed = true;
        inner.waiting.clear();
        drop(inner);
        self.came.notify_one();
    }
}

fn response_id(json: &str) -> Option<u32> {
    let rest = json.strip_prefix(RESPONSE)?;
    rest[..rest.find(',')?].parse().ok()
}

fn progress_id(params: &str) -> Option<u32> {
    #[derive(serde::Deserialize)]
    struct Id {
        id: u32,
    }
    serde_json::from_str::<Id>(params).ok().map(|progress| progress.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_that_nobody_reads_are_bounded() {
        let letterbox = Letterbox::default();
        for _ in 0..=LINK_NEWS_LEN_MAX {
            letterbox.put(r#"{"jsonrpc":"2.0","method":"x"}"#);
        }
        assert_eq!(letterbox.hold().news.len(), LINK_NEWS_LEN_MAX);
    }
}
