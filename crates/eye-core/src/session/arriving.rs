//! A page joins or leaves: which page holds the session, which calls its arrival ends, and what its loss does.

use super::replies::arrival;
use super::{PageStatus, Session};
use crate::calls::{Call, Phase};
use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::newcomer::Newcomer;
use crate::session_event::Outcome;
use crate::state::Published;
use crate::toolbox::Toolbox;
use eye_protocol::close::Close;
use eye_protocol::limits::{GRACE_LEAVING_MS, GRACE_MS, TITLE_MS};
use eye_protocol::messages::PageInfo;
use eye_protocol::{Code, Error};
use std::sync::Arc;

impl Session {
    pub(super) fn join(&mut self, now: Millis, page: Conn, who: Newcomer, seen_by: &[Conn], out: &mut Vec<Outcome>) {
        let Newcomer { origin, info, policy, ask_first, driven } = who;
        // A session belongs to its origin for as long as it is remembered: its state, mail and agents stay with it.
        if self.origin != origin && !driven {
            out.push(Outcome::Effect(Effect::Close { conn: page, close: Close::foreign_session() }));
            return;
        }
        match self.status {
            PageStatus::Connected { page: old, .. } => {
                self.lose_page(now, "another page took over the session before this one answered", out);
                out.push(Outcome::Effect(Effect::Replaced { page: old }));
                out.push(Outcome::Effect(Effect::Close { conn: old, close: Close::taken_over() }));
            }
            PageStatus::Away { .. } | PageStatus::Gone { .. } => {}
        }
        if self.origin != origin {
            self.show_another_origin(origin, seen_by, out);
        }
        self.driven = driven;
        self.info = PageInfo::default();
        self.merge(info);
        self.policy = policy;
        self.capabilities = None;
        self.toolbox.page_came();
        self.published.grow_stale();
        self.published.ask_first = ask_first;
        self.status = PageStatus::Connected { page, alive_at: now, pinged_at: None };
        self.used_at = now;
        self.joined(now);
        self.is_here();
        self.arriving = true;
        self.show_arrivals(now, page, out);
        self.arrive(out);
        if self.arriving {
            for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Navigating { .. })) {
                self.calls.postpone(key, now + TITLE_MS);
            }
        }
        self.send_waiting(out);
        self.release_waiting(out);
    }

    /// A driven tab shows a document of another origin. What the document before published, offered or was sent does
    /// not go on with it, and calls go on waiting only if the token of their agent covers the new origin.
    fn show_another_origin(&mut self, origin: Arc<str>, seen_by: &[Conn], out: &mut Vec<Outcome>) {
        let why = format!("the tab went to {origin}, which this token does not cover");
        self.origin = origin;
        let origin = &*self.origin;
        self.toolbox = Toolbox::default();
        self.published = Published::default();
        self.mailbox.change_origin(seen_by, &why, out);
        self.expecting.had_tools = false;
        self.expecting.had_state = false;
        let unseen = |call: &Call| !call.asker.sees(origin, seen_by);
        for key in self.calls.keys_where(unseen) {
            self.end(key, Err(Error::new(Code::DENIED, why.clone())), out);
        }
    }

    /// Ends the calls that navigated here, once the page has a title to report.
    pub(super) fn arrive(&mut self, out: &mut Vec<Outcome>) {
        if !self.arriving || self.info.title.as_deref().unwrap_or("").is_empty() {
            return;
        }
        self.arriving = false;
        for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Navigating { .. })) {
            let there = arrival(&self.info);
            self.end(key, Ok(there), out);
        }
    }

    pub(super) fn lose_page(&mut self, now: Millis, why: &str, out: &mut Vec<Outcome>) {
        let grace_ms = if self.info.leaving.is_some() { GRACE_LEAVING_MS } else { GRACE_MS };
        self.status = PageStatus::Away { until: now + grace_ms, recalled: false };
        self.arriving = false;
        self.published.grow_stale();
        for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Sent)) {
            if self.calls.wait_again(key) {
                continue;
            }
            let error = Error::new(Code::CONNECTION, why)
                .hint("the code may have run; look before you repeat it. The session waits for the page to come back");
            self.end(key, Err(error), out);
        }
    }
}
