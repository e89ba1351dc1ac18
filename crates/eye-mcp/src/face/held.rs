//! Delays results until the client has read the messages before them. The TypeScript SDK loses the progress handler
//! when it reads progress and result in one chunk, so a result is written only after the client has answered a ping in
//! between. Modern clients have no ping: there the kernel is asked whether the client has read everything; where it
//! cannot tell (the shim pipes, or the system is not Linux), a short pause separates the two.

use super::limits::{APART, PONG, UNREAD_LOOK};
use super::unread::Unread;
use crate::error::RpcError;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

/// A result that is not written yet.
#[derive(Debug)]
struct Held {
    text: String,
    until: Instant,
    ping: Option<Ping>,
}

/// An unanswered ping: its id, and the receiver of its response.
pub(super) type Ping = (u64, oneshot::Receiver<Result<Box<RawValue>, RpcError>>);

/// The delayed results of one connection, in order.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    all: VecDeque<Held>,
    unread: Unread,
    /// When a message that the client may not have read yet was last written.
    written_at: Option<Instant>,
    /// The client left a ping unanswered: it gets no more pings.
    deaf: bool,
}

impl Waiting {
    /// `unread` is what the kernel can tell about the connection.
    pub fn new(unread: Unread) -> Self {
        Self { unread, ..Self::default() }
    }

    /// Records that a message was written during a request.
    pub fn note_written(&mut self) {
        self.written_at = Some(Instant::now());
    }

    /// Whether the next result must follow an answered ping.
    pub fn wants_ping(&self) -> bool {
        self.written_at.is_some() && !self.deaf
    }

    /// Takes a result, and the ping that precedes it if the client answers pings. Returns the text to write now, if
    /// any.
    pub fn take(&mut self, text: String, ping: Option<Ping>) -> Option<String> {
        let Some(written_at) = self.written_at else { return Some(text) };
        let until = match &ping {
            Some(_) => Instant::now() + PONG,
            None if self.unread.is_known() => written_at + PONG,
            None => written_at + APART,
        };
        if until <= Instant::now() {
            return Some(text);
        }
        let written = ping.as_ref().map(|(id, _)| format!(r#"{{"jsonrpc":"2.0","id":"eye-{id}","method":"ping"}}"#));
        if written.is_some() {
            self.written_at = None;
        }
        self.all.push_back(Held { text, until, ping });
        written
    }

    /// Whether no result is delayed.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Releases all results: the client has closed its side and answers no more pings.
    pub fn hurry(&mut self) {
        for held in &mut self.all {
            held.until = Instant::now();
        }
    }

    /// Returns when the first result may be written. Poll it only after all messages were handed to the kernel, or
    /// while the kernel accepts no more.
    pub async fn released(&mut self) -> bool {
        let Some(held) = self.all.front_mut() else { return std::future::pending().await };
        if let Some((_, pong)) = &mut held.ping {
            return timeout_at(held.until, pong).await.is_ok();
        }
        let until = held.until;
        while until > Instant::now() {
            match self.unread.is_empty() {
                Some(true) => return self.release(),
                Some(false) => sleep(UNREAD_LOOK).await,
                None => sleep_until(until).await,
            }
        }
        true
    }

    /// Releases the results without a ping: the client has read all messages.
    fn release(&mut self) -> bool {
        self.written_at = None;
        for held in self.all.iter_mut().filter(|held| held.ping.is_none()) {
            held.until = Instant::now();
        }
        true
    }

    /// Removes the first result; also returns the id of its ping if that was left unanswered. `answered` is the return
    /// value of [`Self::released`].
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
        waiting.note_written();
        assert!(waiting.wants_ping());
        let (pong, answer) = oneshot::channel();
        let written = waiting.take("b".into(), Some((7, answer))).unwrap();
        assert_eq!(written, r#"{"jsonrpc":"2.0","id":"eye-7","method":"ping"}"#);
        pong.send(Ok(RawValue::NULL.to_owned())).unwrap();
        let answered = waiting.released().await;
        assert_eq!((answered, waiting.next(answered)), (true, Some(("b".into(), None))));
        // The answer proves that messages before the ping were read, but not those after it.
        assert_eq!(waiting.take("c".into(), None).as_deref(), Some("c"));
        waiting.note_written();
        let (_pong, answer) = oneshot::channel();
        waiting.take("d".into(), Some((8, answer)));
        let began = Instant::now();
        let answered = waiting.released().await;
        assert_eq!((answered, began.elapsed() >= PONG), (false, true));
        assert_eq!(waiting.next(answered), Some(("d".into(), Some(8))));
        // A client that left one ping unanswered gets a pause instead.
        waiting.note_written();
        assert!(!waiting.wants_ping() && waiting.take("e".into(), None).is_none() && !waiting.is_empty());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test(start_paused = true)]
    async fn without_a_ping_a_result_waits_until_the_client_has_read_or_its_limit() {
        use std::io::{Read as _, Write as _};
        use std::os::unix::net::UnixStream;
        let (mut here, mut client) = UnixStream::pair().unwrap();
        let mut waiting = Waiting::new(Unread::of(&here));
        here.write_all(b"told").unwrap();
        waiting.note_written();
        assert!(waiting.take("a".into(), None).is_none() && waiting.take("b".into(), None).is_none());
        assert!(timeout_at(Instant::now() + PONG / 2, waiting.released()).await.is_err());
        client.read_exact(&mut [0; 4]).unwrap();
        let began = Instant::now();
        for text in ["a", "b"] {
            assert!(waiting.released().await);
            assert_eq!(waiting.next(true), Some((text.into(), None)));
        }
        assert!(began.elapsed() < APART);
        assert_eq!(waiting.take("c".into(), None).as_deref(), Some("c"));
        // A client that does not read gets the result after the limit all the same.
        here.write_all(b"told").unwrap();
        waiting.note_written();
        waiting.take("d".into(), None);
        let began = Instant::now();
        assert!(waiting.released().await && began.elapsed() >= PONG);
        assert_eq!(waiting.next(true), Some(("d".into(), None)));
    }
}
