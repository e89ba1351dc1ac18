//! Where a tab has been, as the browser says it.

use crate::cdp::Session;
use crate::error::CommandError;
use serde::Deserialize;
use serde_json::json;

/// The documents of a tab, and which of them it shows.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    current_index: usize,
    entries: Vec<Entry>,
}

/// One of them.
#[derive(Debug, Deserialize)]
pub struct Entry {
    /// What the browser calls it.
    pub id: i64,
    /// Its address.
    pub url: String,
}

impl History {
    /// Asks for it.
    pub async fn of(session: &Session) -> Result<Self, CommandError> {
        session.ask("Page.getNavigationHistory", &json!({})).await
    }

    /// The document that is shown.
    pub fn current(&self) -> Option<&Entry> {
        self.entries.get(self.current_index)
    }

    /// The one before it.
    pub fn before(&self) -> Option<&Entry> {
        self.entries.get(self.current_index.checked_sub(1)?)
    }

    /// The one after it.
    pub fn after(&self) -> Option<&Entry> {
        self.entries.get(self.current_index.checked_add(1)?)
    }
}
