//! Which browser and which of its windows a tab is in, for agents.

use super::{Running, hold};
use crate::cdp::{Event, TargetInfo};
use eye_protocol::messages::ShownIn;
use serde::Deserialize;
use tokio::sync::watch;

/// The most windows of one browser to distinguish. Tabs in further windows report no window.
const WINDOWS_LEN_MAX: usize = 1024;

impl Running {
    /// Registers a new tab. The receiver gets its place and every change of it.
    pub(super) fn place(&self, target: &TargetInfo) -> watch::Receiver<Option<ShownIn>> {
        let (sender, receiver) = watch::channel(Some(self.shown_in(target.window_id)));
        hold(&self.places).insert(target.target_id.clone(), sender);
        receiver
    }

    /// Handles an event that a person moved a tab to another window. Only the extension sends it.
    pub(super) fn moved(&self, event: &Event) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Moved {
            target_id: String,
            window_id: i64,
        }
        if &*event.method == "Browser.tabMoved"
            && let Some(Moved { target_id, window_id }) = event.read()
            && let Some(place) = hold(&self.places).get(&target_id)
        {
            place.send_replace(Some(self.shown_in(Some(window_id))));
        }
    }

    /// A browser that eye starts has one window per page, so no window is reported.
    fn shown_in(&self, window: Option<i64>) -> ShownIn {
        let number = window.and_then(|window| {
            let mut windows = hold(&self.windows);
            if !windows.contains(&window) && windows.len() < WINDOWS_LEN_MAX {
                windows.push(window);
            }
            let at = windows.iter().position(|known| *known == window)?;
            u32::try_from(at + 1).ok()
        });
        ShownIn { browser: self.name.clone(), window: number }
    }
}
