//! Server-sent events: answers with messages before their response, and streams that can be resumed.

use super::reply::{Body, EVENTS, response};
use crate::face::call::Outgoing;
use crate::face::limits::{APART, KEEP_ALIVE};
use crate::face::sessions::{Log, Next};
use bytes::Bytes;
use futures_util::stream::unfold;
use http::{Response, StatusCode};
use http_body::Frame;
use http_body_util::StreamBody;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// A request in progress; it ends with the response as text.
pub type Work = Pin<Box<dyn Future<Output = String> + Send>>;

const ALIVE: &[u8] = b": alive\n\n";

/// One event. Our JSON contains no newline, so it fits one line of data.
fn event(id: Option<&str>, data: &str) -> Bytes {
    match id {
        Some(id) => format!("id: {id}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
    .into()
}

struct Answering {
    queue: VecDeque<String>,
    outgoing: mpsc::Receiver<Outgoing>,
    work: Option<Work>,
    /// The response, which is sent after a pause, apart from the messages before it.
    last: Option<String>,
}

/// An answer as a stream: messages, then the response. A client that closes the connection cancels the request.
pub fn answering(first: String, outgoing: mpsc::Receiver<Outgoing>, work: Work) -> Response<Body> {
    let state = Answering { queue: VecDeque::from([first]), outgoing, work: Some(work), last: None };
    let stream = unfold(state, |mut state| async move {
        loop {
            if let Some(text) = state.queue.pop_front() {
                return Some((frame(event(None, &text)), state));
            }
            if let Some(last) = state.last.take() {
                tokio::time::sleep(APART).await;
                return Some((frame(event(None, &last)), state));
            }
            let work = state.work.as_mut()?;
            tokio::select! {
                biased;
                Some(message) = state.outgoing.recv() => {
                    if let Outgoing::Message(text) = message {
                        state.queue.push_back(text);
                    }
                }
                last = work => {
                    state.work = None;
                    while let Ok(Outgoing::Message(text)) = state.outgoing.try_recv() {
                        state.queue.push_back(text);
                    }
                    state.last = Some(last);
                }
                () = tokio::time::sleep(KEEP_ALIVE) => return Some((frame(Bytes::from_static(ALIVE)), state)),
            }
        }
    });
    response(StatusCode::OK, EVENTS, Box::pin(StreamBody::new(stream)))
}

/// How to read a stream.
pub struct Reading {
    pub log: Arc<Log>,
    /// The number of the first event; `None` to continue where the last reader stopped.
    pub from: Option<u64>,
    /// How long a client waits before it reconnects, in milliseconds.
    pub retry_ms: Option<u64>,
    /// Cancelled when the session ends.
    pub ended: CancellationToken,
}

/// A stream that can be resumed.
pub fn reading(reading: Reading) -> Response<Body> {
    let (turn, from) = reading.log.begin(reading.from);
    let retry = reading.retry_ms;
    let state = (reading, turn, from, retry);
    let stream = unfold(state, |(reading, turn, from, retry)| async move {
        if let Some(ms) = retry {
            return Some((frame(format!("retry: {ms}\n\n").into()), (reading, turn, from, None)));
        }
        let next = tokio::select! {
            biased;
            next = timeout(KEEP_ALIVE, reading.log.next(turn, from)) => next,
            () = reading.ended.cancelled() => return None,
        };
        match next {
            Err(_) => Some((frame(Bytes::from_static(ALIVE)), (reading, turn, from, None))),
            Ok((Next::Event(id, text), from)) => Some((frame(event(Some(&id), &text)), (reading, turn, from, None))),
            Ok((Next::End, _)) => None,
        }
    });
    response(StatusCode::OK, EVENTS, Box::pin(StreamBody::new(stream)))
}

#[expect(clippy::unnecessary_wraps, reason = "a body's stream may fail; ours does not")]
fn frame(bytes: Bytes) -> Result<Frame<Bytes>, Infallible> {
    Ok(Frame::data(bytes))
}
