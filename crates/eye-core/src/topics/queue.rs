//! Things that wait until a time, in the order in which they came. The fields are private, so that each look at a thing
//! is counted.

use crate::ids::Millis;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug)]
struct Entry<T> {
    until: Millis,
    bytes: usize,
    thing: T,
}

#[derive(Debug)]
pub struct Queue<T> {
    /// By number, in the order they came.
    entries: BTreeMap<u64, Entry<T>>,
    /// When each expires.
    until: BTreeSet<(Millis, u64)>,
    last: u64,
    bytes: usize,
    /// Things that were looked at, so that a test can tell how the work grows.
    #[cfg(test)]
    looked_at: u64,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self {
            entries: BTreeMap::new(),
            until: BTreeSet::new(),
            last: 0,
            bytes: 0,
            #[cfg(test)]
            looked_at: 0,
        }
    }
}

impl<T> Queue<T> {
    /// How many wait, and their bytes.
    pub fn size(&self) -> (usize, usize) {
        (self.entries.len(), self.bytes)
    }

    /// Lets something wait.
    pub fn push(&mut self, until: Millis, bytes: usize, thing: T) {
        self.last += 1;
        self.bytes += bytes;
        self.until.insert((until, self.last));
        self.entries.insert(self.last, Entry { until, bytes, thing });
    }

    /// Removes the wanted things in their order, each with the time until which it waits and its bytes.
    pub fn take_where(&mut self, mut wanted: impl FnMut(&T) -> bool) -> Vec<(Millis, usize, T)> {
        #[cfg(test)]
        {
            self.looked_at += self.entries.len() as u64;
        }
        let wanted = self.entries.iter().filter(|(_, entry)| wanted(&entry.thing)).map(|(key, _)| *key);
        let keys: Vec<u64> = wanted.collect();
        keys.into_iter().filter_map(|key| self.take(key)).collect()
    }

    /// When the next thing expires. Called with every frame, so nothing is searched.
    pub fn next_due(&self) -> Option<Millis> {
        self.until.first().map(|(at, _)| *at)
    }

    /// Drops the things that have expired.
    pub fn expire(&mut self, now: Millis) {
        while let Some((at, key)) = self.until.first().copied()
            && at <= now
        {
            #[cfg(test)]
            {
                self.looked_at += 1;
            }
            self.take(key);
        }
    }

    /// How many were looked at so far.
    #[cfg(test)]
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    fn take(&mut self, key: u64) -> Option<(Millis, usize, T)> {
        let Entry { until, bytes, thing } = self.entries.remove(&key)?;
        self.until.remove(&(until, key));
        self.bytes -= bytes;
        Some((until, bytes, thing))
    }
}
