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
    pub fn link_is_up(&mut self) {
        self.informed.clear();
    }

    pub fn link_is_down(&mut self, out: &mut Vec<Action>) {
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
