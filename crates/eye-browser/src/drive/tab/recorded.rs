//! The origin of the document behind each recorded request. A tab's session reports requests of its own documents and
//! of frames that share the session, which may be of other origins.

use super::Tab;
use super::inner::DOCUMENTS_LEN_MAX;
use crate::cdp::Event;
use crate::drive::events::{ContextCreated, FrameTree, Tree};
use crate::drive::net::Whose;
use crate::drive::site::site_of;

/// The deepest nesting of frames to follow; browsers allow less.
const FRAMES_DEPTH_MAX: usize = 1_024;

impl Tab {
    /// Records a network event, with the origin of its document.
    pub(super) fn record(&mut self, event: &Event) {
        let mut recording = std::mem::take(&mut self.recording);
        let (target, parents) = (self.target.as_str(), &self.inner_parents);
        // For a document whose URL names no origin, such as `about:srcdoc`, uses the origin of its context; without
        // one, that of the nearest outer document that has one.
        let whose = |frame: &str| {
            let mut at = frame;
            for _ in 0..FRAMES_DEPTH_MAX {
                match (self.shown_by(at), parents.get(at)) {
                    (Shown::Origin(origin), _) => return Whose::Origin(origin),
                    (Shown::NoOrigin, _) if at == target || at.is_empty() => return Whose::NoOrigin,
                    (Shown::NoOrigin, Some(parent)) => at = parent,
                    (Shown::Several, _) | (Shown::NoOrigin, None) => return Whose::Unknown,
                }
            }
            Whose::Unknown
        };
        recording.take(&self.session, event, &whose);
        self.recording = recording;
    }

    /// The origin of the document in a frame. For a sandbox it is the site of its URL.
    fn shown_by(&self, frame: &str) -> Shown {
        let mut all: Vec<String> = if frame == self.target {
            self.contexts.values().map(|known| known.origin.clone()).collect()
        } else {
            let created = self.inner_contexts.values().filter(|(of, _)| of == frame).map(|(_, created)| created);
            let own = created.filter_map(Event::read).filter(|one: &ContextCreated| one.context.aux_data.is_default);
            own.map(|ContextCreated { context }| context.origin).collect()
        };
        all.sort_unstable();
        all.dedup();
        if all.len() > 1 {
            return Shown::Several;
        }
        let own = all.pop().filter(|origin| origin.starts_with("http"));
        let address = || self.inner_urls.get(frame).and_then(|url| site_of(url));
        own.or_else(address).map_or(Shown::NoOrigin, Shown::Origin)
    }

    /// Registers the frames that existed before the recording began.
    pub(super) fn know_frames(&mut self, event: &Event) {
        let Some(FrameTree { frame_tree }) = event.read() else { return };
        let mut open = vec![frame_tree];
        while let Some(Tree { frame, child_frames }) = open.pop() {
            for child in &child_frames {
                self.know_parent(child.frame.id.clone(), frame.id.clone());
            }
            open.extend(child_frames);
        }
    }

    /// Registers the parent of a frame. Requests of frames beyond the limit are reported to no agent.
    pub(super) fn know_parent(&mut self, frame: String, parent: String) {
        if self.inner_parents.len() < DOCUMENTS_LEN_MAX || self.inner_parents.contains_key(&frame) {
            self.inner_parents.insert(frame, parent);
        }
    }
}

/// The origin of the document in a frame.
enum Shown {
    Origin(String),
    /// The document has no origin.
    NoOrigin,
    /// The frame has documents of several origins, and the request may be of any of them.
    Several,
}
