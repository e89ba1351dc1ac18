//! What is known of an upstream: its handshake, and its tools, without those that wait for approval.

use super::approval::{Approvals, Unapproved};
use super::handshake::Greeting;
use crate::catalogue::Entry;
use std::collections::HashSet;
use std::sync::Arc;

/// What is known of an upstream, from its connection or from disk.
#[derive(Debug, Default)]
pub(super) struct About {
    /// Whether `all` holds a list, from the connection or from disk.
    pub listed: bool,
    pub all: Arc<Vec<Arc<Entry>>>,
    /// The tools that agents may see and call.
    pub entries: Arc<Vec<Arc<Entry>>>,
    /// The tools that differ from what the user approved.
    pub unapproved: Arc<Vec<Unapproved>>,
    pub greeting: Option<Greeting>,
    pub protocol: Option<String>,
    pub instructions: Option<String>,
}

/// A list of tools, and the differences from what was approved.
pub(super) struct Sorted {
    pub all: Vec<Arc<Entry>>,
    pub unapproved: Vec<Unapproved>,
    pub needs_approval: bool,
}

impl Sorted {
    /// Compares a list with the approvals. Slow for very long lists.
    pub fn new(all: Vec<Arc<Entry>>, approvals: &Approvals) -> Self {
        Self { unapproved: approvals.unapproved(&all), needs_approval: approvals.needs_approval(), all }
    }
}

impl About {
    /// Sets the list of tools. Tools that wait for approval are not in `entries`.
    pub fn set(&mut self, sorted: Sorted) {
        let Sorted { all, unapproved, needs_approval } = sorted;
        let held: HashSet<&str> = unapproved.iter().filter(|_| needs_approval).map(|one| one.name.as_str()).collect();
        self.entries = Arc::new(all.iter().filter(|entry| !held.contains(&*entry.name)).cloned().collect());
        self.unapproved = Arc::new(unapproved);
        self.all = Arc::new(all);
    }
}
