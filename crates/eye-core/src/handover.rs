//! What a hub has kept of a session, on its way to the hub that the page has moved to. The page does not send it again.

use crate::ids::Millis;
use eye_protocol::SessionId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handover {
    pub session: SessionId,
    /// The origin that holds the session. A page of another origin gets nothing of it.
    pub origin: Arc<str>,
    /// The claim by which the other hub holds the session. The handover is valid for no other claim.
    pub claim: u64,
    /// The state that its page published last.
    pub state: Option<HandedState>,
    /// Letters that wait, the oldest first, each as the text of a JSON object.
    pub letters: Vec<Box<str>>,
    /// Letters that were dropped since the last read.
    pub dropped: u64,
    /// Snapshots that agents keep, the oldest first.
    pub snapshots: Vec<HandedSnapshot>,
    /// The name that a person gave the page.
    pub name: Option<Box<str>>,
    /// Whether a page of the session has offered tools.
    pub had_tools: bool,
    /// How long ago the session was made.
    pub age_ms: Millis,
    /// How long ago an agent last called, and the agent's name.
    pub asked: Option<(Millis, Box<str>)>,
    /// The hub knows nothing of the session any more: there may still be what outlives hubs.
    pub is_forgotten: bool,
}

/// A published state as JSON text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedState {
    /// JSON text. `None`: it was dropped to free memory.
    pub text: Option<Box<str>>,
    pub revision: u64,
    /// How long ago it changed.
    pub age_ms: Millis,
    /// When it was published: Unix time in milliseconds.
    pub wall_ms: u64,
}

/// A state that an agent keeps under a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedSnapshot {
    pub name: Box<str>,
    /// JSON text.
    pub text: Box<str>,
    pub revision: u64,
    /// How long ago it was published.
    pub age_ms: Millis,
    /// When it was published: Unix time in milliseconds.
    pub wall_ms: u64,
}

/// The holder of a session from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heir {
    /// The origin of the session's page there.
    pub origin: Arc<str>,
    pub claim: u64,
}

impl Handover {
    /// An empty handover, sent by a hub that kept nothing so that the other hub does not wait for it.
    pub fn nothing(session: SessionId, heir: Heir) -> Self {
        Self {
            session,
            origin: heir.origin,
            claim: heir.claim,
            state: None,
            letters: Vec::new(),
            dropped: 0,
            snapshots: Vec::new(),
            name: None,
            had_tools: false,
            age_ms: 0,
            asked: None,
            is_forgotten: false,
        }
    }

    /// Bytes of the parts that may be large.
    pub fn len_bytes(&self) -> usize {
        let state = self.state.as_ref().and_then(|state| state.text.as_deref()).map_or(0, str::len);
        let letters = self.letters.iter().map(|letter| letter.len()).sum::<usize>();
        state + letters + self.snapshots.iter().map(HandedSnapshot::len_bytes).sum::<usize>()
    }

    /// Drops what is too much for one message: the oldest snapshots, then the oldest letters.
    pub(crate) fn cut_to(&mut self, bytes_max: usize) {
        let mut bytes = self.len_bytes();
        let mut snapshots = 0;
        while bytes > bytes_max && snapshots < self.snapshots.len() {
            bytes -= self.snapshots[snapshots].len_bytes();
            snapshots += 1;
        }
        self.snapshots.drain(..snapshots);
        let mut letters = 0;
        while bytes > bytes_max && letters < self.letters.len() {
            bytes -= self.letters[letters].len();
            letters += 1;
        }
        self.letters.drain(..letters);
        self.dropped += letters as u64;
    }
}

impl HandedSnapshot {
    fn len_bytes(&self) -> usize {
        self.name.len() + self.text.len()
    }
}
