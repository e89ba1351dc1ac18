//! Snapshots: states that agents keep under names, and the error of a call at another revision. What agents do with
//! them is in `snapshotting`.

use crate::handover::HandedSnapshot;
use crate::ids::Millis;
use eye_protocol::limits::SNAPSHOTS_MAX;
use eye_protocol::rpc::json;
use eye_protocol::state::{Saved, SavedList};
use eye_protocol::{Code, Error};
use indexmap::IndexMap;
use serde_json::value::RawValue;
use std::time::{Duration, UNIX_EPOCH};

/// What an agent wants with snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Snapshotting {
    /// Keep the state under this name, in place of one that has the name already.
    Save(Box<str>),
    /// List what is kept.
    List,
    /// Restore the state of this name in the page.
    Restore {
        name: Box<str>,
        /// Only if the state has this revision.
        if_revision: Option<u64>,
    },
}

/// The snapshots of one session's state, the oldest first.
#[derive(Debug, Default)]
pub struct Snapshots {
    kept: IndexMap<Box<str>, Snapshot>,
    bytes: usize,
}

/// Which state a document is.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    pub revision: u64,
    /// When it was published: Unix time in milliseconds.
    pub wall_ms: u64,
    /// The same on the hub's clock.
    pub at: u64,
}

#[derive(Debug)]
struct Snapshot {
    /// JSON text.
    document: Box<str>,
    revision: u64,
    /// When that state was published: Unix time in milliseconds.
    wall_ms: u64,
    /// The same on the hub's clock.
    at: u64,
}

impl Snapshots {
    /// Estimated bytes in memory.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keeps a document, and returns the answer to the agent. The oldest is dropped when there are too many.
    pub fn keep(&mut self, name: Box<str>, document: Box<RawValue>, of: Published) -> String {
        self.forget(&name);
        let Published { revision, wall_ms, at } = of;
        let saved = Snapshot { document: document.into(), revision, wall_ms, at };
        let answer = json(&saved.saved_row(&name));
        self.bytes += saved.document.len() + name.len();
        self.kept.insert(name, saved);
        if self.kept.len() > SNAPSHOTS_MAX {
            self.drop_oldest();
        }
        answer
    }

    /// When the oldest was published, on the hub's clock: decides what is evicted first when memory is short.
    pub(crate) fn oldest_at(&self) -> Option<u64> {
        self.kept.values().next().map(|one| one.at)
    }

    pub fn drop_oldest(&mut self) {
        if let Some(name) = self.kept.keys().next().cloned() {
            self.forget(&name);
        }
    }

    fn forget(&mut self, name: &str) {
        if let Some(gone) = self.kept.shift_remove(name) {
            self.bytes -= gone.document.len() + name.len();
        }
    }

    /// Takes all of them, for another hub.
    pub(crate) fn hand_over(&mut self, now: Millis) -> Vec<HandedSnapshot> {
        let kept = std::mem::take(self).kept.into_iter();
        let handed = |(name, one): (Box<str>, Snapshot)| HandedSnapshot {
            name,
            text: one.document,
            revision: one.revision,
            age_ms: now.saturating_sub(one.at),
            wall_ms: one.wall_ms,
        };
        kept.map(handed).collect()
    }

    /// Takes those of another hub, which are older than those here. Where both have a name, the newer one keeps it.
    pub(crate) fn take_over(&mut self, now: Millis, handed: Vec<HandedSnapshot>) {
        let own = std::mem::take(self);
        let theirs = handed.into_iter().map(|one| {
            let HandedSnapshot { name, text: document, revision, age_ms, wall_ms } = one;
            (name, Snapshot { document, revision, wall_ms, at: now.saturating_sub(age_ms) })
        });
        for (name, one) in theirs.chain(own.kept) {
            self.forget(&name);
            self.bytes += one.document.len() + name.len();
            self.kept.insert(name, one);
        }
        while self.kept.len() > SNAPSHOTS_MAX {
            self.drop_oldest();
        }
    }

    /// All of them, as JSON text.
    pub fn list(&self) -> String {
        json(&SavedList { snapshots: self.kept.iter().map(|(name, one)| one.saved_row(name)).collect() })
    }

    /// The document of this name, as JSON text.
    pub fn get(&self, name: &str) -> Result<&str, Error> {
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
    fn saved_row(&self, name: &str) -> Saved {
        Saved {
            name: name.to_owned(),
            revision: self.revision,
            bytes: self.document.len(),
            time: humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(self.wall_ms)).to_string(),
        }
    }
}

/// The error of a call that requires another revision than the state has.
pub fn conflict(expected: u64, revision: u64) -> Error {
    let message = format!("the state is at revision {revision}, not {expected}; nothing was done");
    let hint = format!("see what changed: `eye state --since {expected}`");
    let mut error = Error::new(Code::CONFLICT, message).hint(hint);
    error.value = Some(Box::new(serde_json::json!({ "expected": expected, "revision": revision })));
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(revision: u64) -> Published {
        Published { revision, wall_ms: 0, at: revision }
    }

    fn kept(names: impl IntoIterator<Item = String>) -> Snapshots {
        let mut snapshots = Snapshots::default();
        for (revision, name) in (1..).zip(names) {
            snapshots.keep(name.into(), RawValue::from_string("{}".into()).unwrap(), at(revision));
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
        assert_eq!(snapshots.oldest_at(), Some(2));
        snapshots.keep("s05".into(), RawValue::from_string("[1]".into()).unwrap(), at(99));
        assert_eq!(snapshots.get("s05").unwrap(), "[1]");
        while snapshots.bytes() > 0 {
            snapshots.drop_oldest();
        }
        assert!(snapshots.oldest_at().is_none());
    }
}
