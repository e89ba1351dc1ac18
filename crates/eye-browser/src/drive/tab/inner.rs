//! Frames of other origins whose documents are in this session. Each is a page of its own in the hub, and gets the
//! events of its documents from this session. Frames of other sites have sessions of their own.

use super::Tab;
use crate::cdp::{Event, Events};
use crate::drive::events::{BindingCalled, ContextCreated, ContextDestroyed, FrameAttached, Loading, Navigated};
use crate::drive::frames::Own;
use crate::drive::script::{Names, WORLD};
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error};
use tokio::sync::mpsc;

/// Events that may wait for one frame. A frame that does not keep up is no longer a page.
const EVENTS_LEN_MAX: usize = 4_096;

/// Documents of frames that are remembered. Documents beyond that do not become pages.
pub(super) const DOCUMENTS_LEN_MAX: usize = 4_096;

impl Tab {
    /// Passes on an event of a frame. Returns `false` if the event also concerns this document.
    pub(super) fn is_of_inner(&mut self, event: &Event) -> bool {
        match &*event.method {
            // Most pages have no frames, so their messages are parsed only once.
            "Runtime.bindingCalled" if self.inner_contexts.is_empty() => false,
            "Runtime.bindingCalled" => {
                let Some(BindingCalled { execution_context_id, payload, .. }) = event.read() else { return false };
                let Some((frame, _)) = self.inner_contexts.get(&execution_context_id) else { return false };
                let frame = frame.clone();
                // A client sends messages only from the outermost document of its origin.
                if !self.inner.contains_key(&frame) && payload.starts_with(r#"{"jsonrpc""#) {
                    self.begin_inner(&frame);
                }
                self.pass(&frame, event);
                true
            }
            "Runtime.evaluate" | "Page.createIsolatedWorld" => {
                let known = event.note.and_then(|context| self.inner_contexts.get(&context));
                let Some(frame) = known.map(|(frame, _)| frame.clone()) else { return false };
                self.pass(&frame, event);
                true
            }
            "Runtime.executionContextCreated" => {
                let Some(ContextCreated { context }) = event.read() else { return false };
                let frame = context.aux_data.frame_id;
                if !(context.aux_data.is_default || context.name == WORLD) || frame == self.target {
                    return false;
                }
                self.pass(&frame, event);
                if self.inner_contexts.len() < DOCUMENTS_LEN_MAX {
                    self.inner_contexts.insert(context.id, (frame, event.clone()));
                }
                true
            }
            "Runtime.executionContextDestroyed" => {
                let Some(ContextDestroyed { execution_context_id }) = event.read() else { return false };
                let Some((frame, _)) = self.inner_contexts.remove(&execution_context_id) else { return false };
                self.pass(&frame, event);
                true
            }
            "Page.frameAttached" => {
                if let Some(FrameAttached { frame_id, parent_frame_id }) = event.read() {
                    self.know_parent(frame_id, parent_frame_id);
                }
                true
            }
            "Page.frameDetached" => {
                if let Some(Loading { frame_id }) = event.read() {
                    self.inner.remove(&frame_id);
                    self.inner_urls.remove(&frame_id);
                    self.inner_parents.remove(&frame_id);
                }
                true
            }
            "Page.frameNavigated" => {
                let Some(Navigated { frame }) = event.read() else { return false };
                if frame.id == self.target {
                    return false;
                }
                self.pass(&frame.id, event);
                if self.inner_urls.len() < DOCUMENTS_LEN_MAX || self.inner_urls.contains_key(&frame.id) {
                    self.inner_urls.insert(frame.id, frame.url);
                }
                true
            }
            "Page.frameStartedLoading" | "Page.frameStoppedLoading" => {
                let Some(Loading { frame_id }) = event.read() else { return false };
                frame_id != self.target && self.pass(&frame_id, event)
            }
            "Runtime.executionContextsCleared" => {
                self.inner.clear();
                self.inner_contexts.clear();
                self.inner_urls.clear();
                self.inner_parents.clear();
                false
            }
            "Page.javascriptDialogOpening" | "Inspector.targetCrashed" | "Inspector.targetReloadedAfterCrash" => {
                let all: Vec<String> = self.inner.keys().cloned().collect();
                for frame in all {
                    self.pass(&frame, event);
                }
                false
            }
            _ => false,
        }
    }

    fn pass(&mut self, frame: &str, event: &Event) -> bool {
        let Some(sender) = self.inner.get(frame) else { return false };
        if sender.try_send(event.clone()).is_err() {
            self.inner.remove(frame);
        }
        true
    }

    /// Makes a frame a page of the hub.
    fn begin_inner(&mut self, frame: &str) {
        let Some((number, session)) = self.outer.number() else { return };
        let (sender, receiver) = mpsc::channel(EVENTS_LEN_MAX);
        let outer = self.outer.inside(self.session.clone(), frame, &self.names.receive);
        let tab = Self::new(
            (self.session.clone(), self.browser.clone()),
            (frame.to_owned(), self.inner_urls.get(frame).cloned().unwrap_or_default()),
            (outer, Some(number)),
            Names { session, ..self.names.clone() },
            self.hub.clone(),
            self.used.clone(),
            (self.uploads.clone(), self.downloads.clone()),
        );
        for (_, created) in self.inner_contexts.values().filter(|(of, _)| of == frame) {
            let _ = sender.try_send(created.clone());
        }
        self.inner.insert(frame.to_owned(), sender);
        tokio::spawn(tab.run(Events::of(self.session.clone(), receiver)));
    }

    /// Adds the outer page to the hello of a frame's document. The browser supplies it, not the page.
    pub(super) fn framed(&self, hello: &str) -> String {
        let Ok(mut hello) = serde_json::from_str::<serde_json::Value>(hello) else { return hello.to_owned() };
        let page = &mut hello["params"]["page"];
        if page.is_object() {
            page["frame"] = true.into();
            page["parent"] = self.outer.page.as_str().into();
        }
        json(&hello)
    }

    /// Refuses a verb that the browser does only for a whole tab.
    pub(super) fn not_of_frames(&self, own: &Own) -> Error {
        let (verb, page) = (own.method.trim_start_matches("page/"), &self.outer.page);
        let text = format!("{verb} is of a whole page, and this is a frame of one: eye -p {page} {verb}");
        Error::new(Code::PARAMS, text)
    }
}
