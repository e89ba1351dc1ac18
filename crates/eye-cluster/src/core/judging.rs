//! What follows from a heartbeat, and from the end of a hub.

use super::calls;
use super::event::{Action, Life};
use super::state::Core;
use eye_core::{Input, Millis};
use std::sync::Arc;

impl Core {
    pub(super) fn beat(&mut self, now: Millis, name: Arc<str>, life: &Life, out: &mut Vec<Action>) {
        if *life == self.life {
            self.heard_itself_at = now;
            return;
        }
        self.hubs.note(now, life);
        let Some(known) = self.hubs.0.get_mut(life) else { return };
        known.heard_at = now;
        known.name = Some(name);
        if !std::mem::replace(&mut known.is_alive, true) {
            // The hub only hung, or was cut off.
            known.is_tidied = false;
            let rows = self.directory.listed_of(life);
            out.push(Action::Feed(Input::Listed(rows)));
        }
        self.topics.beat(life, out);
    }

    /// Ends a life, as far as this hub can know: its pending requests end, and its pages leave the list.
    pub(super) fn hub_ended(&mut self, now: Millis, life: &Life, unread: &[u64], out: &mut Vec<Action>) {
        let states = self.calls.take_states(life, u64::MAX, out);
        for call in self.calls.at(life) {
            let error = if unread.contains(&call) { calls::unread() } else { calls::hub_gone() };
            self.calls.end(now, call, &error, out);
        }
        if let Some(known) = self.hubs.0.get_mut(life)
            && std::mem::replace(&mut known.is_alive, false)
        {
            out.push(Action::Feed(Input::Listed(self.directory.unlisted_of(life))));
            out.push(Action::Leave { from: life.clone(), agent: None });
            self.hubs.ends_requests(life);
            self.topics.hub_ended(life, out);
            self.nothing_comes_of(life, out);
            self.pass_along_without(life, out);
            self.seeks.hub_ended(life, out);
            self.ask_hubs(out);
        }
        // Requests the states again. They are now read from where they outlived that hub.
        out.extend(states.into_iter().map(Action::Feed));
    }
}
