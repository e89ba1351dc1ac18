//! Console state of the hub: connected consoles, counters, pauses, and calls that wait for a person's decision.

use super::book::Book;
use super::pauses::Pauses;
use eye_core::{Conn, Effect, Input, Millis};

/// Calls that may wait for a person. One more is refused, as it would be without a console.
pub const HELD_LEN_MAX: usize = 64;
/// How long a call waits for a person.
pub const HELD_MS: Millis = 2 * 60_000;

/// A call of a consequential tool that waits for a person.
#[derive(Debug)]
pub struct Held {
    /// Number in the queue.
    pub id: u32,
    pub agent: Conn,
    pub name: Box<str>,
    /// The page as the agent's request names it.
    pub page: Box<str>,
    pub tool: Box<str>,
    /// JSON text.
    pub arguments: Box<str>,
    /// When the request arrived, Unix time in ms.
    pub at_ms: u64,
    /// When the wait ends, on the hub's clock.
    pub until: Millis,
    /// The input that runs the call if a person allows it.
    pub again: Input,
    /// The effect that refuses the call otherwise.
    pub refusal: Effect,
}

#[derive(Debug, Default)]
pub struct Desk {
    /// Connections of consoles.
    pub consoles: Vec<Conn>,
    pub book: Book,
    pub pauses: Pauses,
    /// Calls that wait for a person, oldest first.
    pub held: Vec<Held>,
    last_held: u32,
    /// Incremented when pauses or held calls change.
    pub version: u64,
}

impl Desk {
    /// Whether a console is connected.
    pub fn is_watched(&self) -> bool {
        !self.consoles.is_empty()
    }

    /// The number for the next call in the queue; `None`: the queue is full.
    pub fn next_held(&mut self) -> Option<u32> {
        if self.held.len() >= HELD_LEN_MAX {
            return None;
        }
        self.last_held = self.last_held.wrapping_add(1);
        self.version += 1;
        Some(self.last_held)
    }

    /// Removes the matching calls from the queue.
    pub fn take_held(&mut self, mut wanted: impl FnMut(&Held) -> bool) -> Vec<Held> {
        let mut taken = Vec::new();
        let mut at = 0;
        while at < self.held.len() {
            if wanted(&self.held[at]) {
                taken.push(self.held.remove(at));
                self.version += 1;
            } else {
                at += 1;
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(id: u32, agent: u64) -> Held {
        Held {
            id,
            agent: Conn(agent),
            name: "a".into(),
            page: "p".into(),
            tool: "buy".into(),
            arguments: "{}".into(),
            at_ms: 0,
            until: HELD_MS,
            again: Input::Tick,
            refusal: Effect::Ping { page: Conn(1) },
        }
    }

    #[test]
    fn the_queue_has_an_end_and_gives_back_what_is_asked_for() {
        let mut desk = Desk::default();
        for _ in 0..HELD_LEN_MAX {
            let id = desk.next_held().unwrap();
            desk.held.push(held(id, u64::from(id % 2)));
        }
        assert_eq!(desk.next_held(), None);
        assert_eq!(desk.take_held(|one| one.agent == Conn(0)).len(), HELD_LEN_MAX / 2);
        assert_eq!(desk.take_held(|one| one.id == 1).len(), 1);
        assert_eq!(desk.held.len(), HELD_LEN_MAX / 2 - 1);
        assert!(desk.next_held().is_some());
    }
}
