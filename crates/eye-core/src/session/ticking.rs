//! Timers of a session: calls that are due end, silent pages are pinged, and a page that does not come back is gone.

use super::replies::arrival;
use super::{PageStatus, Session};
use crate::calls::Phase;
use crate::effect::Effect;
use crate::ids::Millis;
use crate::session_event::Outcome;
use eye_protocol::close::Close;
use eye_protocol::limits::{PING_INTERVAL_MS, PING_TIMEOUT_MS};
use eye_protocol::{Code, Error, Value};

impl Session {
    pub(super) fn tick(&mut self, now: Millis, out: &mut Vec<Outcome>) {
        self.mailbox.tick(now, out);
        self.tick_expecting(now, out);
        while let Some(key) = self.calls.due(now) {
            let Some(call) = self.calls.get_mut(key) else { continue };
            let ending = match &call.phase {
                Phase::Navigating { .. } if self.arriving => Ok(arrival(&self.info)),
                Phase::Navigating { url, .. } => Ok(Value::Rendering(format!(
                    "navigated to {url}, which does not load eye.js (or is still loading)"
                ))),
                Phase::Sent => Err(Error::new(Code::TIMEOUT, "no answer within the timeout").hint(
                    "the page may be busy, frozen or waiting for something; raise --timeout, or look at the page",
                )),
                Phase::Waiting(_) => Err(self.absence()),
            };
            self.abort(key, out);
            self.end(key, ending, out);
        }
        match self.status {
            // A page that a dialog stops answers no ping.
            PageStatus::Connected { .. } if self.info.dialog.is_some() => {}
            PageStatus::Connected { page, alive_at, pinged_at: None } if now >= alive_at + PING_INTERVAL_MS => {
                self.status = PageStatus::Connected { page, alive_at, pinged_at: Some(now) };
                out.push(Outcome::Effect(Effect::Ping { page }));
            }
            PageStatus::Connected { page, alive_at, pinged_at: Some(at) }
                if now >= at + PING_TIMEOUT_MS && alive_at > at =>
            {
                // It answered calls, though not the ping: its code runs.
                self.status = PageStatus::Connected { page, alive_at, pinged_at: None };
            }
            PageStatus::Connected { page, pinged_at: Some(at), .. } if now >= at + PING_TIMEOUT_MS => {
                self.lose_page(now, "the page answered no ping", out);
                out.push(Outcome::Effect(Effect::Close { conn: page, close: Close::lifeless() }));
            }
            PageStatus::Away { until, .. } if now >= until => {
                self.status = PageStatus::Gone { since: now };
                for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Waiting(_))) {
                    let error = self.absence();
                    self.end(key, Err(error), out);
                }
                self.release_waiting(out);
            }
            PageStatus::Connected { .. } | PageStatus::Away { .. } | PageStatus::Gone { .. } => {}
        }
    }
}
