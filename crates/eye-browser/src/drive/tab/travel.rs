//! Steps in a tab's history that the driver takes in the page's place. Only the step itself shows whether it leads to
//! another document. The call ends where the tab arrives, which may be another place in the same document.

use super::Tab;
use crate::cdp::{Event, Session};
use crate::drive::events::StartedNavigating;
use crate::drive::frames::{Half, Own};
use crate::drive::history::History;
use serde::Deserialize;
use serde_json::json;

/// Kinds of navigations that stay in the same document.
const SAME_DOCUMENT: [&str; 2] = ["sameDocument", "historySameDocument"];

impl Tab {
    /// Goes to an entry of the tab's history, for a call.
    pub(super) fn travel(&mut self, own: Own, entry: i64) {
        // Until the document leaves, the call belongs to it, so that a dialog of the document ends the call.
        self.owe(Half::Hands, own.id.clone());
        self.going.push(own);
        let _ = self.session.send("Page.navigateToHistoryEntry", &json!({ "entryId": entry }));
    }

    /// The tab moved within its document. The calls that caused this end with the document's outline.
    pub(super) fn went_within(&mut self) {
        for own in std::mem::take(&mut self.going) {
            let look = Own { id: own.id, method: "page/look".to_owned(), params: r#"{"loaded":true}"#.to_owned() };
            self.hand(look.half(), look.message());
        }
    }

    /// The browser begins a navigation, by default to another document. A document without an origin gets no event for
    /// it, so its navigations and looks are announced to end where the tab arrives.
    pub(super) fn starts_navigating(&mut self, event: &Event) {
        let Some(to) = event.read().filter(|to: &StartedNavigating| to.frame_id == self.target) else { return };
        if SAME_DOCUMENT.contains(&to.navigation_type.as_str()) {
            return;
        }
        if let Some(document) = &self.document
            && self.contexts.get(&document.context).is_some_and(|known| known.site.is_some())
        {
            document.owed.of(Half::Hands).for_each(|id| self.announce(id));
            self.going.clear();
        }
        self.goes_elsewhere();
    }

    /// The document is about to leave. Older browsers report that only now. A call that navigates ends where the tab
    /// arrives.
    pub(super) fn goes_elsewhere(&mut self) {
        for own in std::mem::take(&mut self.going) {
            self.announce(&own.id);
        }
    }
}

/// The history entry that a verb leads to, if the page cannot go there: it is of another site, or of another origin of
/// the same site, like documents in a sandbox. The browser tells a document without an origin about no entry, not even
/// one within the document.
pub(super) async fn beyond(session: &Session, context: i64, method: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct Evaluated {
        result: Answer,
    }
    #[derive(Deserialize)]
    struct Answer {
        value: bool,
    }
    let history = History::of(session).await.ok()?;
    let entry = history.step(method)?;
    if history.elsewhere(method).is_some() {
        return Some(entry.id);
    }
    // The first entry of every tab.
    if entry.url == "about:blank" {
        return None;
    }
    let expression = if method == "page/back" { "navigation.canGoBack" } else { "navigation.canGoForward" };
    let params = json!({ "expression": expression, "contextId": context, "silent": true, "returnByValue": true });
    let Evaluated { result } = session.ask("Runtime.evaluate", &params).await.ok()?;
    (!result.value).then_some(entry.id)
}
