//! The messages about an agent: rows of replies, and events for its topic and for the connection that spawned it.

use super::plan::Region;
use super::record::Agent;
use super::work::{Millis, Sight};
use serde_json::{Map, Value, json};

fn event(agent: &Agent, name: &str) -> Value {
    json!({
        "type": "agent_event",
        "agentId": &*agent.id,
        "agentType": agent.plan.name(),
        "session": &*agent.session,
        "event": name,
        "status": agent.status.name(),
    })
}

fn with(mut event: Value, members: impl IntoIterator<Item = (String, Value)>) -> Value {
    if let Value::Object(object) = &mut event {
        object.extend(members);
    }
    event
}

/// An agent as replies show it.
pub fn row(agent: &Agent, now: Millis) -> Map<String, Value> {
    let Value::Object(mut row) = json!({
        "agentId": &*agent.id,
        "agentType": agent.plan.name(),
        "session": &*agent.session,
        "status": agent.status.name(),
        "region": region(agent.region),
        "heartbeatInterval": seconds(agent.heartbeat_ms),
        "ageMs": now.saturating_sub(agent.born),
        "turns": agent.turns,
        "reports": agent.reports,
    }) else {
        return Map::new();
    };
    row.extend(agent.error.as_ref().map(|error| ("error".to_owned(), error.as_str().into())));
    row.extend(agent.last_report.as_ref().map(|report| ("lastReport".to_owned(), report.clone())));
    row
}

/// A region with its unit: the request that spawned the agent may have used the other unit.
fn region(Region { x, y, width, height }: Region) -> Value {
    json!({ "x": x, "y": y, "width": width, "height": height, "unit": "pixels" })
}

/// Writes whole seconds without a decimal point.
fn seconds(ms: u64) -> Value {
    #[allow(clippy::cast_precision_loss, reason = "at most an hour")]
    if ms.is_multiple_of(1000) { (ms / 1000).into() } else { (ms as f64 / 1000.0).into() }
}

pub fn heartbeat(agent: &Agent, now: Millis) -> Value {
    let uptime = now.saturating_sub(agent.born);
    let members = [
        ("beat".to_owned(), agent.beats.into()),
        ("uptimeMs".to_owned(), uptime.into()),
        ("turns".to_owned(), agent.turns.into()),
        ("reports".to_owned(), agent.reports.into()),
    ];
    with(event(agent, "heartbeat"), members)
}

pub fn ended(agent: &Agent, now: Millis, reason: &str) -> Value {
    let uptime = now.saturating_sub(agent.born);
    with(event(agent, "ended"), [("reason".to_owned(), reason.into()), ("uptimeMs".to_owned(), uptime.into())])
}

pub fn trouble(agent: &Agent, error: &str) -> Value {
    with(event(agent, "trouble"), [("error".to_owned(), error.into())])
}

pub fn progress(agent: &Agent, members: Map<String, Value>) -> Value {
    with(event(agent, "progress"), members)
}

pub fn report(agent: &Agent, members: Map<String, Value>) -> Value {
    with(event(agent, "report"), [("report".to_owned(), members.into())])
}

/// The report of a monitor.
pub fn change(sight: &Sight, first: bool) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("kind".into(), if first { "baseline" } else { "changed" }.into());
    if !first {
        members.insert("changed".into(), sight.changed.into());
        members.extend(sight.bounds.map(|bounds| ("bounds".to_owned(), json!(bounds))));
    }
    members.insert("entropy".into(), sight.entropy.into());
    members
}

/// The report of an analyzer.
pub fn measures(sight: &Sight) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("kind".into(), "measures".into());
    members.insert("entropy".into(), sight.entropy.into());
    members.insert("uniqueColors".into(), sight.unique_colours.into());
    members.insert("pixels".into(), (sight.picture.rgba.len() / 4).into());
    members.insert("histogram".into(), sight.histogram.clone().into());
    members
}
