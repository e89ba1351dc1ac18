//! Which other hubs are alive, by their heartbeats.

use super::event::{DEAD_AFTER_MS, FORGET_AFTER_MS, Life};
use eye_core::Millis;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The hubs that this hub has received anything from or about.
#[derive(Debug, Default)]
pub(super) struct Hubs(pub FxHashMap<Life, Known>);

/// What is known about one life.
#[derive(Debug)]
pub(super) struct Known {
    /// `None` until the first heartbeat of that hub, which carries its name.
    pub name: Option<Arc<str>>,
    pub heard_at: Millis,
    pub is_alive: bool,
    /// The highest call number of its requests that arrived here.
    last_call: u64,
    /// The call number of the first request that arrived since this hub last ended all of its requests.
    first_call: Option<u64>,
    /// Its entries have been removed since the link came up, as far as they are known here.
    pub is_tidied: bool,
}

impl Hubs {
    pub fn link_is_up(&mut self, now: Millis) {
        for known in self.0.values_mut() {
            known.heard_at = now;
            known.is_tidied = false;
            known.first_call = None;
        }
    }

    /// All requests of that life are ended.
    pub fn ends_requests(&mut self, life: &Life) {
        if let Some(known) = self.0.get_mut(life) {
            known.first_call = None;
        }
    }

    /// The number below which requests of that life have ended or never arrived. It has sent requests up to `last`: of
    /// those, all that arrive have arrived, because NATS keeps their order.
    pub fn lost_below(&self, life: &Life, last: u64) -> u64 {
        self.0.get(life).and_then(|known| known.first_call).unwrap_or(last.saturating_add(1))
    }

    /// Whether its entries are still to be removed. Returns true only once.
    pub fn tidy(&mut self, life: &Life) -> bool {
        self.0.get_mut(life).is_some_and(|known| !std::mem::replace(&mut known.is_tidied, true))
    }

    /// Whether its entries are being removed: it has been dead for long, and this hub removes the entries of dead hubs.
    pub fn is_tidied(&self, life: &Life) -> bool {
        self.0.get(life).is_some_and(|known| known.is_tidied && !known.is_alive)
    }

    pub fn all(&self) -> Vec<Life> {
        self.0.keys().cloned().collect()
    }

    pub fn alive(&self) -> impl Iterator<Item = (&Life, &Arc<str>)> {
        self.0.iter().filter(|(_, known)| known.is_alive).filter_map(|(life, known)| Some((life, known.name.as_ref()?)))
    }

    /// All lives that are alive, including those whose names are not known yet.
    pub fn lives(&self) -> impl Iterator<Item = &Life> {
        self.0.iter().filter(|(_, known)| known.is_alive).map(|(life, _)| life)
    }

    pub fn is_alive(&self, life: &str) -> bool {
        self.0.get(life).is_some_and(|known| known.is_alive)
    }

    /// Records a life that this hub learned about. A new life counts as alive until it was silent for a period.
    pub fn note(&mut self, now: Millis, life: &Life) -> bool {
        let is_new = !self.0.contains_key(life);
        if is_new {
            self.0.insert(
                life.clone(),
                Known { name: None, heard_at: now, is_alive: true, last_call: 0, first_call: None, is_tidied: false },
            );
        }
        is_new
    }

    /// Whether a request of that life is new. Call numbers grow, and NATS keeps the order of one subject.
    pub fn is_next(&mut self, life: &Life, call: u64) -> bool {
        let Some(known) = self.0.get_mut(life) else { return true };
        let is_next = call > known.last_call;
        if is_next {
            known.last_call = call;
            known.first_call.get_or_insert(call);
        }
        is_next
    }

    /// This hub ran late by `late` ms and could not receive heartbeats meanwhile: does not count that time as silence.
    pub fn excuse(&mut self, now: Millis, late: Millis) {
        for known in self.0.values_mut().filter(|known| known.is_alive) {
            known.heard_at = now.min(known.heard_at + late);
        }
    }

    pub fn silent(&self, now: Millis, up_since: Millis) -> Vec<Life> {
        let silent = |known: &Known| known.is_alive && now >= known.heard_at.max(up_since) + DEAD_AFTER_MS;
        self.0.iter().filter(|(_, known)| silent(known)).map(|(life, _)| life.clone()).collect()
    }

    pub fn long_dead(&self, now: Millis) -> Vec<Life> {
        let over = |known: &Known| !known.is_alive && now >= known.heard_at + FORGET_AFTER_MS;
        self.0.iter().filter(|(_, known)| over(known)).map(|(life, _)| life.clone()).collect()
    }

    /// Whether of all hubs that are there this one comes first: one of them is enough to tidy up.
    pub fn is_first(&self, own: &Life) -> bool {
        self.0.iter().filter(|(_, known)| known.is_alive).all(|(life, _)| own < life)
    }

    pub fn forget(&mut self, life: &Life) {
        self.0.remove(life);
    }
}

#[cfg(test)]
mod tests {
    use crate::core::{Action, BEAT_MS, Core, DEAD_AFTER_MS, Event, FORGET_AFTER_MS, Life};
    use crate::row::Row;
    use eye_protocol::SessionId;

    /// The number of other hubs that a hub still lists after these ticks. It got one heartbeat of another hub, at 0.
    fn others_after(ticks: impl IntoIterator<Item = u64>, hears_itself: bool) -> usize {
        let (mut core, mut out) = (Core::new("a".into(), "a".into()), Vec::new());
        for event in [Event::Up, Event::Reading, Event::Read, Event::Beat { name: "b".into(), life: "b".into() }] {
            core.on(0, event, &mut out);
        }
        for at in ticks {
            if hears_itself {
                core.on(at, Event::Beat { name: "a".into(), life: "a".into() }, &mut out);
            }
            core.on(at, Event::Tick, &mut out);
        }
        core.others().len()
    }

    #[test]
    fn a_hub_that_does_not_hear_itself_judges_no_other() {
        let on_time = || (0..=5 * DEAD_AFTER_MS).step_by(usize::try_from(BEAT_MS).unwrap());
        assert_eq!((others_after(on_time(), false), others_after(on_time(), true)), (1, 0));
    }

    #[test]
    fn a_hub_that_is_silent_is_gone_and_one_that_this_hub_had_no_time_to_hear_is_not() {
        let on_time = |until: u64| (0..=until).step_by(usize::try_from(BEAT_MS).unwrap());
        assert_eq!(others_after(on_time(DEAD_AFTER_MS - BEAT_MS), true), 1);
        assert_eq!(others_after(on_time(DEAD_AFTER_MS), true), 0);
        let late = [0, BEAT_MS, DEAD_AFTER_MS - 1, DEAD_AFTER_MS + BEAT_MS - 1];
        assert_eq!(others_after(late, true), 1, "it ticked three times in that time, not four");
        assert_eq!(others_after(late.into_iter().chain([DEAD_AFTER_MS + 2 * BEAT_MS]), true), 0);
    }

    /// An entry that the hub of this life wrote.
    fn entry(life: &Life) -> Row {
        serde_json::from_value(serde_json::json!({
            "hub": "b", "life": &**life, "epoch": 1, "origin": "http://localhost", "title": "", "url": "",
            "connected": true, "visible": true, "frame": false, "eval": true, "tools": 0,
        }))
        .unwrap()
    }

    #[test]
    fn a_life_that_is_over_is_forgotten_with_its_entries_once_and_by_one_hub() {
        // Of the two remaining hubs, the one whose life sorts first removes the entries.
        for (own, other, removes) in [("a", "c", 1), ("c", "a", 0)] {
            let (mut core, mut out) = (Core::new(own.into(), own.into()), Vec::new());
            let (dead, session): (Life, _) = ("b".into(), SessionId::parse("s1").unwrap());
            core.on(0, Event::Up, &mut out);
            core.on(0, Event::Reading, &mut out);
            core.on(0, Event::Entry { session: session.clone(), row: Some(entry(&dead)), revision: 7 }, &mut out);
            core.on(0, Event::Read, &mut out);
            out.clear();
            let mut now = 0;
            while now < FORGET_AFTER_MS + DEAD_AFTER_MS {
                for life in [own, other] {
                    core.on(now, Event::Beat { name: life.into(), life: life.into() }, &mut out);
                }
                core.on(now, Event::Tick, &mut out);
                now += BEAT_MS;
            }
            let removed = out.iter().filter(|action| matches!(action, Action::Remove { revision: 7, .. })).count();
            assert_eq!((removed, core.hubs.0.contains_key(&dead)), (removes, true), "{own}");
            // Either hub has removed the entry, so the life is forgotten.
            core.on(now, Event::Beat { name: own.into(), life: own.into() }, &mut out);
            core.on(now, Event::Entry { session, row: None, revision: 8 }, &mut out);
            core.on(now, Event::Tick, &mut out);
            assert!(!core.hubs.0.contains_key(&dead), "{own}");
            assert!(core.hubs.0.contains_key(other), "{own}");
        }
    }
}
