//! A state that outlives its hub, and letters that do: what is written of them where all hubs read, and what is read
//! there. Does not know where that is.

use crate::handover::HandedState;
use crate::task::Reply;
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

/// A letter in the mailbox of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingLetter {
    /// Which session.
    pub session: SessionId,
    /// The origin that holds it. No other one gets it.
    pub origin: Arc<str>,
    /// Counted from 1 since the mailbox was empty: what is missing before the first was dropped.
    pub number: u64,
    /// The text of a JSON object. `None`: it was too large.
    pub text: Option<Box<str>>,
}

/// Letters that an agent gets when they cannot be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenMail {
    /// Whose mailbox.
    pub session: SessionId,
    /// Who asked.
    pub reply: Reply,
    /// What it is told, as JSON text.
    pub result: String,
}

/// What is to be done with states and letters that outlive their hubs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// One is written, in place of what was written of the session before.
    Write(Box<LastingState>),
    /// One is wanted, with the letters of its session; [`Input::Recalled`](crate::Input::Recalled) brings them.
    Recall(SessionId),
    /// One is not to be read any more, nor letters of the session.
    Forget(SessionId),
    /// A letter is written behind those of its session.
    Letter(Box<LastingLetter>),
    /// The letters of a session are these, the oldest first, and no others.
    Mail {
        /// Which session.
        session: SessionId,
        /// Its letters.
        letters: Vec<LastingLetter>,
    },
    /// The letters of a session are removed; then [`Input::MailGiven`](crate::Input::MailGiven) brings this back.
    Given(Box<GivenMail>),
}

/// What came of a recall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    /// Of which session.
    pub session: SessionId,
    /// What was found.
    pub found: Found,
    /// The letters of the session, the oldest first.
    pub letters: Vec<LastingLetter>,
}

impl Recalled {
    /// What it takes.
    pub fn len_bytes(&self) -> usize {
        let letters: usize = self.letters.iter().filter_map(|letter| letter.text.as_deref()).map(str::len).sum();
        match &self.found {
            Found::State(found) => letters + found.state.text.as_deref().map_or(0, str::len),
            Found::Nothing | Found::Unknown => letters,
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
