//! The searches in progress, and the hubs that have not answered them.

use super::event::{Action, Life};
use eye_core::{Input, Millis};
use eye_protocol::SessionId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The searches in progress.
#[derive(Debug, Default)]
pub(super) struct Seeks {
    pub(super) last: u64,
    pub(super) words: FxHashMap<u64, Seek>,
    pub(super) entries: FxHashMap<SessionId, LookUp>,
    /// The revisions of entries that changed and were not kept while hubs are asked: their answers may be older.
    pub(super) passed: FxHashMap<SessionId, u64>,
    /// How long searches wait for the first reading of the directory after the hub started. `None`: it is over.
    pub(super) first_reading_until: Option<Millis>,
}

/// A look-up of an entry that is in progress.
#[derive(Debug)]
pub(super) struct LookUp {
    pub(super) number: u64,
    /// The newest revision that was read meanwhile and not kept: the result may be older.
    pub(super) passed: u64,
}

#[derive(Debug)]
pub(super) struct Seek {
    pub(super) word: Box<str>,
    pub(super) until: Millis,
    pub(super) stage: Stage,
}

#[derive(Debug)]
pub(super) enum Stage {
    /// Waits for the first reading of the directory.
    Reading,
    /// The word may be an id, which is being looked up.
    Entry(SessionId),
    /// Waits until other hubs are asked about fewer words.
    Waiting,
    /// The hubs that have not answered.
    Hubs(FxHashSet<Life>),
}

impl Seeks {
    pub fn finish(&mut self, seek: u64, known: bool, out: &mut Vec<Action>) {
        if let Some(Seek { word, .. }) = self.words.remove(&seek) {
            out.push(Action::Feed(Input::LookedUp { word, known }));
        }
        if self.words.is_empty() {
            self.passed = FxHashMap::default();
        }
    }

    pub fn finish_all(&mut self, those: impl IntoIterator<Item = u64>, known: bool, out: &mut Vec<Action>) {
        for seek in those {
            self.finish(seek, known, out);
        }
    }

    pub fn which(&self, is_it: impl Fn(&Seek) -> bool) -> Vec<u64> {
        let mut those: Vec<u64> = self.words.iter().filter(|(_, seek)| is_it(seek)).map(|(seek, _)| *seek).collect();
        those.sort_unstable();
        those
    }

    pub fn link_is_down(&mut self, out: &mut Vec<Action>) {
        self.entries.clear();
        self.finish_all(self.which(|_| true), false, out);
    }

    pub fn tick(&mut self, now: Millis, out: &mut Vec<Action>) {
        self.finish_all(self.which(|seek| now >= seek.until), false, out);
    }

    /// A hub is gone: no answer comes from it.
    pub fn hub_ended(&mut self, life: &Life, out: &mut Vec<Action>) {
        for seek in self.which(|_| true) {
            self.answered(seek, life, out);
        }
    }

    /// A hub has answered, or will not answer.
    pub fn answered(&mut self, seek: u64, from: &Life, out: &mut Vec<Action>) {
        let Some(Seek { stage: Stage::Hubs(hubs), .. }) = self.words.get_mut(&seek) else { return };
        hubs.remove(from);
        if hubs.is_empty() {
            self.finish(seek, true, out);
        }
    }
}
