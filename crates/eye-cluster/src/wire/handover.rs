//! The handover of a session between hubs, on the wire.

use super::shared;
use eye_core::Millis;
use eye_core::handover::{HandedSnapshot, HandedState, Handover};
use eye_protocol::SessionId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// How a [`Handover`] is written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Handover")]
struct WireHandover {
    #[serde(with = "shared::session")]
    session: SessionId,
    #[serde(with = "shared")]
    origin: Arc<str>,
    claim: u64,
    state: Option<HandedState>,
    letters: Vec<Box<str>>,
    dropped: u64,
    snapshots: Vec<HandedSnapshot>,
    name: Option<Box<str>>,
    had_tools: bool,
    age_ms: Millis,
    asked: Option<(Millis, Box<str>)>,
    #[serde(default)]
    is_forgotten: bool,
}

pub fn serialize<S: Serializer>(handover: &Handover, to: S) -> Result<S::Ok, S::Error> {
    WireHandover::serialize(handover, to)
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Box<Handover>, D::Error> {
    WireHandover::deserialize(from).map(Box::new)
}
