//! One session as a row of the list.

use crate::agent::UsedPage;
use crate::ids::Millis;
use crate::session::Session;
use eye_protocol::messages::{Presence, SessionRow};
use std::collections::{HashMap, HashSet};

/// The row of a session. `current`: the page of the agent that requests it.
pub(crate) fn row(now: Millis, session: &Session, current: Option<&UsedPage>) -> SessionRow {
    let info = session.info();
    // A page that is not there is in no window.
    let shown_in = info.shown_in.as_ref().filter(|_| session.presence() == Presence::Connected);
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
        browser: shown_in.map(|shown| shown.browser.clone()),
        window: shown_in.and_then(|shown| shown.window),
        eval: session.evaluates(),
        tools: session.toolbox().len(),
        pending: session.pending(),
        idle_ms: now.saturating_sub(session.used_at()),
        used_ms: session.last_asked().map(|(at, _)| now.saturating_sub(at)),
        used_by: session.last_asked().map(|(_, by)| by.to_owned()).filter(|by| !by.is_empty()),
        current: current.is_some_and(|page| page.is(session)),
    }
}

/// Removes what every row would repeat: shows browsers only where there are several, and windows only where a browser
/// has several.
pub(crate) fn disambiguate(rows: &mut [SessionRow]) {
    let mut windows: HashMap<String, HashSet<u32>> = HashMap::new();
    for row in rows.iter() {
        if let Some(browser) = &row.browser {
            windows.entry(browser.clone()).or_default().extend(row.window);
        }
    }
    let one = windows.len() < 2;
    for row in rows {
        let of = row.browser.as_ref().and_then(|browser| windows.get(browser));
        row.window = row.window.filter(|_| of.is_some_and(|windows| windows.len() > 1));
        row.browser = row.browser.take().filter(|_| !one);
    }
}
