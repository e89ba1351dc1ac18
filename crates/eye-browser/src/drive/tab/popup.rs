//! The first document of a popup, which leaves its window to another.

use super::Tab;
use serde_json::json;

impl Tab {
    /// A popup's first document leaves its window to the one that the popup is opened for, and the browser puts no
    /// script into that: the client is put there anew.
    pub(super) fn put_again(&mut self) {
        if let Some(context) = self.left.take().filter(|context| self.contexts.contains_key(context)) {
            // The client before took the function away, and the browser gives one that it knows only once.
            for method in ["Runtime.removeBinding", "Runtime.addBinding"] {
                let _ = self.session.send(method, &json!({ "name": self.names.binding }));
            }
            let asked = json!({ "expression": self.names.source(), "contextId": context, "silent": true });
            let _ = self.session.send("Runtime.evaluate", &asked);
        }
    }
}
