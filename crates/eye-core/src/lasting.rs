//! A state that outlives its hub: what is written of it where all hubs read, and what is read there. Does not know
//! where that is.

use crate::handover::HandedState;
use eye_protocol::SessionId;
use std::sync::Arc;

/// The last state of a session, with what the session is found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingState {
    /// Which session.
    pub session: SessionId,
    /// The origin that holds it. No other one gets anything of it.
    pub origin: Arc<str>,
    /// What a person called it.
    pub name: Option<Box<str>>,
    /// The name its author gave it.
    pub alias: Option<Box<str>>,
    /// Its title.
    pub title: Box<str>,
    /// Its URL.
    pub url: Box<str>,
    /// The state. Without a text it was too large.
    pub state: HandedState,
}

/// What is to be done with states that outlive their hubs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// One is written, in place of what was written of the session before.
    Write(Box<LastingState>),
    /// One is wanted; [`Input::Recalled`](crate::Input::Recalled) brings it.
    Recall(SessionId),
    /// One is not to be read any more.
    Forget(SessionId),
}

/// What came of a recall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    /// Of which session.
    pub session: SessionId,
    /// What was found.
    pub found: Found,
}

impl Recalled {
    /// What it takes.
    pub fn len_bytes(&self) -> usize {
        match &self.found {
            Found::State(found) => found.state.text.as_deref().map_or(0, str::len),
            Found::Nothing | Found::Unknown => 0,
        }
    }
}

/// What a recall found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// This.
    State(Box<LastingState>),
    /// There is none.
    Nothing,
    /// It cannot be known now.
    Unknown,
}
