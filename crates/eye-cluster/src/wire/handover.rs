//! The handover of a session between hubs, on the wire.

use super::shared;
use eye_core::Millis;
use eye_core::handover::{HandedSnapshot, HandedState, Handover};
use eye_protocol::SessionId;
use eye_protocol::limits::LIGHT_BYTES_MAX;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// [`Handover`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireHandover {
    #[serde(with = "shared::session")]
    pub session: SessionId,
    #[serde(with = "shared")]
    pub origin: Arc<str>,
    pub claim: u64,
    pub state: Option<WireState>,
    pub letters: Vec<Box<str>>,
    pub dropped: u64,
    pub snapshots: Vec<WireSnapshot>,
    pub name: Option<Box<str>>,
    pub had_tools: bool,
    pub age_ms: Millis,
    pub asked: Option<(Millis, Box<str>)>,
    pub is_forgotten: bool,
}

/// [`HandedState`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireState {
    pub text: Option<Box<str>>,
    pub revision: u64,
    pub age_ms: Millis,
    pub wall_ms: u64,
}

/// [`HandedSnapshot`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireSnapshot {
    pub name: Box<str>,
    pub text: Box<str>,
    pub revision: u64,
    pub age_ms: Millis,
    pub wall_ms: u64,
}

impl WireHandover {
    /// Whether encoding takes too long for the hub's thread.
    pub fn is_heavy(&self) -> bool {
        let state = self.state.as_ref().and_then(|state| state.text.as_deref()).map_or(0, str::len);
        let letters: usize = self.letters.iter().map(|letter| letter.len()).sum();
        state + letters + self.snapshots.iter().map(|one| one.text.len()).sum::<usize>() > LIGHT_BYTES_MAX
    }
}

impl From<Handover> for WireHandover {
    fn from(handover: Handover) -> Self {
        let Handover { session, origin, claim, state, letters, dropped, snapshots, name, .. } = handover;
        let Handover { had_tools, age_ms, asked, is_forgotten, .. } = handover;
        let state = state.map(|state| {
            let HandedState { text, revision, age_ms, wall_ms } = state;
            WireState { text, revision, age_ms, wall_ms }
        });
        let one = |one| {
            let HandedSnapshot { name, text, revision, age_ms, wall_ms } = one;
            WireSnapshot { name, text, revision, age_ms, wall_ms }
        };
        let snapshots = snapshots.into_iter().map(one).collect();
        Self {
            session,
            origin,
            claim,
            state,
            letters,
            dropped,
            snapshots,
            name,
            had_tools,
            age_ms,
            asked,
            is_forgotten,
        }
    }
}

impl From<WireHandover> for Handover {
    fn from(handover: WireHandover) -> Self {
        let WireHandover { session, origin, claim, state, letters, dropped, snapshots, name, .. } = handover;
        let WireHandover { had_tools, age_ms, asked, is_forgotten, .. } = handover;
        let state = state.map(|state| {
            let WireState { text, revision, age_ms, wall_ms } = state;
            HandedState { text, revision, age_ms, wall_ms }
        });
        let one = |one| {
            let WireSnapshot { name, text, revision, age_ms, wall_ms } = one;
            HandedSnapshot { name, text, revision, age_ms, wall_ms }
        };
        let snapshots = snapshots.into_iter().map(one).collect();
        Self {
            session,
            origin,
            claim,
            state,
            letters,
            dropped,
            snapshots,
            name,
            had_tools,
            age_ms,
            asked,
            is_forgotten,
        }
    }
}
