//! One session as a row of the list.

use crate::agent::UsedPage;
use crate::ids::Millis;
use crate::session::Session;
use eye_protocol::messages::SessionRow;

/// The row of a session; `current` is the asking agent's own.
pub(crate) fn row(now: Millis, session: &Session, current: Option<&UsedPage>) -> SessionRow {
    let info = session.info();
    SessionRow {
        id: session.id().to_string(),
        hub: None,
        name: session.given_name().map(Into::into),
        alias: info.alias.clone(),
        title: info.title.clone().unwrap_or_default(),
        url: info.url.clone().unwrap_or_default(),
        origin: session.origin().to_owned(),
        state: session.presence(),
        visible: info.visible.unwrap_or(true),
        frame: info.frame.unwrap_or(false),
        parent: info.parent.clone(),
        eval: session.evaluates(),
        tools: session.toolbox().len(),
        pending: session.pending(),
        idle_ms: now.saturating_sub(session.used_at()),
        used_ms: session.asked().map(|(at, _)| now.saturating_sub(at)),
        used_by: session.asked().map(|(_, by)| by.to_owned()).filter(|by| !by.is_empty()),
        current: current.is_some_and(|page| page.is(session)),
    }
}
