//! The first document of a popup, whose window another document takes over.

use super::Tab;
use serde_json::json;

impl Tab {
    /// A popup's first document gives its window to the document that the popup is opened for. The browser puts no
    /// script into that one, so the client is inserted again.
    pub(super) fn put_again(&mut self) {
        if let Some(context) = self.left.take().filter(|context| self.contexts.contains_key(context)) {
            // The previous client removed the function, and the browser adds a known binding only once.
            for method in ["Runtime.removeBinding", "Runtime.addBinding"] {
                let _ = self.session.send(method, &json!({ "name": self.names.binding }));
            }
            let params = json!({ "expression": self.names.source(), "contextId": context, "silent": true });
            let _ = self.session.send("Runtime.evaluate", &params);
        }
    }
}
