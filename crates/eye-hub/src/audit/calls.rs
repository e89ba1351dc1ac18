//! The open calls of one connection, keyed by the agent's request ids.

use super::entry::Entry;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry as MapEntry;
use std::sync::Arc;

/// A request before its outcome is known.
#[derive(Debug)]
pub struct Noted {
    /// The agent's request id; empty when answers are matched by order. `None`: no response is expected.
    pub id: Option<Arc<str>>,
    pub entry: Box<Entry>,
}

/// Open calls by request id.
#[derive(Debug, Default)]
pub struct Calls(FxHashMap<Arc<str>, Open>);

#[derive(Debug)]
struct Open {
    entry: Box<Entry>,
    began_us: u64,
    sent: bool,
    /// A later call under the same id. The earlier call is taken to end first.
    next: Option<Box<Self>>,
}

impl Calls {
    pub fn begin(&mut self, id: Arc<str>, entry: Box<Entry>, now_us: u64) {
        let open = Open { entry, began_us: now_us, sent: false, next: None };
        match self.0.entry(id) {
            MapEntry::Vacant(free) => {
                free.insert(open);
            }
            MapEntry::Occupied(taken) => {
                let mut last = taken.into_mut();
                while let Some(ref mut next) = last.next {
                    last = next;
                }
                last.next = Some(Box::new(open));
            }
        }
    }

    /// Marks a call as not ended during dispatch: a page or a server may have it.
    pub fn sent(&mut self, id: &str) {
        let mut open = self.0.get_mut(id);
        while let Some(one) = open {
            one.sent = true;
            open = one.next.as_deref_mut();
        }
    }

    /// Ends a call. Returns its entry, and whether it may have been sent.
    pub fn end(&mut self, id: &str, now_us: u64) -> Option<(Box<Entry>, bool)> {
        let (id, mut open) = self.0.remove_entry(id)?;
        if let Some(next) = open.next.take() {
            self.0.insert(id, *next);
        }
        open.entry.us = now_us.saturating_sub(open.began_us);
        Some((open.entry, open.sent))
    }

    #[expect(clippy::vec_box, reason = "entries move on, and a pointer moves for less")]
    pub fn end_all(&mut self, now_us: u64) -> Vec<Box<Entry>> {
        let ids: Vec<Arc<str>> = self.0.keys().cloned().collect();
        let mut ended = Vec::new();
        for id in ids {
            while let Some((entry, _)) = self.end(&id, now_us) {
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
        for (id, op) in [("a", "1"), ("b", "2"), ("a", "3"), ("a", "4")] {
            calls.begin(id.into(), Box::new(Entry::new(op.into(), "")), 10);
        }
        calls.sent("b");
        let end = |calls: &mut Calls, id: &str| calls.end(id, 15).map(|(entry, sent)| (entry.op, entry.us, sent));
        assert_eq!(end(&mut calls, "a"), Some(("1".into(), 5, false)));
        assert_eq!(end(&mut calls, "b"), Some(("2".into(), 5, true)));
        assert_eq!(end(&mut calls, "b"), None);
        assert_eq!(calls.end_all(20).len(), 2);
        assert_eq!(end(&mut calls, "a"), None);
    }
}
