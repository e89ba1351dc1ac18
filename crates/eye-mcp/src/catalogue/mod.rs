//! The catalogue: everything that can be called, found by words, by JSONPath, and by name. Entries in, answers out; no I/O.

mod entry;

pub use entry::{Entry, Standing};

use serde_json::Value;
use std::sync::Arc;

/// Everything that can be called, ready to be searched.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    entries: Vec<Arc<Entry>>,
}

/// What a query found.
#[derive(Clone, Debug, PartialEq)]
pub enum Discovered {
    /// Words: one line per tool, best first, and what stands below them.
    Lines(Vec<String>),
    /// JSONPath: exactly what it selects.
    Values(Vec<Value>),
}

/// Why a query cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiscoverError {
    /// Nothing was asked.
    #[error("the query is empty")]
    Empty,
}

impl Catalogue {
    /// A catalogue of these entries.
    pub fn new(entries: Vec<Arc<Entry>>) -> Self {
        Self { entries }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
