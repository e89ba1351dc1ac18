//! The frames that wait for the end of a turn, by the hub that they are for. What all messages to a hub have in common
//! is kept from turn to turn.

use crate::core::Life;
use crate::wire::Frame;
use async_nats::Subject;
use rustc_hash::FxHashMap;

/// The number of frames for which an empty list keeps its room.
const KEPT_LEN_MAX: usize = 64;

/// The frames of all hubs.
#[derive(Debug, Default)]
pub struct Outgoing {
    hubs: FxHashMap<Life, Waiting>,
    /// Whether a frame waits.
    any: bool,
}

/// The frames for one hub.
#[derive(Debug)]
pub struct Waiting {
    /// The subject of that hub.
    pub subject: Subject,
    pub frames: Vec<Frame>,
}

impl Outgoing {
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Adds a frame. `subject` makes the subject of a hub that is new.
    pub fn push(&mut self, to: Life, frame: Frame, subject: impl FnOnce(&str) -> String) {
        self.any = true;
        if let Some(waiting) = self.hubs.get_mut(&to) {
            return waiting.frames.push(frame);
        }
        let subject = subject(&to).into();
        self.hubs.insert(to, Waiting { subject, frames: vec![frame] });
    }

    /// Lends the frames of each hub that some wait for, and drops them.
    pub fn drain(&mut self, mut each: impl FnMut(&Life, &Waiting)) {
        self.any = false;
        for (to, waiting) in self.hubs.iter_mut().filter(|(_, waiting)| !waiting.frames.is_empty()) {
            each(to, waiting);
            waiting.frames.clear();
            waiting.frames.shrink_to(KEPT_LEN_MAX);
        }
    }

    /// Drops everything: the link is down.
    pub fn clear(&mut self) {
        self.hubs.clear();
        self.any = false;
    }

    /// A hub has ended. Keeps what still waits for it.
    pub fn forget(&mut self, life: &Life) {
        if self.hubs.get(life).is_some_and(|waiting| waiting.frames.is_empty()) {
            self.hubs.remove(life);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_lent_once_in_their_order_and_only_an_idle_hub_is_forgotten() {
        let (mut outgoing, b): (_, Life) = (Outgoing::default(), "b".into());
        let gone = |agent| Frame::Left { agent };
        for (to, agent) in [("b", 1), ("c", 2), ("b", 3)] {
            outgoing.push(to.into(), gone(agent), |life| format!("h.{life}"));
        }
        outgoing.forget(&b);
        let mut lent = Vec::new();
        outgoing.drain(|to, waiting| lent.push((to.clone(), waiting.subject.to_string(), waiting.frames.clone())));
        lent.sort_by(|one, other| one.0.cmp(&other.0));
        let expected = [(b.clone(), "h.b".into(), vec![gone(1), gone(3)]), ("c".into(), "h.c".into(), vec![gone(2)])];
        assert_eq!(lent, expected);
        assert!(outgoing.is_empty());
        outgoing.drain(|to, _| panic!("nothing waits for {to}"));
        outgoing.forget(&b);
        assert_eq!(outgoing.hubs.keys().map(|life| &**life).collect::<Vec<_>>(), ["c"]);
    }
}
