//! What a hub has kept of a session, on its way to the hub that its page has gone to. Its page does not say it again.

use crate::ids::Millis;
use eye_protocol::SessionId;
use std::sync::Arc;

/// What a hub has kept of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handover {
    /// Which session.
    pub session: SessionId,
    /// The origin that holds it. No other one gets anything of it.
    pub origin: Arc<str>,
    /// The claim by which the other hub holds it: of no other one is it valid.
    pub claim: u64,
    /// The state that its page published last.
    pub state: Option<HandedState>,
    /// Letters that wait, the oldest first, each as the text of a JSON object.
    pub letters: Vec<Box<str>>,
    /// Letters that were dropped since the last read.
    pub dropped: u64,
    /// States that agents keep, the oldest first.
    pub snapshots: Vec<HandedSnapshot>,
    /// What a person called it.
    pub name: Option<Box<str>>,
    /// Whether a page of the session has offered tools.
    pub had_tools: bool,
    /// How long ago the session was made.
    pub age_ms: Millis,
    /// How long ago an agent last asked, and its name.
    pub asked: Option<(Millis, Box<str>)>,
}

/// A state, as the text that it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedState {
    /// JSON text. `None`: it made room for others.
    pub text: Option<Box<str>>,
    /// Its revision.
    pub revision: u64,
    /// How long ago it changed.
    pub age_ms: Millis,
    /// When it was published: Unix time in milliseconds.
    pub wall_ms: u64,
}

/// A state that an agent keeps under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedSnapshot {
    /// Its name.
    pub name: Box<str>,
    /// JSON text.
    pub text: Box<str>,
    /// Its revision.
    pub revision: u64,
    /// How long ago it was published.
    pub age_ms: Millis,
    /// When it was published: Unix time in milliseconds.
    pub wall_ms: u64,
}

/// Who holds a session from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heir {
    /// The origin of its page there.
    pub origin: Arc<str>,
    /// Its claim.
    pub claim: u64,
}

impl Handover {
    /// What a hub sends that has kept nothing, so that nobody waits for it.
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
        }
    }

    /// What it takes.
    pub fn len_bytes(&self) -> usize {
        let state = self.state.as_ref().and_then(|state| state.text.as_deref()).map_or(0, str::len);
        let letters = self.letters.iter().map(|letter| letter.len()).sum::<usize>();
        state + letters + self.snapshots.iter().map(HandedSnapshot::len_bytes).sum::<usize>()
    }

    /// Leaves out what is too much for one message: the oldest kept states, then the oldest letters.
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
