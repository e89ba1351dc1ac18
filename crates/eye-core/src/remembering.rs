//! What a hub remembers of its sessions across a restart, and how it starts with that.

use crate::ids::Millis;
use crate::known::Known;
use crate::session::Session;
use crate::switchboard::Switchboard;
use eye_protocol::limits::{GRACE_AFTER_RESTART_MS, SESSIONS_MAX};
use eye_protocol::messages::Presence;

impl Switchboard {
    /// Whether [`Switchboard::take_known`] would return anything.
    pub fn known_changed(&self) -> bool {
        self.known_changed
    }

    /// Sessions to remember across a restart, if they changed since the last call.
    pub fn take_known(&mut self) -> Option<Vec<Known>> {
        if !std::mem::take(&mut self.known_changed) {
            return None;
        }
        let there = self.sessions.values().filter(|s| s.presence() != Presence::Gone);
        let mut known: Vec<Known> = there.map(Session::known).collect();
        known.sort_by(|a, b| a.id.cmp(&b.id));
        Some(known)
    }

    /// Expects the pages of the hub's earlier run to come back.
    pub fn recall(&mut self, now: Millis, known: Vec<Known>) {
        for known in known.into_iter().take(SESSIONS_MAX) {
            let (id, name) = (known.id.clone(), known.name.clone());
            let session = Session::recalled(known, now, now + GRACE_AFTER_RESTART_MS, self.first_calls.draw());
            self.renaming(&id, |board| drop(board.sessions.insert(id.clone(), session)));
            if let Some(name) = name {
                // A name that was valid before is valid now, unless the file was changed by hand.
                let _ = self.name_page(&id, &name);
            }
            self.arm(&id);
        }
    }
}
