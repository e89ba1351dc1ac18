//! What hubs listen to: each tells the others, all of it once and then what changes, so that a message goes only where
//! it has a listener. Messages travel with everything else to a hub's subject, which keeps their order.

use super::event::{Action, Life};
use crate::wire::{Frame, WireInterest};
use eye_core::Input;
use eye_core::elsewhere::{ChangedInterest, HubInterests, Interest, TopicsNews};
use rustc_hash::FxHashSet;

/// What is listened to here, and who knows it.
#[derive(Debug, Default)]
pub(super) struct Topics {
    own: FxHashSet<Interest>,
    /// Hubs that were told all of it since the link is up, and everything that changed since.
    told: FxHashSet<Life>,
    /// Hubs that have told all of theirs.
    heard: FxHashSet<Life>,
}

impl Topics {
    pub fn link_is_up(&mut self) {
        self.told.clear();
    }

    pub fn link_is_down(&mut self, out: &mut Vec<Action>) {
        self.told.clear();
        for hub in std::mem::take(&mut self.heard) {
            out.push(Action::Feed(news(hub, HubInterests::Gone)));
        }
    }

    pub fn hub_ended(&mut self, life: &Life, out: &mut Vec<Action>) {
        self.told.remove(life);
        if self.heard.remove(life) {
            out.push(Action::Feed(news(life.clone(), HubInterests::Gone)));
        }
    }

    /// A hub is there: it hears what is listened to here, and is asked for its own.
    pub fn beat(&mut self, life: &Life, out: &mut Vec<Action>) {
        if !self.told.contains(life) {
            self.tell_all(life.clone(), out);
        }
        if !self.heard.contains(life) {
            out.push(Action::Send { to: life.clone(), frame: Frame::WantInterests });
        }
    }

    pub fn tell_all(&mut self, to: Life, out: &mut Vec<Action>) {
        self.told.insert(to.clone());
        let changed = self.own.iter().map(|interest| (interest.clone().into(), true)).collect();
        out.push(Action::Send { to, frame: Frame::Interests { all: true, changed } });
    }

    /// Something is listened to here from now on, or no more.
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
        for to in &self.told {
            let frame = Frame::Interests { all: false, changed: changed.clone() };
            out.push(Action::Send { to: to.clone(), frame });
        }
    }

    /// A hub tells what it listens to.
    pub fn heard(&mut self, from: Life, all: bool, changed: Vec<(WireInterest, bool)>, out: &mut Vec<Action>) {
        let changed: Vec<ChangedInterest> =
            changed.into_iter().map(|(interest, is_there)| (interest.into(), is_there)).collect();
        let interests = if all {
            self.heard.insert(from.clone());
            HubInterests::All(changed.into_iter().map(|(interest, _)| interest).collect())
        } else if self.heard.contains(&from) {
            HubInterests::Changed(changed)
        } else {
            // All of it is asked for with the next heartbeat.
            return;
        };
        out.push(Action::Feed(news(from, interests)));
    }
}

fn news(hub: Life, interests: HubInterests) -> Input {
    Input::Topics(Box::new(TopicsNews::Interests { hub, interests }))
}
