//! Results of `async` calls, kept for one agent until it collects them. Bounded, and gone after a while.

use crate::event::{Millis, Reply};
use eye_protocol::limits::{CALL_TIMEOUT_DEFAULT_MS, KEPT_BYTES_MAX, KEPT_MS, KEPT_RESULTS_MAX};
use eye_protocol::messages::{Collected, Kept};
use eye_protocol::rpc::json;
use eye_protocol::{Code, Ending, Error};

#[derive(Debug)]
struct Slot {
    id: Box<str>,
    /// When it ended, and how; `None` while it has not.
    ended: Option<(Millis, Ending)>,
}

#[derive(Debug)]
struct Collector {
    reply: Reply,
    /// Which ids; those it asked for, or all there were.
    ids: Vec<Box<str>>,
    deadline: Millis,
}

/// The kept results of one agent.
#[derive(Debug, Default)]
pub struct Shelf {
    slots: Vec<Slot>,
    collectors: Vec<Collector>,
    last_number: u32,
    bytes: usize,
}

/// The answer of a `collect`, ready to be sent.
pub type Delivery = (Reply, Result<String, Error>);

impl Shelf {
    /// Whether nothing is kept and nobody waits.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.collectors.is_empty()
    }

    /// What the results take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// When the oldest result came, if there is one.
    pub fn oldest_at(&self) -> Option<Millis> {
        self.slots.iter().filter_map(|slot| slot.ended.as_ref().map(|(at, _)| *at)).min()
    }

    /// Makes room: every result that is there gives way, and says so when it is collected.
    pub fn drop_ended(&mut self) {
        for (_, ending) in self.slots.iter_mut().filter_map(|slot| slot.ended.as_mut()) {
            let error = Error::new(Code::CONNECTION, "this result was dropped: the hub needed its memory");
            *ending = Err(error.hint("collect sooner, or ask for less"));
        }
        self.bytes = self.slots.iter().filter_map(|slot| slot.ended.as_ref()).map(|(_, ending)| size_of(ending)).sum();
    }

    /// Makes room for a result, under the wanted id or the next free one.
    pub fn reserve(&mut self, wanted: Option<Box<str>>) -> Result<Box<str>, Error> {
        if self.slots.len() >= KEPT_RESULTS_MAX {
            let message = format!("{KEPT_RESULTS_MAX} results already wait to be collected");
            return Err(Error::new(Code::CONNECTION, message).hint("collect them: `eye collect`"));
        }
        let id = match wanted {
            Some(id) if self.find(&id).is_some() => {
                let message = format!("a result with the id `{id}` is already kept or under way");
                return Err(Error::new(Code::PARAMS, message).hint("collect it, or use another id"));
            }
            Some(id) => id,
            None => loop {
                self.last_number += 1;
                let id: Box<str> = format!("k{}", self.last_number).into();
                if self.find(&id).is_none() {
                    break id;
                }
            },
        };
        self.slots.push(Slot { id: id.clone(), ended: None });
        Ok(id)
    }

    /// Puts a result in its place.
    pub fn put(&mut self, now: Millis, id: &str, ending: Ending, out: &mut Vec<Delivery>) {
        let Some(slot) = self.slots.iter_mut().find(|slot| &*slot.id == id) else { return };
        let size = size_of(&ending);
        let ending = if self.bytes + size > KEPT_BYTES_MAX {
            let message = format!("the kept results exceed {} MiB, so this one was dropped", KEPT_BYTES_MAX >> 20);
            Err(Error::new(Code::CONNECTION, message).hint("collect sooner, or ask for less"))
        } else {
            ending
        };
        self.bytes += size_of(&ending);
        slot.ended = Some((now, ending));
        self.deliver(now, out);
    }

    /// Asks for results. The answer comes at once, or when the last of them is there, or at the deadline.
    pub fn collect(
        &mut self,
        now: Millis,
        reply: Reply,
        ids: Vec<Box<str>>,
        timeout_ms: Option<u64>,
        out: &mut Vec<Delivery>,
    ) {
        if let Some(unknown) = ids.iter().find(|id| self.find(id).is_none()) {
            let message = format!("no kept result has the id `{unknown}`");
            let hint = "results are kept for 10 minutes, and collected once";
            out.push((reply, Err(Error::new(Code::PARAMS, message).hint(hint))));
            return;
        }
        let ids = if ids.is_empty() { self.slots.iter().map(|slot| slot.id.clone()).collect() } else { ids };
        let deadline = now.saturating_add(timeout_ms.unwrap_or(CALL_TIMEOUT_DEFAULT_MS));
        self.collectors.push(Collector { reply, ids, deadline });
        self.deliver(now, out);
    }

    /// Forgets whoever waited on a closed connection.
    pub fn agent_left(&mut self, agent: crate::event::Conn) {
        self.collectors.retain(|collector| collector.reply.agent != agent);
    }

    /// When it next wants [`Shelf::tick`].
    pub fn next_wake(&self) -> Option<Millis> {
        let waits = self.collectors.iter().map(|collector| collector.deadline);
        let kept = self.slots.iter().filter_map(|slot| slot.ended.as_ref().map(|(at, _)| at + KEPT_MS));
        waits.chain(kept).min()
    }

    /// Lets time pass: collectors stop waiting, old results are dropped.
    pub fn tick(&mut self, now: Millis, out: &mut Vec<Delivery>) {
        self.deliver(now, out);
        let bytes = &mut self.bytes;
        self.slots.retain(|slot| match &slot.ended {
            Some((at, ending)) if at + KEPT_MS <= now => {
                *bytes -= size_of(ending);
                false
            }
            _ => true,
        });
    }

    fn deliver(&mut self, now: Millis, out: &mut Vec<Delivery>) {
        let mut at = 0;
        while at < self.collectors.len() {
            let collector = &self.collectors[at];
            let pending = |id: &str| self.find(id).is_some_and(|slot| slot.ended.is_none());
            if collector.deadline > now && collector.ids.iter().any(|id| pending(id)) {
                at += 1;
                continue;
            }
            let collector = self.collectors.remove(at);
            let collected = self.take(&collector.ids);
            out.push((collector.reply, Ok(json(&collected))));
        }
    }

    fn take(&mut self, ids: &[Box<str>]) -> Collected {
        let mut collected = Collected::default();
        for id in ids {
            let Some(at) = self.slots.iter().position(|slot| slot.id == *id) else { continue };
            if self.slots[at].ended.is_none() {
                collected.pending.push(id.to_string());
                continue;
            }
            let slot = self.slots.remove(at);
            if let Some((_, ending)) = slot.ended {
                self.bytes -= size_of(&ending);
                collected.results.push(Kept::new(id.to_string(), &ending));
            }
        }
        collected
    }

    fn find(&self, id: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| &*slot.id == id)
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
    use crate::event::{Conn, ReplyForm};
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
        shelf.collect(0, reply(), vec![], None, &mut out);
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
        shelf.collect(0, reply(), vec![], Some(100), &mut out);
        assert_eq!(shelf.next_wake(), Some(100));
        shelf.tick(100, &mut out);
        assert_eq!(out.pop(), Some((reply(), Ok(r#"{"results":[],"pending":["k1"]}"#.to_owned()))));
        shelf.put(200, &a, text("A"), &mut out);
        shelf.collect(300, reply(), vec![a], None, &mut out);
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
        shelf.collect(KEPT_MS, reply(), vec![a], None, &mut out);
        assert_eq!(out.pop().unwrap().1.unwrap_err().code, Code::PARAMS);
    }

    #[test]
    fn the_shelf_is_bounded_in_count_and_bytes() {
        let (mut shelf, mut out) = (Shelf::default(), Vec::new());
        let a = shelf.reserve(None).unwrap();
        let b = shelf.reserve(None).unwrap();
        shelf.put(0, &a, text(&"x".repeat(KEPT_BYTES_MAX)), &mut out);
        shelf.put(0, &b, text("y"), &mut out);
        shelf.collect(0, reply(), vec![b], None, &mut out);
        assert!(out.pop().unwrap().1.unwrap().contains("exceed 64 MiB"));
        for _ in 1..KEPT_RESULTS_MAX {
            shelf.reserve(None).unwrap();
        }
        assert_eq!(shelf.reserve(None).unwrap_err().code, Code::CONNECTION);
    }

    #[test]
    fn an_id_in_use_is_refused() {
        let mut shelf = Shelf::default();
        shelf.reserve(Some("a".into())).unwrap();
        assert_eq!(shelf.reserve(Some("a".into())).unwrap_err().code, Code::PARAMS);
    }
}
