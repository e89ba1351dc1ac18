//! One connection of `/agents`: spawns, lists and controls area agents, and sends the reports of those that it spawned.

use super::crew::Crew;
use super::message::{Message, reply};
use super::talk::{Incoming, Outgoing};
use crate::agents::{AgentId, Event, Plan, Region, Socket};
use crate::refusal::{Kind, Refusal};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::sync::Arc;

/// Leaves the crew when the connection ends, however it ends.
struct Entered {
    crew: Arc<Crew>,
    socket: Socket,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.crew.leave(self.socket);
    }
}

/// Serves one connection until either side closes it.
pub async fn talk(crew: Arc<Crew>, origin: Option<String>, mut incoming: Incoming, outgoing: Outgoing) {
    let (socket, deaf) = crew.enter(outgoing.clone());
    let entered = Entered { crew, socket };
    loop {
        let text = tokio::select! {
            text = incoming.recv() => match text {
                Some(text) => text,
                None => return,
            },
            () = deaf.notified() => return,
        };
        let answer = match Message::parse(&text) {
            Ok(message) => {
                let outcome = execute(&entered.crew, origin.as_deref(), socket, &message).await;
                reply(&message.id, outcome)
            }
            Err((id, refusal)) => reply(&id, Err(refusal)),
        };
        // Does not wait for a peer that does not read: closes the connection.
        if outgoing.try_send(answer).is_err() {
            return;
        }
    }
}

async fn execute(
    crew: &Arc<Crew>,
    origin: Option<&str>,
    socket: Socket,
    message: &Message,
) -> Result<Map<String, Value>, Refusal> {
    let fields = message.fields();
    let id = || -> Result<AgentId, Refusal> {
        let id = fields.get("agent_id").and_then(Value::as_str);
        id.map(AgentId::from).ok_or_else(|| Refusal::invalid("agent_id is required and must be a string"))
    };
    let session = fields
        .get("session")
        .or_else(|| fields.get("session_id"))
        .map(|session| session.as_str().ok_or_else(|| Refusal::invalid("session must be a string")));
    let session = session.transpose()?;
    let event = match message.action.as_str() {
        "spawn" => {
            // The plan and region are checked before the page is looked up.
            let plan = Plan::read(fields)?;
            let region = Region::read(fields)?;
            let start = fields.flag("auto_start")?.unwrap_or(true);
            let session = crew.session(session, origin).await?;
            let id = fresh_id()?;
            crew.on(Event::Spawn { id: id.clone(), session, region, plan, start, socket })?;
            return crew.row(&id);
        }
        "list" => {
            let rows = crew.rows(session).into_iter().map(Value::Object).collect();
            return Ok(Map::from_iter([("agents".to_owned(), rows)]));
        }
        "get" => return crew.row(&id()?),
        "pause" => Event::Pause(id()?),
        "resume" => Event::Resume(id()?),
        "stop" => Event::Stop(id()?),
        _ => return Err(Refusal::invalid("action must be one of: spawn, list, get, pause, resume, stop")),
    };
    crew.on(event)?;
    crew.row(&id()?)
}

fn fresh_id() -> Result<AgentId, Refusal> {
    let mut random = [0_u8; 6];
    getrandom::fill(&mut random).map_err(|error| Refusal::new(Kind::ExecutionFailed, error.to_string()))?;
    let mut id = "agent-".to_owned();
    for byte in random {
        let _ = write!(id, "{byte:02x}");
    }
    Ok(id.into())
}
