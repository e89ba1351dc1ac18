//! Whose requests a tab's session tells of: its own documents' and those of frames that share the session, which may be
//! of other origins.

use super::Tab;
use crate::cdp::Event;
use crate::drive::events::ContextCreated;

impl Tab {
    /// Notes an event of the network, with the origin of the document that it is of.
    pub(super) fn record(&mut self, event: &Event) {
        let (target, own, inner) = (&self.target, &self.contexts, &self.inner_contexts);
        // Asked where the address of a document names no origin, as `about:srcdoc`: it has that of its context.
        let origin = |frame: &str| {
            let mut all = if frame == target {
                own.values().map(|known| known.origin.clone()).collect::<Vec<_>>()
            } else {
                let created = inner.values().filter(|(of, _)| of == frame).map(|(_, created)| created);
                created.filter_map(Event::read).map(|ContextCreated { context }| context.origin).collect()
            };
            all.dedup();
            match <[String; 1]>::try_from(all) {
                Ok([origin]) if origin.starts_with("http") => Some(origin),
                // Several documents, or one without an origin.
                _ => None,
            }
        };
        self.recording.take(&self.session, event, &origin);
    }
}
