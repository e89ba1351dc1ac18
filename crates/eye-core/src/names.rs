//! Names of pages: aliases that pages give themselves, and names that a person gave. It knows sessions only by their
//! ids.

use eye_protocol::SessionId;
use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Names that a person gave. Each means one session, and pages cannot take it.
    pub given: FxHashMap<Box<str>, SessionId>,
    /// Sessions by the alias of their page.
    pub aliases: FxHashMap<Box<str>, Vec<SessionId>>,
}

impl Names {
    /// The alias of a session's page changed.
    pub fn alias_changed(&mut self, session: &SessionId, before: Option<&str>, after: Option<&str>) {
        if before == after {
            return;
        }
        if let Some(before) = before
            && let Some(sessions) = self.aliases.get_mut(before)
        {
            sessions.retain(|known| known != session);
            if sessions.is_empty() {
                self.aliases.remove(before);
            }
        }
        if let Some(after) = after {
            self.aliases.entry(after.into()).or_default().push(session.clone());
        }
    }
}
