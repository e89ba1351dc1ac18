//! Handles new sessions: tabs, and frames of other sites, which have their own process and session. Each becomes a page
//! of the hub.

use super::{Browsers, Running, hold};
use crate::cdp::Attached;
use crate::drive::outer::Outer;
use crate::drive::prepare::{What, prepare};
use crate::drive::script::Names;
use crate::drive::tab::Tab;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::watch;

impl Browsers {
    pub(super) fn attach(&self, running: &Arc<Running>, attached: Attached, used: watch::Sender<u64>) {
        let session = attached.events.session.clone();
        if attached.target.kind == "iframe" {
            return self.attach_frame(running, attached, used);
        }
        let Some(hub) = self.0.hub.get().filter(|_| attached.target.kind == "page") else {
            // Workers and the browser's own surfaces just continue.
            let _ = session.send("Runtime.runIfWaitingForDebugger", &json!({}));
            return;
        };
        let target = attached.target.target_id.clone();
        // A restarted hub finds the tab under the same name.
        let names = if running.tunnel { Names::of_target(&target) } else { Names::fresh() };
        let names = Names { hands: !attached.target.scripted, ..names };
        let name = names.session.clone();
        let there = attached.target.opener_id.is_some() || !attached.waiting;
        let what = What { there, frame: false };
        let preparing = prepare(session.clone(), names.clone(), what);
        let outer = Outer::tab(session.clone(), name.clone(), names.hands);
        hold(&running.outers).insert(session.id().to_owned(), (session.clone(), outer.clone(), names.clone()));
        let files = (running.uploads.clone(), running.downloads.clone());
        let place = (target.clone(), attached.target.url.clone());
        let sessions = (session.clone(), running.browser.clone());
        let shown_in = running.place(&attached.target);
        let tab = Tab::new(sessions, place, (outer, None), names, hub.clone(), used, files).shown_in(shown_in);
        let (joined, running) = (tab.joined(), running.clone());
        tokio::spawn(async move {
            if preparing.await.is_ok() {
                hold(&running.tabs).insert(target.clone(), (name, joined, session.clone()));
                running.changed.send_modify(|count| *count += 1);
                tab.run(attached.events).await;
            }
            hold(&running.outers).remove(session.id());
            hold(&running.tabs).remove(&target);
            hold(&running.places).remove(&target);
            running.changed.send_modify(|count| *count += 1);
        });
    }

    /// Handles a frame of another site in a tab or in a frame.
    fn attach_frame(&self, running: &Arc<Running>, attached: Attached, used: watch::Sender<u64>) {
        let session = attached.events.session.clone();
        let around = attached.parent.as_deref().and_then(|parent| hold(&running.outers).get(parent).cloned());
        let found = around.and_then(|(around, outer, names)| {
            let (number, name) = outer.number()?;
            let inner = outer.inside(around, &attached.target.target_id, &names.receive);
            // Files that are given to the tab's page can also be given to its frames.
            let names = Names { session: name, files: names.files, ..Names::fresh() };
            Some((inner, number, names, self.0.hub.get()?.clone()))
        });
        let Some((outer, number, names, hub)) = found else {
            // Too many frames, or the tab of the frame has ended.
            let _ = session.send("Runtime.runIfWaitingForDebugger", &json!({}));
            return;
        };
        let what = What { there: !attached.waiting, frame: true };
        let preparing = prepare(session.clone(), names.clone(), what);
        hold(&running.outers).insert(session.id().to_owned(), (session.clone(), outer.clone(), names.clone()));
        outer.note(&session, &attached.target.target_id, true);
        let place = (attached.target.target_id.clone(), attached.target.url.clone());
        let files = (running.uploads.clone(), running.downloads.clone());
        let sessions = (session.clone(), running.browser.clone());
        let tab = Tab::new(sessions, place, (outer.clone(), Some(number)), names, hub, used, files);
        let running = running.clone();
        tokio::spawn(async move {
            if preparing.await.is_ok() {
                tab.run(attached.events).await;
            }
            hold(&running.outers).remove(session.id());
            outer.note(&session, "", false);
        });
    }
}
