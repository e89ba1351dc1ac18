//! Topic subscriptions across hubs. Each hub sends the others all of its subscriptions once and then the changes, so
//! that a message goes only where it has a subscriber. Messages go through the same subject of a hub as everything
//! else, which keeps their order.

use super::event::{Action, Life};
use crate::wire::{Frame, WireInterest};
use eye_core::Input;
use eye_core::elsewhere::{ChangedInterest, HubInterests, Interest, TopicsNews};
use rustc_hash::FxHashSet;

/// The subscriptions of this hub, and which hubs know them.
#[derive(Debug, Default)]
pub(super) struct Topics {
    own: FxHashSet<Interest>,
    /// Hubs that got all subscriptions, and every change, since the link is up.
    informed: FxHashSet<Life>,
    /// Hubs that have sent all of their subscriptions.
    known: FxHashSet<Life>,
}

impl Topics {
    /// The link is down or up: what was sent before may be lost, and nothing could follow from what was received.
    pub fn link_changes(&mut self, out: &mut Vec<Action>) {
        self.informed.clear();
        for hub in std::mem::take(&mut self.known) {
            out.push(Action::Feed(news(hub, HubInterests::Gone)));
        }
    }

    pub fn hub_ended(&mut self, life: &Life, out: &mut Vec<Action>) {
        self.informed.remove(life);
        if self.known.remove(life) {
            out.push(Action::Feed(news(life.clone(), HubInterests::Gone)));
        }
    }

    /// After a heartbeat: sends the hub all subscriptions of this hub and requests its own, unless that is done.
    pub fn beat(&mut self, life: &Life, out: &mut Vec<Action>) {
        if !self.informed.contains(life) {
            self.tell_all(life.clone(), out);
        }
        if !self.known.contains(life) {
            out.push(Action::Send { to: life.clone(), frame: Frame::WantInterests });
        }
    }

    pub fn tell_all(&mut self, to: Life, out: &mut Vec<Action>) {
        self.informed.insert(to.clone());
        let changed = self.own.iter().map(|interest| (interest.clone().into(), true)).collect();
        out.push(Action::Send { to, frame: Frame::Interests { all: true, changed } });
    }

    /// Subscriptions were added or removed here.
    pub fn change(&mut self, changed: Vec<ChangedInterest>, out: &mut Vec<Action>) {
        for (interest, is_there) in &changed {
            if *is_there {
                self.own.insert(interest.clone());
            } else {
                self.own.remove(interest);
            }
        }
        let changed: Vec<(WireInterest, bool)> =
            changed.into_iter().map(|(interest, is_there)| (interest.into(), is_there)).collect();
        for to in &self.informed {
            let frame = Frame::Interests { all: false, changed: changed.clone() };
            out.push(Action::Send { to: to.clone(), frame });
        }
    }

    /// Another hub sent its subscriptions.
    pub fn receive(&mut self, from: Life, all: bool, changed: Vec<(WireInterest, bool)>, out: &mut Vec<Action>) {
        let changed: Vec<ChangedInterest> =
            changed.into_iter().map(|(interest, is_there)| (interest.into(), is_there)).collect();
        let interests = if all {
            self.known.insert(from.clone());
            HubInterests::All(changed.into_iter().map(|(interest, _)| interest).collect())
        } else if self.known.contains(&from) {
            HubInterests::Changed(changed)
        } else {
            // All of them are requested with the next heartbeat.
            return;
        };
        out.push(Action::Feed(news(from, interests)));
    }
}

fn news(hub: Life, interests: HubInterests) -> Input {
    Input::Topics(Box::new(TopicsNews::Interests { hub, interests }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::claiming::cast_row::page;
    use crate::core::{Core, DEAD_AFTER_MS, Event};
    use crate::row::Row;
    use eye_core::elsewhere::Listed;
    use eye_protocol::SessionId;
    use eye_protocol::messages::Presence;

    #[test]
    fn what_comes_before_the_link_is_up_is_requested_again() {
        let (mut core, mut out) = (Core::new("a".into(), "a".into()), Vec::new());
        let beat = || Event::Beat { name: "b".into(), life: "b".into() };
        let all = || Event::Frame { from: "b".into(), frame: Frame::Interests { all: true, changed: Vec::new() } };
        let mut requests = |events: Vec<Event>| {
            for event in events {
                core.on(0, event, &mut out);
            }
            let is_request = |action: &Action| matches!(action, Action::Send { frame: Frame::WantInterests, .. });
            out.drain(..).filter(is_request).count()
        };
        assert_eq!(requests(vec![Event::Up, beat(), all()]), 1);
        assert_eq!(requests(vec![beat()]), 0, "it has been answered");
        // With the answer, agents here would watch the other hub's pages again, which is not possible without a link.
        assert_eq!(requests(vec![Event::Down, all(), Event::Up, beat()]), 1);
        assert_eq!(requests(vec![all(), beat()]), 0);
    }

    #[test]
    fn watches_are_renewed_also_at_a_hub_without_a_heartbeat_yet() {
        let (mut core, mut out) = (Core::new("a".into(), "a".into()), Vec::new());
        let life: Life = "life-of-b".into();
        let row = |session| Row { epoch: 1, ..Row::of(page(session, Presence::Connected), None, &"b".into(), &life) };
        let entry = |session: &str, row, revision| {
            let session = SessionId::parse(session).unwrap();
            Event::Entry { session, row, revision }
        };
        let (first, last) = (entry("s1", Some(row("s1")), 1), entry("s2", Some(row("s2")), 2));
        let removed = entry("s2", None, 3);
        let frame = Frame::Interests { all: true, changed: Vec::new() };
        for event in [Event::Up, Event::Reading, first, last, removed, Event::Read] {
            core.on(0, event, &mut out);
        }
        out.clear();
        core.on(0, Event::Frame { from: life, frame }, &mut out);
        let is_it = |listed: &Listed| *listed == Listed::Unwatched("b".into());
        let unwatched = |action: &Action| matches!(action, Action::Feed(Input::Listed(all)) if all.iter().all(is_it));
        // Without this its agents' watches of that hub's pages would not be renewed.
        assert!(out.iter().any(unwatched), "{out:?}");
    }

    #[test]
    fn a_hub_that_hung_sends_all_its_subscriptions_again() {
        let (mut core, mut out) = (Core::new("a".into(), "a".into()), Vec::new());
        let mut sends_all = |at, event| {
            core.on(at, event, &mut out);
            let all = |action| matches!(action, Action::Send { frame: Frame::Interests { all: true, .. }, .. });
            out.drain(..).any(all)
        };
        let beat = || Event::Beat { name: "b".into(), life: "b".into() };
        assert!(!sends_all(0, Event::Up) && !sends_all(0, Event::Tick));
        assert!(sends_all(0, beat()) && !sends_all(0, beat()));
        assert!(!sends_all(DEAD_AFTER_MS, Event::Tick), "it has disconnected the agents of the other hub");
        assert!(sends_all(DEAD_AFTER_MS, beat()), "which watch again because of this");
    }
}
