//! States that agents keep under a name and give back to the page, and calls that are only done at a certain revision.

use crate::effect::Effect;
use crate::event::{Input, Millis, Mode, Reply, Task, Terms};
use crate::session::Session;
use crate::session_event::{Event, Outcome};
use crate::state::{State, StateQuery};
use crate::switchboard::Switchboard;
use crate::work::{Then, Work};
use eye_protocol::limits::{NAME_BYTES_MAX, SNAPSHOTS_MAX};
use eye_protocol::rpc::json;
use eye_protocol::state::{Saved, SavedList};
use eye_protocol::{Code, Ending, Error};
use indexmap::IndexMap;
use serde_json::value::RawValue;
use std::time::{Duration, UNIX_EPOCH};

/// The method by which a page is given a state.
const SET: &str = "state/set";

/// What an agent wants with kept states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Snapshotting {
    /// Keep the state under this name; one that has it already gives way.
    Save(Box<str>),
    /// Tell which are kept.
    List,
    /// Give the page the one of this name.
    Restore {
        /// Which.
        name: Box<str>,
        /// Only if the state has this revision.
        if_revision: Option<u64>,
    },
}

/// What agents kept of one session's state, the oldest first.
#[derive(Debug, Default)]
pub struct Snapshots {
    kept: IndexMap<Box<str>, Snapshot>,
    bytes: usize,
}

#[derive(Debug)]
struct Snapshot {
    document: Box<RawValue>,
    revision: u64,
    wall_ms: u64,
}

impl Snapshots {
    /// In memory, by estimate.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keeps a document and tells the agent so. The oldest gives way when there are too many.
    pub fn keep(&mut self, name: Box<str>, document: Box<RawValue>, revision: u64, wall_ms: u64) -> String {
        self.forget(&name);
        let saved = Snapshot { document, revision, wall_ms };
        let told = json(&saved.told(&name));
        self.bytes += saved.document.get().len() + name.len();
        self.kept.insert(name, saved);
        if self.kept.len() > SNAPSHOTS_MAX {
            self.drop_oldest();
        }
        told
    }

    /// A place in the order of what gives way when memory is short: before everything that is of this life of the hub.
    pub(crate) fn kept_at(&self) -> Option<Millis> {
        (!self.kept.is_empty()).then_some(0)
    }

    /// Makes room.
    pub fn drop_oldest(&mut self) {
        if let Some(name) = self.kept.keys().next().cloned() {
            self.forget(&name);
        }
    }

    fn forget(&mut self, name: &str) {
        if let Some(gone) = self.kept.shift_remove(name) {
            self.bytes -= gone.document.get().len() + name.len();
        }
    }

    fn list(&self) -> String {
        json(&SavedList { snapshots: self.kept.iter().map(|(name, one)| one.told(name)).collect() })
    }

    fn get(&self, name: &str) -> Result<&RawValue, Error> {
        self.kept.get(name).map(|one| &*one.document).ok_or_else(|| {
            let names: Vec<&str> = self.kept.keys().map(|name| &**name).collect();
            let hint = match names.as_slice() {
                [] => "none is kept: `eye save NAME` keeps the state as it is".to_owned(),
                names => format!("there are: {}", names.join(", ")),
            };
            Error::new(Code::PARAMS, format!("no state is kept under `{name}`")).hint(hint)
        })
    }
}

impl Snapshot {
    fn told(&self, name: &str) -> Saved {
        Saved {
            name: name.to_owned(),
            revision: self.revision,
            bytes: self.document.get().len(),
            time: humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(self.wall_ms)).to_string(),
        }
    }
}

/// A call that was to be done at another revision than the state has.
pub fn conflict(expected: u64, revision: u64) -> Error {
    let message = format!("the state is at revision {revision}, not {expected}; nothing was done");
    let hint = format!("see what changed: `eye state --since {expected}`");
    let mut error = Error::new(Code::CONFLICT, message).hint(hint);
    error.value = Some(Box::new(serde_json::json!({ "expected": expected, "revision": revision })));
    error
}

impl Switchboard {
    pub(crate) fn snapshot(
        &mut self,
        now: Millis,
        reply: Reply,
        page: Option<Box<str>>,
        wanted: Snapshotting,
        out: &mut Vec<Effect>,
    ) {
        let (name, if_revision) = match wanted {
            Snapshotting::Save(name) if name.is_empty() || name.len() > NAME_BYTES_MAX => {
                let error = Error::new(Code::PARAMS, format!("a name has 1 to {NAME_BYTES_MAX} bytes"));
                out.push(Effect::Result { reply, result: Err(error) });
                return;
            }
            Snapshotting::Save(name) => {
                // The page tells its state first: what a call has just changed may be on its way.
                let query = StateQuery { keep: Some(name), ..StateQuery::default() };
                let event = |reply| Event::StateWanted { reply, fresh: true, query };
                return self.want(now, reply, page.as_deref(), event, out);
            }
            Snapshotting::List => {
                return self.want(now, reply, page.as_deref(), |reply| Event::SnapshotsWanted { reply }, out);
            }
            Snapshotting::Restore { name, if_revision } => (name, if_revision),
        };
        let held = self.find(reply.agent, page.as_deref()).map(|session| self.sessions.get(&session));
        let document = match held {
            Ok(Some(held)) => held.published.snapshots.get(&name).map(RawValue::get),
            Ok(None) => Err(Error::new(Code::SESSION, "the page is gone")),
            Err(error) => Err(error),
        };
        match document {
            Ok(document) => {
                let params = format!(r#"{{"state":{document}}}"#).into();
                let terms = Terms { delta: true, if_revision };
                let task = Task::Verb { method: SET.into(), params, again: false, terms };
                let (agent, form) = (reply.agent, Some(reply.form));
                let ask = Input::Ask { agent, form, task, page, timeout_ms: None, mode: Mode::Answer };
                self.check_and_ask(now, ask, out);
            }
            Err(error) => out.push(Effect::Result { reply, result: Err(error) }),
        }
    }
}

impl Session {
    pub(crate) fn list_snapshots(&self, reply: Reply, out: &mut Vec<Outcome>) {
        out.push(Outcome::Effect(Effect::Result { reply, result: Ok(self.published.snapshots.list()) }));
    }

    /// Keeps what is known of the state under a name, here or by a worker.
    pub(crate) fn keep(&mut self, reply: Reply, name: Box<str>, out: &mut Vec<Outcome>) {
        let wall_ms = self.published.wall_ms;
        let Some(state) = &mut self.published.state else { return };
        if !state.is_light(&StateQuery::default())
            && let Some(document) = state.lend()
        {
            self.begin(Work::Read(document, None), Then::Save { reply, name }, out);
            return;
        }
        let revision = state.revision();
        let text = state.text().and_then(|text| {
            text.ok_or_else(|| Error::new(Code::SESSION, "the state is not at hand").hint("save it again"))
        });
        let result = text.map(|text| self.published.snapshots.keep(name, text, revision, wall_ms));
        out.push(Outcome::Effect(Effect::Result { reply, result }));
    }

    /// Holds a task to the revision that it names, which becomes the page's own number for it.
    pub(crate) fn at_revision(&self, task: &mut Task) -> Result<(), Error> {
        let Some(terms) = task.terms_mut() else { return Ok(()) };
        let Some(expected) = terms.if_revision else { return Ok(()) };
        match &self.published.state {
            Some(state) if state.is_current() && state.revision() == expected => {
                terms.if_revision = Some(state.page_revision());
                Ok(())
            }
            Some(state) if state.is_current() => Err(conflict(expected, state.revision())),
            Some(_) | None => {
                let message = format!("the page has published no state, so it is not at revision {expected}");
                Err(Error::new(Code::CONFLICT, message).hint("`eye state --json` tells the revision"))
            }
        }
    }

    /// The page found its state changed: the hub's own words for it, with both revisions.
    pub(crate) fn conflicting(&self, if_revision: Option<u64>, ending: Ending) -> Ending {
        match (ending, if_revision) {
            (Err(error), Some(expected)) if error.code == Code::CONFLICT => {
                Err(conflict(expected, self.published.state.as_ref().map_or(0, State::revision)))
            }
            (ending, _) => ending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(names: impl IntoIterator<Item = String>) -> Snapshots {
        let mut snapshots = Snapshots::default();
        for (revision, name) in (1..).zip(names) {
            snapshots.keep(name.into(), RawValue::from_string("{}".into()).unwrap(), revision, 0);
        }
        snapshots
    }

    #[test]
    fn the_oldest_of_too_many_gives_way_and_a_name_is_used_again() {
        let mut snapshots = kept((0..=SNAPSHOTS_MAX).map(|n| format!("s{n:02}")));
        assert_eq!(snapshots.kept.len(), SNAPSHOTS_MAX);
        let error = snapshots.get("s00").unwrap_err();
        assert_eq!(error.message, "no state is kept under `s00`");
        assert!(error.hint.is_some_and(|hint| hint.starts_with("there are: s01, s02")));
        assert_eq!(snapshots.bytes(), SNAPSHOTS_MAX * 5);
        snapshots.keep("s05".into(), RawValue::from_string("[1]".into()).unwrap(), 99, 0);
        assert_eq!(snapshots.get("s05").unwrap().get(), "[1]");
        while snapshots.bytes() > 0 {
            snapshots.drop_oldest();
        }
        assert!(snapshots.kept_at().is_none());
    }
}
