//! One CDP session: commands to its target, and its events.

use super::message::Event;
use super::state::{Outcome, State};
use crate::error::{CommandError, Dialog};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// The default timeout of a command.
pub const COMMAND_MS: u64 = 30_000;

/// Around the params of a command: two names, two ids and a method.
const ENVELOPE_BYTES: usize = 160;

/// The state that all sessions of one browser share.
#[derive(Debug)]
pub struct Shared {
    state: Mutex<State>,
    outgoing: mpsc::UnboundedSender<String>,
}

impl Shared {
    /// Starts without commands. Messages to send go to `outgoing`.
    pub fn new(outgoing: mpsc::UnboundedSender<String>) -> Self {
        Self { state: Mutex::default(), outgoing }
    }

    /// Locks the state of commands and sessions. To be held only briefly.
    pub fn hold(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session of a target, or the browser's own.
#[derive(Clone, Debug)]
pub struct Session {
    shared: Arc<Shared>,
    id: Option<Box<str>>,
}

/// A session and its events.
#[derive(Debug)]
pub struct Events {
    pub session: Session,
    pub(super) receiver: mpsc::Receiver<Event>,
}

impl Events {
    /// The events of a session, passed on by another reader.
    pub fn of(session: Session, receiver: mpsc::Receiver<Event>) -> Self {
        Self { session, receiver }
    }

    /// The next event. `None`: the session ended.
    pub async fn next(&mut self) -> Option<Event> {
        self.receiver.recv().await
    }
}

/// A command that was sent.
#[derive(Debug)]
pub struct Sent {
    shared: Arc<Shared>,
    id: u64,
    method: Box<str>,
    outcome: oneshot::Receiver<Outcome>,
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.shared.hold().forget(self.id);
    }
}

impl Sent {
    /// Waits for the result, at most `ms`.
    pub async fn within(mut self, ms: u64) -> Outcome {
        match timeout(Duration::from_millis(ms), &mut self.outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(CommandError::Ended("nothing reads from it any more".into())),
            Err(_) => Err(CommandError::Late { method: self.method.to_string(), ms }),
        }
    }
}

impl Session {
    /// The session with this id; `None`: the browser's own.
    pub(super) fn new(shared: Arc<Shared>, id: Option<Box<str>>) -> Self {
        Self { shared, id }
    }

    /// Empty for the browser's own session.
    pub fn id(&self) -> &str {
        self.id.as_deref().unwrap_or("")
    }

    /// The dialog that the page shows.
    pub fn dialog(&self) -> Option<Dialog> {
        self.shared.hold().dialog(self.id.as_deref()?)
    }

    /// Disconnects from the browser: ends all its sessions. The pipe closes when the last one is dropped.
    pub fn leave(&self) {
        self.shared.hold().end(&"eye left this browser".into());
    }

    /// Why the browser ended, once it has.
    pub fn ended(&self) -> Option<Arc<str>> {
        self.shared.hold().ended()
    }

    /// Sends a command without waiting. Commands sent one right after the other travel together.
    pub fn send(&self, method: &str, params: &impl Serialize) -> Result<Sent, CommandError> {
        let params = written(method, params)?;
        let (id, outcome) = self.shared.hold().begin(self.id.as_deref(), method)?;
        self.write(id, method, &params);
        Ok(Sent { shared: self.shared.clone(), id, method: method.into(), outcome })
    }

    /// Sends a command whose result comes as an event of this session, with the command's name and this note, in order
    /// with the other events. A command that fails causes no event.
    pub fn note(&self, method: &'static str, params: &impl Serialize, note: i64) -> Result<(), CommandError> {
        self.note_written(method, &written(method, params)?, note)
    }

    /// [`Session::note`] with params that are JSON already.
    pub fn note_written(&self, method: &'static str, params: &str, note: i64) -> Result<(), CommandError> {
        let id = self.shared.hold().note(self.id.as_deref().unwrap_or_default(), method, note)?;
        self.write(id, method, params);
        Ok(())
    }

    fn write(&self, id: u64, method: &str, params: &str) {
        let mut message = String::with_capacity(params.len() + ENVELOPE_BYTES);
        // Writing into a string cannot fail.
        let _ = write!(message, r#"{{"id":{id},"method":"{method}","params":{params}"#);
        if let Some(id) = &self.id {
            let _ = write!(message, r#","sessionId":"{id}""#);
        }
        message.push('}');
        // Fails only after the pipe ended, and then the state has ended all commands.
        let _ = self.shared.outgoing.send(message);
    }

    /// Sends a command and waits for its result, for at most [`COMMAND_MS`].
    pub async fn command(&self, method: &str, params: &impl Serialize) -> Outcome {
        self.send(method, params)?.within(COMMAND_MS).await
    }

    /// Like [`Session::command`], with the result parsed.
    pub async fn ask<T: DeserializeOwned>(&self, method: &str, params: &impl Serialize) -> Result<T, CommandError> {
        let result = self.command(method, params).await?;
        read(method, &result)
    }
}

fn written(method: &str, params: &impl Serialize) -> Result<String, CommandError> {
    serde_json::to_string(params)
        .map_err(|error| CommandError::Malformed { method: method.to_owned(), why: error.to_string() })
}

pub fn read<T: DeserializeOwned>(method: &str, result: &RawValue) -> Result<T, CommandError> {
    serde_json::from_str(result.get())
        .map_err(|error| CommandError::Malformed { method: method.to_owned(), why: error.to_string() })
}
