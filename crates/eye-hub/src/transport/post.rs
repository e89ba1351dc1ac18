//! One POST as an agent: its messages, and its connection to the hub until it has its answers.

use crate::hub::outbox::{Outbox, Parcel};
use crate::hub::peer::{Peer, Side, Signals, Voice};
use crate::hub::state::Hub;
use eye_core::Conn;
use eye_protocol::batch::{self, Batches, Element};
use eye_protocol::frame::{answers_to, is_answer};
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Code, Error};
use serde::Deserialize;
use std::sync::Arc;

/// A connection that leaves the hub when its request ends or its client hangs up.
pub struct Visit {
    pub hub: Arc<Hub>,
    pub conn: Conn,
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.hub.leave(self.conn);
    }
}

/// The parsed messages of one POST.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    /// Whether it is one JSON-RPC request, whose response is not a batch.
    pub single: bool,
    /// Batches for the hub.
    pub batches: Vec<String>,
    /// Answers that need no hub.
    pub refusals: Vec<String>,
    /// How many answers there will be.
    pub answers: usize,
}

impl Question {
    /// Parses the body of a POST.
    pub fn parse(body: &str) -> Result<Self, &'static str> {
        let single = body.trim_start().starts_with('{');
        let wrapped = if single { &*format!("[{body}]") } else { body };
        let Ok(elements) = batch::parse(wrapped) else {
            return Err("expected a JSON-RPC request, or a batch: a JSON array of at most 256 frames");
        };
        if single && !matches!(rpc::parse_one(body), Some(Message::Request { .. })) {
            return Err("expected a JSON-RPC request with an id");
        }
        let mut question = Self { single, batches: Vec::new(), refusals: Vec::new(), answers: 0 };
        let mut rest = Batches::default();
        for element in elements {
            let text = match &element {
                Element::Line(text) => text,
                Element::Rpc(json) => *json,
            };
            question.answers += answers_to(text);
            match (refusal_of(text), element) {
                (Some(refusal), _) => question.refusals.push(refusal),
                (None, Element::Line(text)) => rest.line(&text),
                (None, Element::Rpc(json)) => rest.rpc(json),
            }
        }
        let (bytes, ends) = rest.take();
        let mut start = 0;
        let cut = ends.into_iter().map(|end| &bytes[std::mem::replace(&mut start, end)..end]);
        question.batches.extend(cut.map(|batch| String::from_utf8_lossy(batch).into_owned()));
        Ok(question)
    }
}

/// Refuses subscriptions: they have more than one answer, which one POST cannot carry.
fn refusal_of(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Follow {
        #[serde(default)]
        follow: bool,
    }
    let Message::Request { id, method, params } = rpc::parse_one(text)? else { return None };
    let stream = match &*method {
        "state/watch" | "topic/subscribe" => true,
        "page/logs" => serde_json::from_str(&params).is_ok_and(|Follow { follow }| follow),
        _ => false,
    };
    stream.then(|| {
        let error = Error::new(Code::REQUEST, format!("{method} goes on, and one POST has one answer"));
        rpc::response(&id, Err(&error.hint("use a WebSocket (/ws), or a stream of events (GET /agent)")))
    })
}

/// One POST until it has its answers.
pub struct Asking {
    pub visit: Visit,
    pub signals: Arc<Signals>,
    /// Answers that are still missing.
    pub left: usize,
}

impl Asking {
    /// The next messages for the client; `None` when all answers were sent.
    pub async fn next(&mut self) -> Option<Parcel> {
        if self.left == 0 {
            return None;
        }
        let (parcel, close) = tokio::select! {
            biased;
            () = self.signals.end.notified() => return None,
            parcel = self.visit.hub.parcel(self.visit.conn, &self.signals) => parcel?,
        };
        let answers = elements(&parcel).iter().filter(|element| is_answer(element)).count();
        self.left = if close.is_some() { 0 } else { self.left.saturating_sub(answers) };
        Some(parcel)
    }
}

/// The frames in a parcel of batches, as JSON text; a line is a JSON string.
pub fn elements(parcel: &Parcel) -> Vec<String> {
    let mut start = 0;
    let messages = parcel.ends.iter().map(|&end| &parcel.bytes[std::mem::replace(&mut start, end)..end]);
    let read = |message| serde_json::from_slice::<Vec<Box<serde_json::value::RawValue>>>(message).unwrap_or_default();
    messages.flat_map(read).map(|raw| raw.get().to_owned()).collect()
}

pub fn batched() -> Peer {
    let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: false }, Outbox::batches(), None);
    peer.batched = true;
    peer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, params: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
    }

    #[test]
    fn a_question_knows_how_many_answers_it_has() {
        let ping = request("ping", "{}");
        for (body, want) in [
            (ping.clone(), 1),
            (format!("[{ping}]"), 1),
            (r#"["a:1",":x","x",""]"#.into(), 1),
            (r#"[{"jsonrpc":"2.0","method":"hello","params":{}},"a:1","b:2","{\"c\":\"x\"}"]"#.into(), 3),
            (r#"[{"jsonrpc":"2.0","id":1}]"#.into(), 1),
            ("[]".into(), 0),
        ] {
            assert_eq!(Question::parse(&body).map(|q| q.answers), Ok(want), "{body}");
        }
        for body in ["", "x", "[1]", "{}", r#"{"c":"x"}"#, r#"{"jsonrpc":"2.0","method":"hello"}"#] {
            assert!(Question::parse(body).is_err(), "{body}");
        }
    }

    #[test]
    fn streams_are_refused_and_the_rest_is_asked() {
        let follow = request("page/logs", r#"{"follow":true}"#);
        let body = format!(r#"["a:1",{},{},"b:2",{follow}]"#, request("state/watch", "{}"), request("page/logs", "{}"));
        let question = Question::parse(&body).unwrap();
        assert_eq!((question.refusals.len(), question.answers), (2, 5));
        assert_eq!(question.batches, [format!(r#"["a:1",{},"b:2"]"#, request("page/logs", "{}"))]);
        assert!(question.refusals[0].contains("WebSocket"));
        let question = Question::parse(&request("topic/subscribe", r#"{"topic":"x"}"#)).unwrap();
        assert_eq!((question.batches.len(), question.answers), (0, 1));
    }
}
