//! The state of one area agent.

use super::plan::{Plan, Region};
use super::work::{AgentId, Millis, Socket, Status};
use crate::Picture;
use serde_json::Value;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Agent {
    pub id: AgentId,
    pub session: Arc<str>,
    pub region: Region,
    pub plan: Plan,
    pub heartbeat_ms: u64,
    pub status: Status,
    pub socket: Option<Socket>,
    pub born: Millis,
    pub beats: u64,
    pub reports: u64,
    /// Turns that succeeded.
    pub turns: u64,
    pub last_report: Option<Value>,
    /// The reason if it ended with a failure.
    pub error: Option<String>,
    pub(super) turn: u32,
    pub(super) busy: bool,
    pub(super) due: Option<Millis>,
    pub(super) beat_at: Millis,
    pub(super) failures: u32,
    pub(super) before: Option<Arc<Picture>>,
}

impl Agent {
    /// An agent that has not started.
    pub fn new(id: AgentId, session: Arc<str>, region: Region, (plan, heartbeat_ms): (Plan, u64), now: Millis) -> Self {
        Self {
            id,
            session,
            region,
            plan,
            heartbeat_ms,
            status: Status::Spawned,
            socket: None,
            born: now,
            beats: 0,
            reports: 0,
            turns: 0,
            last_report: None,
            error: None,
            turn: 0,
            busy: false,
            due: None,
            beat_at: now + heartbeat_ms,
            failures: 0,
            before: None,
        }
    }
}
