//! Results that wait until the client has read what was told before them. The TypeScript SDK forgets whom to tell of progress when it
//! reads progress and result in one piece, so that a result is written only after the client has answered a ping that was written between
//! them. A modern client has no ping: there a short pause stands in between.

use super::limits::{APART, PONG};
use crate::error::RpcError;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout_at};

/// A result that is not written yet.
#[derive(Debug)]
struct Held {
    text: String,
    until: Instant,
    ping: Option<Ping>,
}

/// A ping that has no answer yet: its id, and where the answer comes.
pub(super) type Ping = (u64, oneshot::Receiver<Result<Box<RawValue>, RpcError>>);

/// The results of one connection that wait, in their order.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    all: VecDeque<Held>,
    /// When something was last told that the client may not have read.
    told: Option<Instant>,
    /// The client left a ping unanswered: it is asked no more.
    deaf: bool,
}

impl Waiting {
    /// Something was told on the way.
    pub fn note_told(&mut self) {
        self.told = Some(Instant::now());
    }

    /// Whether the next result must follow an answered ping.
    pub fn wants_ping(&self) -> bool {
        self.told.is_some() && !self.deaf
    }

    /// Takes a result, and the ping to write before it if the client can be asked. Gives what is to be written now.
    pub fn take(&mut self, text: String, ping: Option<Ping>) -> Option<String> {
        let Some(told) = self.told else { return Some(text) };
        let until = match &ping {
            Some(_) => Instant::now() + PONG,
            None => told + APART,
        };
        if until <= Instant::now() {
            return Some(text);
        }
        let written = ping.as_ref().map(|(id, _)| format!(r#"{{"jsonrpc":"2.0","id":"eye-{id}","method":"ping"}}"#));
        if written.is_some() {
            self.told = None;
        }
        self.all.push_back(Held { text, until, ping });
        written
    }

    /// Whether no result waits.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The client says nothing more: no result waits for an answer of it.
    pub fn hurry(&mut self) {
        for held in &mut self.all {
            held.until = Instant::now();
        }
    }

    /// Returns when the first of them may be written.
    pub async fn released(&mut self) -> bool {
        let Some(held) = self.all.front_mut() else { return std::future::pending().await };
        if let Some((_, pong)) = &mut held.ping {
            return timeout_at(held.until, pong).await.is_ok();
        }
        sleep_until(held.until).await;
        true
    }

    /// The first of them, and the id of a ping that was left unanswered. `answered` is what [`Self::released`] gave.
    pub fn next(&mut self, answered: bool) -> Option<(String, Option<u64>)> {
        let held = self.all.pop_front()?;
        let unanswered = held.ping.filter(|_| !answered).map(|(id, _)| id);
        self.deaf |= unanswered.is_some();
        Some((held.text, unanswered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_result_follows_the_answer_to_a_ping_or_its_limit() {
        let mut waiting = Waiting::default();
        assert_eq!(waiting.take("a".into(), None).as_deref(), Some("a"));
        waiting.note_told();
        assert!(waiting.wants_ping());
        let (pong, answer) = oneshot::channel();
        let written = waiting.take("b".into(), Some((7, answer))).unwrap();
        assert_eq!(written, r#"{"jsonrpc":"2.0","id":"eye-7","method":"ping"}"#);
        pong.send(Ok(RawValue::NULL.to_owned())).unwrap();
        let answered = waiting.released().await;
        assert_eq!((answered, waiting.next(answered)), (true, Some(("b".into(), None))));
        // What came after the ping is not proved by its answer; what came before is.
        assert_eq!(waiting.take("c".into(), None).as_deref(), Some("c"));
        waiting.note_told();
        let (_pong, answer) = oneshot::channel();
        waiting.take("d".into(), Some((8, answer)));
        let began = Instant::now();
        let answered = waiting.released().await;
        assert_eq!((answered, began.elapsed() >= PONG), (false, true));
        assert_eq!(waiting.next(answered), Some(("d".into(), Some(8))));
        // A client that left one unanswered gets a pause instead.
        waiting.note_told();
        assert!(!waiting.wants_ping() && waiting.take("e".into(), None).is_none() && !waiting.is_empty());
    }
}
