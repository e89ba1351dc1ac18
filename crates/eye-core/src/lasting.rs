//! States and letters that outlive their hub: what is written for all hubs to read, and what is read back. Does not
//! know where they are stored.

use crate::handover::HandedState;
use crate::task::Reply;
use eye_protocol::SessionId;
use std::sync::Arc;

/// The last state of a session, with the words that the session is found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingState {
    pub session: SessionId,
    /// The origin that holds the session. Pages of other origins get nothing of it.
    pub origin: Arc<str>,
    /// The name that a person gave the page.
    pub name: Option<Box<str>>,
    /// The name that the page's author gave it.
    pub alias: Option<Box<str>>,
    pub title: Box<str>,
    pub url: Box<str>,
    /// Has no text if the state was too large.
    pub state: HandedState,
}

/// A letter in the mailbox of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingLetter {
    pub session: SessionId,
    /// The origin that holds the session. Pages of other origins do not get the letter.
    pub origin: Arc<str>,
    /// Counted from 1 since the mailbox was empty. If the first letter has a higher number, the letters before it were
    /// dropped.
    pub number: u64,
    /// The text of a JSON object. `None`: the letter was too large.
    pub text: Option<Box<str>>,
}

/// Letters for an agent, held back until no other hub can read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenMail {
    pub session: SessionId,
    pub reply: Reply,
    /// The result for the agent, as JSON text.
    pub result: String,
}

/// What to do with states and letters that outlive their hubs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// Write a state in place of the one that was written of the session before.
    Write(Box<LastingState>),
    /// Reads a state; [`Input::Recalled`](crate::Input::Recalled) brings it.
    Recall(SessionId),
    /// Reads a state for a page that is here, with the letters of its session. They are read once no other living hub
    /// can hold the session, because that hub gives its letters itself.
    CameBack(SessionId),
    /// Remove a state and the letters of its session.
    Forget(SessionId),
    /// Write a letter behind those of its session.
    Letter(Box<LastingLetter>),
    /// Replace the letters of a session by these, the oldest first.
    Mail { session: SessionId, letters: Vec<LastingLetter> },
    /// Remove the letters of a session; then [`Input::MailGiven`](crate::Input::MailGiven) brings this back.
    Given(Box<GivenMail>),
}

/// The result of a recall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    pub session: SessionId,
    pub found: Found,
    /// The letters of the session, the oldest first. `None`: they were not looked for, because no page is here.
    pub letters: Option<Vec<LastingLetter>>,
}

impl Recalled {
    /// Bytes of the parts that may be large.
    pub fn len_bytes(&self) -> usize {
        let letters = self.letters.iter().flatten();
        let letters: usize = letters.filter_map(|letter| letter.text.as_deref()).map(str::len).sum();
        match &self.found {
            Found::State(found) => letters + found.state.text.as_deref().map_or(0, str::len),
            Found::Nothing | Found::Unknown => letters,
        }
    }
}

/// What a recall found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    State(Box<LastingState>),
    /// There is no state.
    Nothing,
    /// Whether there is a state cannot be known now.
    Unknown,
}
