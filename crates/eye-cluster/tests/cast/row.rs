//! A row of the list of pages, for tests.

use eye_protocol::messages::{Presence, SessionRow};

/// A page of [`ORIGIN`].
pub fn page(id: &str, state: Presence) -> SessionRow {
    SessionRow {
        id: id.into(),
        hub: None,
        name: None,
        alias: None,
        title: "t".into(),
        url: format!("{ORIGIN}/"),
        origin: ORIGIN.into(),
        state,
        visible: true,
        frame: false,
        parent: None,
        browser: None,
        window: None,
        eval: true,
        tools: 0,
        pending: 0,
        idle_ms: 0,
        used_ms: None,
        used_by: None,
        current: false,
    }
}

pub const ORIGIN: &str = "http://localhost:5173";
