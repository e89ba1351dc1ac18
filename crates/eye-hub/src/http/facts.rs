//! Information for operators and refused pages: health, sessions, metrics, and why a page may not join.

use super::door::{Door, Head, bearer, json_response, knock, public, refused};
use super::metrics;
use crate::dialect::events::Listed;
use crate::gate::{Refusal, Wants};
use crate::hub::version;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use eye_protocol::messages::SessionRow;
use serde::Serialize;
use std::time::Duration;

#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    sessions: usize,
    pages: usize,
    /// Connected pages and agents.
    clients: usize,
    /// Seconds since the start.
    uptime: f64,
}

/// One session for operators, with the same data also under BTCP's names.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedSession {
    #[serde(flatten)]
    row: SessionRow,
    has_browser: bool,
    agent_count: usize,
    tool_count: usize,
    created_at: String,
}

impl ListedSession {
    fn of(listed: Listed) -> Self {
        let (has_browser, created_at) = (listed.has_browser(), listed.created_at());
        let (agent_count, tool_count) = (listed.agents, listed.row.tools);
        Self { row: listed.row, has_browser, agent_count, tool_count, created_at }
    }
}

/// Reports that the hub runs, and its version.
pub async fn health(State(door): State<Door>, headers: Head) -> Response {
    public(&door, &headers, || {
        let status = door.hub.status();
        json_response(&Health {
            status: "ok",
            version: version::HUB,
            sessions: status.sessions,
            pages: status.pages,
            clients: door.hub.peers(),
            uptime: Duration::from_millis(status.uptime_ms).as_secs_f64(),
        })
    })
}

/// Lists the sessions that have a page or agents, for agents.
pub async fn sessions(State(door): State<Door>, headers: Head) -> Response {
    let token = bearer(&headers);
    match door.gate.admit(Wants::Agent, knock(&headers, token.as_deref())) {
        Ok(admitted) => {
            let listed = door.hub.listed(&admitted.scope()).into_iter();
            let sessions: Vec<_> =
                listed.filter(|one| one.has_browser() || one.agents > 0).map(ListedSession::of).collect();
            json_response(&serde_json::json!({ "sessions": sessions }))
        }
        Err(refusal) => refused(&refusal),
    }
}

/// Reports the counters, for agents.
pub async fn counters(State(door): State<Door>, headers: Head) -> Response {
    let token = bearer(&headers);
    match door.gate.admit(Wants::Agent, knock(&headers, token.as_deref())) {
        Ok(_) => {
            let text = metrics::text(&door.hub) + &(door.metrics)();
            ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
        }
        Err(refusal) => refused(&refusal),
    }
}

#[derive(Serialize)]
struct Why {
    allowed: bool,
    reason: String,
    hint: String,
}

/// Tells a page only why it was refused: browsers hide that from the page. The page uses POST, because a GET through a
/// path of its own server would have no `Origin`.
pub async fn why(State(door): State<Door>, headers: Head) -> Response {
    let why = match door.gate.admit(Wants::Page, knock(&headers, None)) {
        Ok(_) => Why { allowed: true, reason: "pages of this origin may join".into(), hint: String::new() },
        Err(Refusal { reason, hint, .. }) => Why { allowed: false, reason, hint },
    };
    let mut response = json_response(&why);
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}
