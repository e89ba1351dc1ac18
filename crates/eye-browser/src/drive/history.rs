//! The history of a tab, as the browser reports it.

use super::site::site_of;
use crate::cdp::Session;
use crate::error::CommandError;
use serde::Deserialize;
use serde_json::json;

/// The entries of a tab's history, and the current one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    current_index: usize,
    entries: Vec<Entry>,
}

/// An entry of the history.
#[derive(Debug, Deserialize)]
pub struct Entry {
    /// The browser's id of the entry.
    pub id: i64,
    pub url: String,
}

impl History {
    /// Requests the history of a tab.
    pub async fn of(session: &Session) -> Result<Self, CommandError> {
        session.ask("Page.getNavigationHistory", &json!({})).await
    }

    /// The entry that is shown.
    pub fn current(&self) -> Option<&Entry> {
        self.entries.get(self.current_index)
    }

    /// The entry that `page/back` or `page/forward` leads to.
    pub fn step(&self, method: &str) -> Option<&Entry> {
        if method == "page/back" { self.before() } else { self.after() }
    }

    pub fn before(&self) -> Option<&Entry> {
        self.entries.get(self.current_index.checked_sub(1)?)
    }

    /// The entry that a verb leads to, if it is of another site than the current one: the page cannot go there. An
    /// entry of the same site may be the same document, which only the page knows.
    pub fn elsewhere(&self, method: &str) -> Option<&Entry> {
        let entry = self.step(method)?;
        let site = site_of(&entry.url)?;
        (site_of(&self.current()?.url).as_ref() != Some(&site)).then_some(entry)
    }

    pub fn after(&self) -> Option<&Entry> {
        self.entries.get(self.current_index.checked_add(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_site_is_elsewhere() {
        let urls = ["about:blank", "https://a.example/1", "https://a.example/2", "https://b.example/"];
        let entries = || urls.iter().zip(0..).map(|(url, id)| Entry { id, url: (*url).to_owned() }).collect();
        let lead = |current_index: usize, method: &str| {
            History { current_index, entries: entries() }.elsewhere(method).map(|entry| entry.id)
        };
        assert_eq!((lead(0, "page/back"), lead(0, "page/forward")), (None, Some(1)));
        assert_eq!((lead(1, "page/back"), lead(1, "page/forward")), (None, None));
        assert_eq!((lead(2, "page/back"), lead(2, "page/forward")), (None, Some(3)));
        assert_eq!((lead(3, "page/back"), lead(3, "page/forward")), (Some(2), None));
    }
}
