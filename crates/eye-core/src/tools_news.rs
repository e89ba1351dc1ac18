//! Limits how often agents that joined a session are notified of its tools: the first change at once, further ones
//! together.

use crate::ids::Millis;
use eye_protocol::SessionId;
use eye_protocol::limits::TOOLS_NEWS_MS;
use rustc_hash::FxHashMap;

/// Sessions whose tools changed lately.
#[derive(Debug, Default)]
pub(crate) struct ToolsNews {
    /// When each was last reported, and whether there is more to report.
    reported: FxHashMap<SessionId, (Millis, bool)>,
}

impl ToolsNews {
    /// Notes a change. `true`: it is to be reported now.
    pub fn is_due(&mut self, now: Millis, session: &SessionId) -> bool {
        match self.reported.get_mut(session) {
            Some((at, more)) if now < *at + TOOLS_NEWS_MS => {
                *more = true;
                false
            }
            _ => {
                self.reported.insert(session.clone(), (now, false));
                true
            }
        }
    }

    /// When the next waiting change is due.
    pub fn next_wake(&self) -> Option<Millis> {
        self.reported.values().map(|(at, _)| at + TOOLS_NEWS_MS).min()
    }

    /// The sessions whose changes have waited long enough.
    pub fn due(&mut self, now: Millis) -> Vec<SessionId> {
        let mut due = Vec::new();
        self.reported.retain(|session, (at, more)| {
            let over = now >= *at + TOOLS_NEWS_MS;
            if over && *more {
                due.push(session.clone());
            }
            !over
        });
        due.sort_unstable();
        due
    }
}
