//! A link over server-sent events and POST: each event and each body is a batch.

use crate::dial::{Fault, Http, Remote};
use eye_protocol::batch::{self, Batches, Element};
use eye_protocol::limits::{MESSAGE_BYTES_MAX, RELAY_FIRST_ANSWER_MS, RELAY_SILENCE_MS};
use eye_protocol::rpc::{self, Message};
use futures_util::StreamExt;
use http::{Method, header};
use http_body_util::{BodyDataStream, BodyExt, Limited};
use hyper::body::Incoming;
use serde::Deserialize;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;

/// The sending half.
pub struct Up {
    http: Http,
    remote: Remote,
    path: String,
}

/// The receiving half.
pub struct Down {
    body: BodyDataStream<Incoming>,
    lines: Lines,
    /// Holds the connection open while its body is read.
    _http: Http,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Connected {
    client_id: String,
}

/// Opens a stream, and waits for its first event.
pub async fn open(remote: &Remote) -> Result<(Up, Down), Fault> {
    let held_back = || Fault::Blocked("the stream of events is held back".into());
    timeout(Duration::from_millis(RELAY_FIRST_ANSWER_MS), begin(remote)).await.unwrap_or_else(|_| Err(held_back()))
}

async fn begin(remote: &Remote) -> Result<(Up, Down), Fault> {
    let mut http = Http::default();
    let response = http.send(remote, Method::GET, "/agent", Vec::new()).await?;
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| !kind.as_bytes().starts_with(b"text/event-stream")) {
        return Err(Fault::Blocked("no stream of events came back".into()));
    }
    let mut down = Down { body: response.into_body().into_data_stream(), lines: Lines::default(), _http: http };
    let first = down.next().await.map_err(|fault| Fault::Blocked(fault.why().to_owned()))?;
    let Some(client) = first.iter().find_map(|frame| client_id(frame)) else {
        return Err(Fault::Blocked("the stream of events does not begin as it should".into()));
    };
    let up = Up { http: Http::default(), remote: remote.clone(), path: format!("/agent?clientId={client}") };
    Ok((up, down))
}

fn client_id(frame: &str) -> Option<String> {
    match rpc::parse_one(frame)? {
        Message::Notification { method, params } if method == "connected" => {
            let Connected { client_id } = serde_json::from_str(&params).ok()?;
            let clean = client_id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
            clean.then_some(client_id)
        }
        _ => None,
    }
}

impl Up {
    /// Sends frames in order: each POST is complete before the next one begins.
    pub async fn send(&mut self, frames: &[String]) -> Result<(), Fault> {
        for body in bodies(frames) {
            let response = self.http.send(&self.remote, Method::POST, &self.path, body).await?;
            // The response is empty, but must be read before the connection can be reused.
            let _ = Limited::new(response.into_body(), MESSAGE_BYTES_MAX).collect().await;
            self.http.settle().await;
        }
        Ok(())
    }
}

impl Down {
    pub async fn next(&mut self) -> Result<Vec<String>, Fault> {
        loop {
            if let Some(data) = self.lines.data()? {
                return read(&data);
            }
            match timeout(Duration::from_millis(RELAY_SILENCE_MS), self.body.next()).await {
                Ok(Some(Ok(bytes))) => self.lines.push(&bytes),
                Ok(Some(Err(error))) => return Err(Fault::Unreachable(error.to_string())),
                Ok(None) => return Err(Fault::Unreachable("the hub ended the stream of events".into())),
                Err(_) => return Err(Fault::Unreachable(format!("silent for {} s", RELAY_SILENCE_MS / 1000))),
            }
        }
    }

    /// Whether the stream has ended while it was idle.
    pub fn poll_lost(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            match self.body.poll_next_unpin(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(bytes))) => self.lines.push(&bytes),
                Poll::Ready(_) => return Poll::Ready(()),
            }
            // Comments keep the stream alive. Any other data on an idle link means that the hub is retiring.
            if !matches!(self.lines.data(), Ok(None)) {
                return Poll::Ready(());
            }
        }
    }
}

/// Packs frames into batches, one per POST body.
pub fn bodies(frames: &[String]) -> Vec<Vec<u8>> {
    let mut batches = Batches::default();
    for frame in frames {
        if rpc::parse_one(frame).is_some() { batches.rpc(frame) } else { batches.line(frame) }
    }
    let (bytes, ends) = batches.take();
    let mut start = 0;
    ends.into_iter().map(|end| bytes[std::mem::replace(&mut start, end)..end].to_vec()).collect()
}

pub fn read(batch: &str) -> Result<Vec<String>, Fault> {
    let elements = batch::parse(batch).map_err(|error| Fault::Unreachable(error.to_string()))?;
    let text = |element| match element {
        Element::Line(line) => line.into_owned(),
        Element::Rpc(json) => json.to_owned(),
    };
    Ok(elements.into_iter().map(text).collect())
}

/// Splits incoming bytes into lines of text.
#[derive(Default)]
pub struct Lines {
    bytes: Vec<u8>,
    scanned: usize,
}

impl Lines {
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole line.
    pub fn line(&mut self) -> Result<Option<String>, Fault> {
        let Some(at) = self.bytes[self.scanned..].iter().position(|&b| b == b'\n').map(|at| at + self.scanned) else {
            self.scanned = self.bytes.len();
            if self.bytes.len() > MESSAGE_BYTES_MAX {
                return Err(Fault::Unreachable("a message over the limit came".into()));
            }
            return Ok(None);
        };
        let rest = self.bytes.split_off(at + 1);
        let mut line = std::mem::replace(&mut self.bytes, rest);
        self.scanned = 0;
        line.truncate(at);
        String::from_utf8(line).map(Some).map_err(|_| Fault::Unreachable("what came is no text".into()))
    }

    /// The data of the next event. Our events have one data line each; other fields are skipped.
    fn data(&mut self) -> Result<Option<String>, Fault> {
        while let Some(line) = self.line()? {
            if let Some(data) = line.trim_end_matches('\r').strip_prefix("data:") {
                return Ok(Some(data.trim_start().to_owned()));
            }
        }
        Ok(None)
    }
}

pub struct BodyLines {
    body: BodyDataStream<Incoming>,
    lines: Lines,
}

impl BodyLines {
    pub fn new(body: Incoming) -> Self {
        Self { body: body.into_data_stream(), lines: Lines::default() }
    }

    /// The next line; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<String>, Fault> {
        loop {
            if let Some(line) = self.lines.line()? {
                return Ok(Some(line));
            }
            match self.body.next().await {
                Some(Ok(bytes)) => self.lines.push(&bytes),
                Some(Err(error)) => return Err(Fault::Unreachable(error.to_string())),
                None => return Ok(None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn frames_in_bodies_and_events_are_read_back_however_they_arrive(
            frames in proptest::collection::vec("(?s).+|\\{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"\\}", 0..20),
            chunk in 1_usize..40,
        ) {
            let mut stream = b": connected\n\n".to_vec();
            for body in bodies(&frames) {
                stream.extend_from_slice(b"data: ");
                stream.extend_from_slice(&body);
                stream.extend_from_slice(b"\n\n: ping\n\n");
            }
            let (mut lines, mut found) = (Lines::default(), Vec::new());
            for bytes in stream.chunks(chunk) {
                lines.push(bytes);
                while let Some(data) = lines.data().unwrap() {
                    found.extend(read(&data).unwrap());
                }
            }
            prop_assert_eq!(found, frames);
        }
    }

    #[test]
    fn the_first_event_says_the_id_and_no_other_frame_does() {
        let connected = r#"{"jsonrpc":"2.0","method":"connected","params":{"clientId":"abc-1"}}"#;
        assert_eq!(client_id(connected).as_deref(), Some("abc-1"));
        assert_eq!(client_id(&connected.replace("abc-1", "a&b=c d")), None);
        assert_eq!(client_id("1:connected"), None);
    }
}
