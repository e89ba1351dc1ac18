//! Results of `async` calls, kept for one agent until it collects them. Bounded in number, bytes and time.

use crate::ids::{Conn, Millis};
use crate::task::Reply;
use eye_protocol::limits::{CALL_TIMEOUT_DEFAULT_MS, KEPT_BYTES_MAX, KEPT_MS, KEPT_RESULTS_MAX};
use eye_protocol::messages::{Collected, Kept};
use eye_protocol::rpc::json;
use eye_protocol::{Code, Ending, Error};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[derive(Debug)]
struct Slot {
    id: Box<str>,
    /// When it ended, and how; `None` while it has not.
    ended: Option<(Millis, Ending)>,
    /// Keys of the collectors that wait for it.
    collectors: Vec<u64>,
}

#[derive(Debug)]
struct Collector {
    reply: Reply,
    /// Keys of the slots it waits for: those it named, or all there were.
    wanted: Vec<u64>,
    /// How many of them have not ended.
    pending: usize,
    deadline: Millis,
}

/// What happens to a shelf when time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// The deadline of a collector.
    Collector(u64),
    /// A result expires.
    Result(u64),
}

/// The kept results of one agent. Slots and collectors are numbered in the order in which they came, so none is
/// searched for.
#[derive(Debug, Default)]
pub struct Shelf {
    slots: BTreeMap<u64, Slot>,
    by_id: HashMap<Box<str>, u64>,
    collectors: BTreeMap<u64, Collector>,
    due: BTreeSet<(Millis, Due)>,
    last_key: u64,
    last_number: u32,
    /// Slots whose result is not there yet.
    pending: usize,
    bytes: usize,
    /// Slots and collectors that were looked at, so that a test can tell how the work grows.
    #[cfg(test)]
    looked_at: u64,
}

/// The answer of a `collect`, ready to be sent.
pub type Delivery = (Reply, Result<String, Error>);

impl Shelf {
    /// Whether nothing is kept and no agent waits.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.collectors.is_empty()
    }

    /// Whether calls are under way whose results come here. Their slots cannot be given up: a later call could take the
    /// same id, and would get the result of the earlier one.
    pub fn is_awaited(&self) -> bool {
        self.pending > 0
    }

    /// Bytes of the results.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// When the oldest result came, if there is one.
    pub fn oldest_at(&self) -> Option<Millis> {
        self.slots.values().filter_map(|slot| slot.ended.as_ref().map(|(at, _)| *at)).min()
    }

    /// Frees memory: each result that is there is replaced by an error, which `collect` delivers.
    pub fn drop_ended(&mut self) {
        for (_, ending) in self.slots.values_mut().filter_map(|slot| slot.ended.as_mut()) {
            let error = Error::new(Code::CONNECTION, "this result was dropped: the hub needed its memory");
            *ending = Err(error.hint("collect sooner, or ask for less"));
        }
        let ended = self.slots.values().filter_map(|slot| slot.ended.as_ref());
        self.bytes = ended.map(|(_, ending)| size_of(ending)).sum();
    }

    /// Reserves a slot for a result, under the wanted id or the next free one.
    pub fn reserve(&mut self, wanted: Option<Box<str>>) -> Result<Box<str>, Error> {
        if self.slots.len() >= KEPT_RESULTS_MAX {
            let message = format!("{KEPT_RESULTS_MAX} results already wait to be collected");
            return Err(Error::new(Code::CONNECTION, message).hint("collect them: `eye collect`"));
        }
        let id = match wanted {
            Some(id) if self.by_id.contains_key(&id) => {
                let message = format!("a result with the id `{id}` is already kept or under way");
                return Err(Error::new(Code::PARAMS, message).hint("collect it, or use another id"));
            }
            Some(id) => id,
            None => loop {
                self.last_number += 1;
                let id: Box<str> = format!("k{}", self.last_number).into();
                if !self.by_id.contains_key(&id) {
                    break id;
                }
            },
        };
        let key = self.next_key();
        self.by_id.insert(id.clone(), key);
        self.slots.insert(key, Slot { id: id.clone(), ended: None, collectors: Vec::new() });
        self.pending += 1;
        Ok(id)
    }

    /// Stores a result in its slot.
    pub fn put(&mut self, now: Millis, id: &str, ending: Ending, out: &mut Vec<Delivery>) {
        let Some(key) = self.by_id.get(id).copied() else { return };
        let ending = if self.bytes + size_of(&ending) > KEPT_BYTES_MAX {
            let message = format!("the kept results exceed {} MiB, so this one was dropped", KEPT_BYTES_MAX >> 20);
            Err(Error::new(Code::CONNECTION, message).hint("collect sooner, or ask for less"))
        } else {
            ending
        };
        let Some(slot) = self.slots.get_mut(&key).filter(|slot| slot.ended.is_none()) else { return };
        self.bytes += size_of(&ending);
        self.pending -= 1;
        slot.ended = Some((now, ending));
        self.due.insert((now + KEPT_MS, Due::Result(key)));
        for collector in std::mem::take(&mut slot.collectors) {
            self.look();
            let Some(waiting) = self.collectors.get_mut(&collector) else { continue };
            waiting.pending -= 1;
            if waiting.pending == 0 {
                self.deliver(collector, out);
            }
        }
    }

    /// Collects results. The answer comes at once, or when the last of them is there, or at the deadline.
    pub fn collect(
        &mut self,
        now: Millis,
        reply: Reply,
        ids: &[Box<str>],
        timeout_ms: Option<u64>,
        out: &mut Vec<Delivery>,
    ) {
        if let Some(unknown) = ids.iter().find(|id| !self.by_id.contains_key(*id)) {
            let message = format!("no kept result has the id `{unknown}`");
            let hint = "results are kept for 10 minutes, and collected once";
            out.push((reply, Err(Error::new(Code::PARAMS, message).hint(hint))));
            return;
        }
        let wanted: Vec<u64> = if ids.is_empty() {
            self.slots.keys().copied().collect()
        } else {
            let mut seen = HashSet::new();
            ids.iter().filter_map(|id| self.by_id.get(id).copied()).filter(|key| seen.insert(*key)).collect()
        };
        let collector = self.next_key();
        let mut pending = 0;
        for key in &wanted {
            self.look();
            if let Some(slot) = self.slots.get_mut(key).filter(|slot| slot.ended.is_none()) {
                slot.collectors.push(collector);
                pending += 1;
            }
        }
        let deadline = now.saturating_add(timeout_ms.unwrap_or(CALL_TIMEOUT_DEFAULT_MS));
        self.due.insert((deadline, Due::Collector(collector)));
        self.collectors.insert(collector, Collector { reply, wanted, pending, deadline });
        if pending == 0 || deadline <= now {
            self.deliver(collector, out);
        }
    }

    /// Removes the collectors of an agent that left. With an error it is still connected, and receives the error.
    pub fn agent_left(&mut self, agent: Conn, error: Option<&Error>, out: &mut Vec<Delivery>) {
        let left = self.collectors.iter().filter(|(_, collector)| collector.reply.agent == agent);
        for key in left.map(|(key, _)| *key).collect::<Vec<_>>() {
            let Some(Collector { reply, deadline, .. }) = self.collectors.remove(&key) else { continue };
            self.due.remove(&(deadline, Due::Collector(key)));
            out.extend(error.map(|error| (reply, Err(error.clone()))));
        }
    }

    /// When [`Shelf::tick`] is due next.
    pub fn next_wake(&self) -> Option<Millis> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Ends collectors at their deadlines, and drops expired results.
    pub fn tick(&mut self, now: Millis, out: &mut Vec<Delivery>) {
        while let Some((at, due)) = self.due.first().copied()
            && at <= now
        {
            self.due.pop_first();
            match due {
                Due::Collector(collector) => self.deliver(collector, out),
                Due::Result(key) => {
                    self.take(key);
                }
            }
        }
    }

    fn deliver(&mut self, collector: u64, out: &mut Vec<Delivery>) {
        let Some(Collector { reply, wanted, deadline, .. }) = self.collectors.remove(&collector) else { return };
        self.due.remove(&(deadline, Due::Collector(collector)));
        let mut collected = Collected::default();
        for key in wanted {
            self.look();
            match self.slots.get(&key) {
                Some(slot) if slot.ended.is_none() => collected.pending.push(slot.id.to_string()),
                Some(_) => {
                    if let Some(Slot { id, ended: Some((_, ending)), .. }) = self.take(key) {
                        collected.results.push(Kept::new(id.into(), &ending));
                    }
                }
                None => {}
            }
        }
        out.push((reply, Ok(json(&collected))));
    }

    fn take(&mut self, key: u64) -> Option<Slot> {
        let slot = self.slots.remove(&key)?;
        self.by_id.remove(&slot.id);
        if let Some((at, ending)) = &slot.ended {
            self.bytes -= size_of(ending);
            self.due.remove(&(at + KEPT_MS, Due::Result(key)));
        }
        Some(slot)
    }

    fn next_key(&mut self) -> u64 {
        self.last_key += 1;
        self.last_key
    }

    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "it only counts in tests"))]
    fn look(&mut self) {
        #[cfg(test)]
        {
            self.looked_at += 1;
        }
    }
}

fn size_of(ending: &Ending) -> usize {
    match ending {
        Ok(value) => value.as_text().len(),
        Err(error) => error.message.len() + error.stack.as_ref().map_or(0, String::len),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Conn;
    use crate::task::ReplyForm;
    use eye_protocol::Value;

    fn reply() -> Reply {
        Reply { agent: Conn(1), form: ReplyForm::Rpc("1".into()) }
    }

    #[expect(clippy::unnecessary_wraps, reason = "an ending is what the shelf takes")]
    fn text(text: &str) -> Ending {
        Ok(Value::Text(text.into()))
    }

    #[test]
    fn a_collector_waits_until_all_it_wants_is_there() {
        let (mut shelf, mut out) = (Shelf::default(), Vec::new());
        let a = shelf.reserve(None).unwrap();
        let b = shelf.reserve(Some("mine".into())).unwrap();
        shelf.collect(0, reply(), &[], None, &mut out);
        shelf.put(1, &b, text("B"), &mut out);
        assert_eq!(out, []);
        shelf.put(2, &a, text("A"), &mut out);
        let want = r#"{"results":[{"id":"k1","value":"A"},{"id":"mine","value":"B"}],"pending":[]}"#;
        assert_eq!(out, [(reply(), Ok(want.to_owned()))]);
        assert!(shelf.is_empty());
    }

    #[test]
    fn what_is_pending_at_the_deadline_is_named_and_stays() {
        let (mut shelf, mut out) = (Shelf::default(), Vec::new());
        let a = shelf.reserve(None).unwrap();
        shelf.collect(0, reply(), &[], Some(100), &mut out);
        assert_eq!(shelf.next_wake(), Some(100));
        shelf.tick(100, &mut out);
        assert_eq!(out.pop(), Some((reply(), Ok(r#"{"results":[],"pending":["k1"]}"#.to_owned()))));
        shelf.put(200, &a, text("A"), &mut out);
        shelf.collect(300, reply(), &[a], None, &mut out);
        assert!(out.pop().unwrap().1.unwrap().contains("\"A\""));
    }

    #[test]
    fn results_expire_and_are_collected_once() {
        let (mut shelf, mut out) = (Shelf::default(), Vec::new());
        let a = shelf.reserve(None).unwrap();
        shelf.put(0, &a, text("A"), &mut out);
        shelf.tick(KEPT_MS - 1, &mut out);
        assert!(!shelf.is_empty());
        shelf.tick(KEPT_MS, &mut out);
        assert!(shelf.is_empty());
        assert_eq!(shelf.bytes, 0);
        shelf.collect(KEPT_MS, reply(), &[a], None, &mut out);
        assert_eq!(out.pop().unwrap().1.unwrap_err().code, Code::PARAMS);
    }

    #[test]
    fn the_shelf_is_bounded_in_count_and_bytes() {
        let (mut shelf, mut out) = (Shelf::default(), Vec::new());
        let a = shelf.reserve(None).unwrap();
        let b = shelf.reserve(None).unwrap();
        shelf.put(0, &a, text(&"x".repeat(KEPT_BYTES_MAX)), &mut out);
        shelf.put(0, &b, text("y"), &mut out);
        shelf.collect(0, reply(), &[b], None, &mut out);
        assert!(out.pop().unwrap().1.unwrap().contains("exceed 64 MiB"));
        for _ in 1..KEPT_RESULTS_MAX {
            shelf.reserve(None).unwrap();
        }
        assert_eq!(shelf.reserve(None).unwrap_err().code, Code::CONNECTION);
    }

    #[test]
    fn collecting_thousands_looks_at_each_a_few_times() {
        let (mut shelf, mut out) = (Shelf::default(), Vec::new());
        let ids: Vec<Box<str>> = (0..3_000).map(|_| shelf.reserve(None).unwrap()).collect();
        shelf.collect(0, reply(), &[], None, &mut out);
        for id in &ids {
            shelf.put(1, id, text("x"), &mut out);
        }
        assert_eq!(out.len(), 1);
        assert!(shelf.is_empty() && shelf.due.is_empty() && shelf.by_id.is_empty());
        assert!(shelf.looked_at <= 3 * 3_000, "{}", shelf.looked_at);
    }

    #[test]
    fn an_id_in_use_is_refused() {
        let mut shelf = Shelf::default();
        shelf.reserve(Some("a".into())).unwrap();
        assert_eq!(shelf.reserve(Some("a".into())).unwrap_err().code, Code::PARAMS);
    }
}
