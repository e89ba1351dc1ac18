//! The open calls of one connection, keyed by the agent's request ids.

use super::entry::Entry;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::hash_map::Entry as Place;

/// An agent's request id, as bytes.
pub type RequestKey = SmallVec<[u8; 22]>;

/// A request before its outcome is known.
#[derive(Debug)]
pub struct Noted {
    /// The agent's request id; empty when answers are matched by order. `None`: no response is expected.
    pub id: Option<RequestKey>,
    pub entry: Box<Entry>,
}

/// Open calls by request id.
#[derive(Debug, Default)]
pub struct Calls {
    /// The only one, where no other was open when it began: an agent that waits for each answer needs no map.
    only: Option<(RequestKey, Open)>,
    /// All others.
    others: FxHashMap<RequestKey, Open>,
}

#[derive(Debug)]
struct Open {
    entry: Box<Entry>,
    began_us: u64,
    /// As in [`Calls::begin`].
    number: u64,
    sent: bool,
    /// A later call under the same id. The earlier call is taken to end first.
    next: Option<Box<Self>>,
}

impl Open {
    /// Adds a later call under the same id.
    fn add(&mut self, later: Self) {
        let mut last = self;
        while let Some(ref mut next) = last.next {
            last = next;
        }
        last.next = Some(Box::new(later));
    }
}

impl Calls {
    /// `number`: of this call, unique in the hub. `sent`: it is dispatched at once, and not held back before.
    pub fn begin(&mut self, id: RequestKey, entry: Box<Entry>, now_us: u64, number: u64, sent: bool) {
        let open = Open { entry, began_us: now_us, number, sent, next: None };
        match &mut self.only {
            None if self.others.is_empty() => self.only = Some((id, open)),
            Some((only, before)) if *only == id => before.add(open),
            Some(_) | None => match self.others.entry(id) {
                Place::Vacant(place) => {
                    place.insert(open);
                }
                Place::Occupied(place) => place.into_mut().add(open),
            },
        }
    }

    /// Marks a call that was held back as not ended during dispatch: a page or a server may have it.
    pub fn sent(&mut self, id: &[u8]) {
        let mut open = match &mut self.only {
            Some((only, open)) if **only == *id => Some(open),
            Some(_) | None => self.others.get_mut(id),
        };
        while let Some(one) = open {
            one.sent = true;
            open = one.next.as_deref_mut();
        }
    }

    /// Ends a call. Returns its entry, and whether it may have been sent. `dispatching`: the number of the call that is
    /// being dispatched, and so cannot have been sent yet; 0: none.
    pub fn end(&mut self, id: &[u8], now_us: u64, dispatching: u64) -> Option<(Box<Entry>, bool)> {
        let mut open = if let Some((id, mut open)) = self.only.take_if(|(only, _)| **only == *id) {
            self.only = open.next.take().map(|next| (id, *next));
            open
        } else {
            let (id, mut open) = self.others.remove_entry(id)?;
            if let Some(next) = open.next.take() {
                self.others.insert(id, *next);
            }
            open
        };
        open.entry.us = now_us.saturating_sub(open.began_us);
        Some((open.entry, open.sent && open.number != dispatching))
    }

    #[expect(clippy::vec_box, reason = "entries move on, and a pointer moves for less")]
    pub fn end_all(&mut self, now_us: u64) -> Vec<Box<Entry>> {
        let ids: Vec<RequestKey> = self.only.iter().map(|(id, _)| id).chain(self.others.keys()).cloned().collect();
        let mut ended = Vec::new();
        for id in ids {
            while let Some((entry, _)) = self.end(&id, now_us, 0) {
                ended.push(entry);
            }
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_ends_once_also_where_ids_are_used_twice() {
        let mut calls = Calls::default();
        for (number, (id, op)) in [("a", "1"), ("b", "2"), ("a", "3"), ("a", "4")].into_iter().enumerate() {
            calls.begin(id.as_bytes().into(), Box::new(Entry::new(op.into(), "")), 10, number as u64 + 1, false);
        }
        calls.sent(b"b");
        let end = |calls: &mut Calls, id: &str| {
            calls.end(id.as_bytes(), 15, 0).map(|(entry, sent)| (entry.op, entry.us, sent))
        };
        assert_eq!(end(&mut calls, "a"), Some(("1".into(), 5, false)));
        assert_eq!(end(&mut calls, "b"), Some(("2".into(), 5, true)));
        assert_eq!(end(&mut calls, "b"), None);
        assert_eq!(calls.end_all(20).len(), 2);
        assert_eq!(end(&mut calls, "a"), None);
    }

    #[test]
    fn calls_end_in_their_order_however_many_are_open() {
        let (mut calls, mut number) = (Calls::default(), 0);
        let mut open: Vec<(&str, u64)> = Vec::new();
        // Begins and ends, so that each id is sometimes the only one, sometimes one of several, sometimes used twice.
        for step in ["+a", "+b", "-a", "+a", "-b", "-a", "+b", "+b", "+a", "-b", "-a", "+b", "-b", "-b", "+a", "-a"] {
            let (sign, id) = step.split_at(1);
            if sign == "+" {
                number += 1;
                let mut entry = Box::new(Entry::new("eval".into(), ""));
                entry.answered = usize::try_from(number).unwrap();
                calls.begin(id.as_bytes().into(), entry, 0, number, true);
                open.push((id, number));
            } else {
                let at = open.iter().position(|(other, _)| *other == id).unwrap();
                let (_, want) = open.remove(at);
                let ended = calls.end(id.as_bytes(), 0, 0).map(|(entry, _)| entry.answered as u64);
                assert_eq!(ended, Some(want), "{step}, open are {open:?}");
            }
        }
        assert_eq!((calls.end(b"a", 0, 0).is_none(), calls.end_all(0).len()), (true, 0));
    }

    #[test]
    fn a_call_that_ends_while_it_is_dispatched_was_not_sent() {
        let mut calls = Calls::default();
        for number in 1..=3 {
            calls.begin(b"a"[..].into(), Box::new(Entry::new("1".into(), "")), 10, number, true);
        }
        let sent: Vec<bool> = (0..3).filter_map(|_| calls.end(b"a", 15, 2)).map(|(_, sent)| sent).collect();
        assert_eq!(sent, [true, false, true]);
    }
}
