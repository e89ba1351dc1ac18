//! What is known of an upstream: its greeting, and its tools, with those that wait for approval held back.

use super::approval::{Approvals, Unapproved};
use super::handshake::Greeting;
use crate::catalogue::Entry;
use std::collections::HashSet;
use std::sync::Arc;

/// What is known of an upstream, from now or from before.
#[derive(Debug, Default)]
pub(super) struct About {
    /// Whether the list is known, from now or from before.
    pub listed: bool,
    /// All of its tools.
    pub all: Arc<Vec<Arc<Entry>>>,
    /// Those that agents may see and call.
    pub entries: Arc<Vec<Arc<Entry>>>,
    /// Those that are not as the user approved them.
    pub unapproved: Arc<Vec<Unapproved>>,
    pub greeting: Option<Greeting>,
    pub protocol: Option<String>,
    pub instructions: Option<String>,
}

/// A list of tools, and which of them agents see.
pub(super) struct Sorted {
    pub all: Vec<Arc<Entry>>,
    pub unapproved: Vec<Unapproved>,
    pub asks: bool,
}

impl Sorted {
    /// Compares a list with what is approved. It takes a while for very many tools.
    pub fn new(all: Vec<Arc<Entry>>, approvals: &Approvals) -> Self {
        Self { unapproved: approvals.unapproved(&all), asks: approvals.asks(), all }
    }
}

impl About {
    /// Takes a list of tools. What waits for approval is not among those that agents see.
    pub fn set(&mut self, sorted: Sorted) {
        let Sorted { all, unapproved, asks } = sorted;
        let held: HashSet<&str> = unapproved.iter().filter(|_| asks).map(|one| one.name.as_str()).collect();
        self.entries = Arc::new(all.iter().filter(|entry| !held.contains(&*entry.name)).cloned().collect());
        self.unapproved = Arc::new(unapproved);
        self.all = Arc::new(all);
    }
}
