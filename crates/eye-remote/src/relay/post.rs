//! A link of single POSTs: each carries requests, and its response carries the answers. Only the agent's name connects
//! them.

use super::events::{BodyLines, bodies, read};
use crate::dial::{Fault, Http, Remote};
use eye_protocol::Frame;
use eye_protocol::compact::{Compact, Form};
use eye_protocol::frame::{answers_to, is_answer};
use eye_protocol::limits::BATCH_FRAMES_MAX;
use eye_protocol::messages::Hello;
use eye_protocol::rpc::{self, Message};
use http::Method;
use std::fmt::Write;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Answers queued for the local connection.
const ANSWERS_LEN_MAX: usize = 16;

/// The sending half.
pub struct Up {
    remote: Remote,
    http: Http,
    /// Sent first in every POST, as a notification.
    hello: Hello,
    answers: mpsc::Sender<Result<Vec<String>, Fault>>,
    /// Whether an open response still owes an answer without an id.
    in_order: bool,
    /// Open responses. Dropping them closes their connections, which ends their calls.
    bodies: JoinSet<()>,
}

/// The receiving half.
pub struct Down(mpsc::Receiver<Result<Vec<String>, Fault>>);

/// Opens no connection before the first request.
pub fn open(remote: &Remote) -> (Up, Down) {
    let (answers, taken) = mpsc::channel(ANSWERS_LEN_MAX);
    let up = Up {
        remote: remote.clone(),
        http: Http::default(),
        // State of a connection is bound to a name here, so an agent without a name gets a random one.
        hello: Hello { agent: Some(fresh_name()), ..Hello::default() },
        answers,
        in_order: false,
        bodies: JoinSet::new(),
    };
    (up, Down(taken))
}

/// A name of 64 random bits.
fn fresh_name() -> String {
    let mut random = [0_u8; 8];
    getrandom::fill(&mut random).expect("the system gives random bytes");
    random.iter().fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    })
}

impl Up {
    /// Sends frames. The head of a response means that the hub has received the POST, so POSTs stay in order without
    /// waiting for each other's answers.
    pub async fn send(&mut self, frames: &[String]) -> Result<(), Fault> {
        while self.bodies.try_join_next().is_some() {}
        if self.in_order && frames.iter().any(|frame| is_bare(frame)) {
            // Answers without an id must keep the order of their requests, also across POSTs.
            while self.bodies.join_next().await.is_some() {}
        }
        self.in_order = frames.iter().any(|frame| is_bare(frame)) || (self.in_order && !self.bodies.is_empty());
        let mut rest = Vec::with_capacity(frames.len() + 1);
        for frame in frames {
            match hello(frame) {
                Some((hello, request)) => {
                    let name = hello.agent.or(self.hello.agent.take());
                    self.hello = Hello { agent: name, ..hello };
                    // Every POST repeats the hello as a notification; a hello request is also sent once for its answer.
                    if request {
                        rest.push(frame.clone());
                    }
                }
                None => rest.push(frame.clone()),
            }
        }
        if rest.is_empty() {
            return Ok(());
        }
        let hello = rpc::notification("hello", &self.hello);
        for part in rest.chunks(BATCH_FRAMES_MAX - 1) {
            for body in bodies(part) {
                // The body is a JSON array: the hello is inserted as its first element.
                let body = [b"[", hello.as_bytes(), b",", &body[1..]].concat();
                self.post(body).await?;
            }
        }
        Ok(())
    }

    /// Makes sure that a connection is open for the next POST.
    pub async fn prepare(&mut self) -> Result<(), Fault> {
        self.http.prepare(&self.remote).await
    }

    /// Sends one frame without the hello.
    pub async fn ask(&mut self, frame: String) -> Result<(), Fault> {
        for body in bodies(&[frame]) {
            self.post(body).await?;
        }
        Ok(())
    }

    async fn post(&mut self, body: Vec<u8>) -> Result<(), Fault> {
        let wanted = read(&String::from_utf8_lossy(&body))?.iter().map(|frame| answers_to(frame)).sum();
        let response = self.http.send(&self.remote, Method::POST, "/agent", body).await?;
        let answers = self.answers.clone();
        self.bodies.spawn(async move {
            let fault = take_answers(BodyLines::new(response.into_body()), wanted, &answers).await.err();
            if let Some(fault) = fault {
                // The receiver may be gone: then the agent has closed its connection.
                let _ = answers.send(Err(fault)).await;
            }
        });
        Ok(())
    }
}

/// Passes on the answers in a body. If the body ends before all of them came, the hub has ended.
async fn take_answers(
    mut lines: BodyLines,
    mut wanted: usize,
    answers: &mpsc::Sender<Result<Vec<String>, Fault>>,
) -> Result<(), Fault> {
    while let Some(line) = lines.next().await? {
        let frames = read(&line)?;
        wanted = wanted.saturating_sub(frames.iter().filter(|frame| is_answer(frame)).count());
        if answers.send(Ok(frames)).await.is_err() {
            return Ok(());
        }
    }
    if wanted == 0 { Ok(()) } else { Err(Fault::Unreachable("the hub ended before it answered".into())) }
}

fn is_bare(frame: &str) -> bool {
    matches!(Frame::parse(frame), Some(Frame::Compact(Compact { form: Form::Bare, .. })))
}

/// The hello in a frame, and whether it is a request.
fn hello(frame: &str) -> Option<(Hello, bool)> {
    let (method, params, request) = match rpc::parse_one(frame)? {
        Message::Request { method, params, .. } => (method, params, true),
        Message::Notification { method, params } => (method, params, false),
        Message::Response { .. } | Message::Invalid { .. } => return None,
    };
    let hello = (method == "hello").then(|| rpc::params(&params).ok())??;
    Some((hello, request))
}

impl Down {
    /// The next answers.
    pub async fn next(&mut self) -> Result<Vec<String>, Fault> {
        let gone = || Err(Fault::Unreachable("the way there is closed".into()));
        self.0.recv().await.unwrap_or_else(gone)
    }
}
