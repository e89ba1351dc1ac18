//! The queue of calls that wait until their agent or page is no longer paused, in order of arrival.

use super::pauses::Pauses;
use eye_core::{Conn, Millis};
use std::collections::VecDeque;

/// Calls that may wait at one time; one more is refused.
const WAITING_LEN_MAX: usize = 1_024;
/// Total bytes of waiting calls; a call beyond that is refused.
const WAITING_BYTES_MAX: usize = 16 << 20;

/// A waiting call. [`Waiting::work`] says how to continue it.
#[derive(Debug)]
pub struct Waiting<W> {
    pub agent: Conn,
    /// The agent's name when it sent the call.
    pub name: Box<str>,
    /// Session of the target page.
    pub page: Option<Box<str>>,
    /// When the wait began, on the hub's clock.
    pub since: Millis,
    /// When the wait ends, on the hub's clock.
    pub until: Millis,
    /// Memory that the call takes.
    pub len_bytes: usize,
    /// Whether the agent matches answers to requests by order.
    pub in_order: bool,
    pub work: W,
}

#[derive(Debug)]
pub struct Line<W> {
    waiting: VecDeque<(u64, Waiting<W>)>,
    len_bytes: usize,
    last: u64,
}

impl<W> Default for Line<W> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), len_bytes: 0, last: 0 }
    }
}

impl<W> Line<W> {
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Queues a call and returns its number. `Err`: the queue is full.
    pub fn push(&mut self, mut waiting: Waiting<W>) -> Result<u64, Waiting<W>> {
        if self.waiting.len() >= WAITING_LEN_MAX || self.len_bytes + waiting.len_bytes > WAITING_BYTES_MAX {
            return Err(waiting);
        }
        if waiting.in_order {
            // It cannot be answered before the agent's earlier calls.
            let before = self.waiting.iter().filter(|(_, one)| one.in_order && one.agent == waiting.agent);
            waiting.until = before.map(|(_, one)| one.until).fold(waiting.until, Millis::max);
        }
        self.last += 1;
        self.len_bytes += waiting.len_bytes;
        self.waiting.push_back((self.last, waiting));
        Ok(self.last)
    }

    /// Whether a call of this agent waits whose answer is matched by order.
    pub fn has_in_order(&self, agent: Conn) -> bool {
        self.waiting.iter().any(|(_, one)| one.in_order && one.agent == agent)
    }

    /// The earliest time at which a call has waited too long.
    pub fn next_wake(&self) -> Option<Millis> {
        self.waiting.iter().map(|(_, one)| one.until).min()
    }

    /// Removes the matching calls, oldest first.
    pub fn take(&mut self, mut wanted: impl FnMut(u64, &Waiting<W>) -> bool) -> Vec<Waiting<W>> {
        let mut taken = Vec::new();
        for (number, one) in std::mem::take(&mut self.waiting) {
            if wanted(number, &one) {
                self.len_bytes -= one.len_bytes;
                taken.push(one);
            } else {
                self.waiting.push_back((number, one));
            }
        }
        taken
    }

    /// Removes the calls that no pause holds back any more.
    pub fn take_released(&mut self, pauses: &Pauses) -> Vec<Waiting<W>> {
        let mut behind: Vec<Conn> = Vec::new();
        self.take(|_, one| {
            let held = pauses.refuses(&one.name, one.page.as_deref()).is_some();
            let held = held || (one.in_order && behind.contains(&one.agent));
            if held && one.in_order {
                behind.push(one.agent);
            }
            !held
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::pauses::What;
    use super::*;

    fn waits(agent: u64, page: &str, until: Millis, work: u32) -> Waiting<u32> {
        let (agent, name, page) = (Conn(agent), format!("a{agent}").into(), Some(page.into()));
        Waiting { agent, name, page, since: 0, until, len_bytes: 1, in_order: false, work }
    }

    fn of(taken: Vec<Waiting<u32>>) -> Vec<u32> {
        taken.into_iter().map(|one| one.work).collect()
    }

    #[test]
    fn what_is_let_go_on_comes_in_its_order_and_the_rest_stays() {
        let mut line = Line::default();
        let mut pauses = Pauses::default();
        pauses.set(What::Page, "p", true);
        for (agent, page, work) in [(1, "p", 1), (2, "q", 2), (1, "q", 3), (2, "p", 4)] {
            line.push(waits(agent, page, 9, work)).unwrap();
        }
        assert_eq!(of(line.take_released(&pauses)), [2, 3]);
        pauses.set(What::Page, "p", false);
        assert_eq!(of(line.take_released(&pauses)), [1, 4]);
        assert!(line.is_empty() && line.next_wake().is_none());
    }

    #[test]
    fn an_answer_that_is_known_by_its_place_waits_for_those_before() {
        let mut line = Line::default();
        let mut pauses = Pauses::default();
        pauses.set(What::Page, "p", true);
        let in_order = |one: Waiting<u32>| Waiting { in_order: true, ..one };
        line.push(in_order(waits(1, "p", 50, 1))).unwrap();
        assert!(line.has_in_order(Conn(1)) && !line.has_in_order(Conn(2)));
        line.push(in_order(waits(1, "q", 20, 2))).unwrap();
        line.push(in_order(waits(2, "q", 30, 3))).unwrap();
        assert_eq!(line.next_wake(), Some(30), "the second is answered with the first");
        assert_eq!(of(line.take_released(&pauses)), [3]);
        assert_eq!(of(line.take(|_, one| one.until <= 49)), [0_u32; 0]);
        assert_eq!(of(line.take(|_, one| one.until <= 50)), [1, 2]);
    }

    #[test]
    fn only_so_many_wait_and_only_so_much() {
        let mut line = Line::default();
        for at in 0..WAITING_LEN_MAX {
            line.push(waits(1, "p", 1, u32::try_from(at).unwrap())).unwrap();
        }
        assert!(line.push(waits(1, "p", 1, 0)).is_err());
        assert_eq!(line.take(|number, _| number == 1).len(), 1);
        let large = |len_bytes: usize| Waiting { len_bytes, ..waits(1, "p", 1, 0) };
        let left = WAITING_BYTES_MAX - line.len();
        assert!(line.push(large(left + 1)).is_err());
        assert!(line.push(large(left)).is_ok());
        assert_eq!(line.take(|_, _| true).len(), WAITING_LEN_MAX);
        assert!(line.push(large(WAITING_BYTES_MAX)).is_ok(), "what is taken is no longer counted");
    }
}
