//! A link of single POSTs: each carries questions and holds its answers. Nothing lasts between them but the agent's
//! name.

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

/// Answers that wait to be read by the connection that asked.
const ANSWERS_LEN_MAX: usize = 16;

/// The way there.
pub struct Up {
    remote: Remote,
    http: Http,
    /// What every POST says first, as a notification.
    hello: Hello,
    answers: mpsc::Sender<Result<Vec<String>, Fault>>,
    /// Whether one of the bodies on their way has an answer without an id.
    in_order: bool,
    /// Bodies on their way. Dropping them hangs up, which ends their calls.
    bodies: JoinSet<()>,
}

/// The way back.
pub struct Down(mpsc::Receiver<Result<Vec<String>, Fault>>);

/// Nothing is opened before something is asked.
pub fn open(remote: &Remote) -> (Up, Down) {
    let (answers, taken) = mpsc::channel(ANSWERS_LEN_MAX);
    let up = Up {
        remote: remote.clone(),
        http: Http::default(),
        // What belongs to a connection belongs to a name here, so a connection without a name is given one.
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
    /// Sends frames. The hub's head of an answer says that it has heard, so POSTs stay in order without waiting for
    /// each other's answers.
    pub async fn send(&mut self, frames: &[String]) -> Result<(), Fault> {
        while self.bodies.try_join_next().is_some() {}
        if self.in_order && frames.iter().any(|frame| is_bare(frame)) {
            // Answers without an id keep the order of their questions, also across POSTs.
            while self.bodies.join_next().await.is_some() {}
        }
        self.in_order = frames.iter().any(|frame| is_bare(frame)) || (self.in_order && !self.bodies.is_empty());
        let mut rest = Vec::with_capacity(frames.len() + 1);
        for frame in frames {
            match hello(frame) {
                Some((said, request)) => {
                    let name = said.agent.or(self.hello.agent.take());
                    self.hello = Hello { agent: name, ..said };
                    // As a notification it is said with every POST; as a request it wants its answer once.
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
                // A batch of JSON: what stands behind its bracket can as well stand behind a first element.
                let body = [b"[", hello.as_bytes(), b",", &body[1..]].concat();
                self.post(body).await?;
            }
        }
        Ok(())
    }

    /// Makes sure that the next POST can leave.
    pub async fn prepare(&mut self) -> Result<(), Fault> {
        self.http.prepare(&self.remote).await
    }

    /// Sends one frame that needs no name.
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
                // A receiver that is gone has hung up.
                let _ = answers.send(Err(fault)).await;
            }
        });
        Ok(())
    }
}

/// Hands on what a body holds. A body that ends before it has all answers is a hub that ended.
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

/// What a frame says of its agent, if it is a hello.
fn hello(frame: &str) -> Option<(Hello, bool)> {
    let (method, params, request) = match rpc::parse_one(frame)? {
        Message::Request { method, params, .. } => (method, params, true),
        Message::Notification { method, params } => (method, params, false),
        Message::Response { .. } | Message::Invalid { .. } => return None,
    };
    let said = (method == "hello").then(|| rpc::params(&params).ok())??;
    Some((said, request))
}

impl Down {
    /// The next answers.
    pub async fn next(&mut self) -> Result<Vec<String>, Fault> {
        let gone = || Err(Fault::Unreachable("the way there is closed".into()));
        self.0.recv().await.unwrap_or_else(gone)
    }
}
