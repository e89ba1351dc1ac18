//! Starts what the browser does for a tab in the page's place: pictures, dialogs, cookies, devices, closing.

use super::travel::beyond;
use super::{Doing, Done, Tab};
use crate::drive::frames::{Own, params};
use crate::drive::shot::{self, Scene, Shot};
use crate::drive::{device, stored, verbs};
use eye_protocol::Value;
use eye_protocol::rpc;
use serde_json::json;
use std::sync::atomic::Ordering;

impl Tab {
    pub(super) fn begin(&mut self, own: Own) {
        let session = self.session.clone();
        let doing: Doing = match own.method.as_str() {
            // Without the debugger the page does what it can, and reports what the rest requires.
            method if !self.names.hands && !["page/shot", "page/close"].contains(&method) => {
                self.undecided.insert(own.id.clone());
                Box::pin(std::future::ready(Done::Page(own)))
            }
            "page/back" | "page/forward" => {
                self.undecided.insert(own.id.clone());
                let context =
                    self.document.as_ref().map(|document| document.context).filter(|_| !self.outer.is_frame());
                Box::pin(async move {
                    let entry = match context {
                        Some(context) => beyond(&session, context, &own.method).await,
                        None => None,
                    };
                    match entry {
                        Some(entry) => Done::Travel(own, entry),
                        None => Done::Page(own),
                    }
                })
            }
            "page/stop-script" => Box::pin(async move { Done::Answer(own.id, device::stop_script(&session).await) }),
            _ if self.outer.is_frame() => {
                let error = self.not_of_frames(&own);
                Box::pin(std::future::ready(Done::Answer(own.id, Err(error))))
            }
            "page/shot" | "page/pdf" => {
                let Some(client) = self.document.as_ref().map(|document| document.client.clone()) else { return };
                let (outer, frame, hub) = (self.outer.clone(), self.target.clone(), self.hub.clone());
                Box::pin(async move {
                    let ending = match params::<Shot>(&own) {
                        Ok(mut wanted) => {
                            let scene = Scene { outer, frame, hub, pages: wanted.pages.take() };
                            match own.method.as_str() {
                                "page/pdf" => shot::pdf(&scene).await,
                                _ => shot::shot(&scene, &client, wanted).await,
                            }
                        }
                        Err(error) => Err(error),
                    };
                    Done::Answer(own.id, ending)
                })
            }
            "page/dialog" => Box::pin(async move {
                let ending = verbs::dialog(&session, &own).await;
                Done::Answer(own.id, ending)
            }),
            "page/cookies" => Box::pin(async move {
                let ending = stored::cookies(&session, &own).await;
                Done::Answer(own.id, ending)
            }),
            "page/storage" => Box::pin(async move {
                let ending = stored::storage(&session, &own).await;
                Done::Answer(own.id, ending)
            }),
            "page/emulate" => {
                if let Some(touch) = device::touch_after(&own) {
                    self.outer.touch.store(touch, Ordering::Relaxed);
                }
                let browser = self.downloads.are_kept().then(|| self.browser.clone());
                let context = self.document.as_ref().map(|document| document.context);
                let known = context.and_then(|context| self.contexts.get(&context));
                let origin = known.map_or_else(String::new, |known| known.origin.clone());
                Box::pin(async move {
                    let ending = device::emulate(&session, browser.as_ref(), &origin, &own).await;
                    Done::Answer(own.id, ending)
                })
            }
            "page/net" => match self.recording.answer(&session, &own, &*self.hub) {
                Ok((text, None)) => Box::pin(std::future::ready(Done::Answer(own.id, Ok(Value::Text(text))))),
                Ok((text, Some(bodies))) => {
                    Box::pin(async move { Done::Answer(own.id, verbs::request(&session, text, bodies).await) })
                }
                Err(error) => Box::pin(std::future::ready(Done::Answer(own.id, Err(error)))),
            },
            "page/downloads" => {
                let rows = Some(self.downloads.rows()).filter(|rows| !rows.is_empty());
                let none =
                    if self.names.files { "no downloads" } else { "downloads of this browser are not told to eye" };
                let text = Value::Text(rows.unwrap_or_else(|| none.to_owned()));
                Box::pin(std::future::ready(Done::Answer(own.id, Ok(text))))
            }
            "page/close" => Box::pin(std::future::ready(Done::Close(own.id))),
            _ => return self.revive(&own),
        };
        self.doing.push(doing);
    }

    /// Tells the hub that a call navigates: it ends at the next document.
    pub(super) fn announce(&self, id: &str) {
        let Some(document) = &self.document else { return };
        let going = rpc::notification("call/navigating", &json!({ "id": id, "url": "" }));
        let _ = document.link.receive(&format!("[{going}]"));
    }

    /// Reloads a crashed page. The call ends at the next document, like every call that navigates.
    fn revive(&mut self, own: &Own) {
        self.announce(&own.id);
        let _ = self.session.send("Page.reload", &json!({}));
    }
}
