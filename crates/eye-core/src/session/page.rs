//! Events of a session's page.

use crate::calls::Phase;
use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::page_event::PageEvent;
use crate::session::{PageStatus, Session};
use crate::session_event::{Given, Outcome};
use crate::state::When;
use eye_protocol::limits::NAVIGATION_MS;

impl Session {
    /// Events of a page that was replaced have no effect.
    pub(super) fn on_page(&mut self, now: Millis, page: Conn, event: PageEvent, given: Given, out: &mut Vec<Outcome>) {
        match event {
            PageEvent::Answered { call, ending } => self.answered(now, page, call, ending, out),
            PageEvent::Left | PageEvent::Leaving => {
                if self.page() == Some(page) {
                    self.lose_page(now, "the page left before it answered", out);
                }
            }
            PageEvent::Allowed(policy) => {
                if self.page() == Some(page) {
                    self.policy = policy;
                }
            }
            PageEvent::Withdraws { id, names } => self.withdraws(now, page, id, &names, out),
            _ if !self.note_alive(now, page) => {}
            PageEvent::Changed(info) => self.changed(now, *info, out),
            PageEvent::Alive => self.status = PageStatus::Connected { page, alive_at: now, pinged_at: None },
            PageEvent::Navigating { call, url } => {
                if let Some(known) = self.calls.get_mut(call)
                    && matches!(known.phase, Phase::Sent)
                {
                    known.phase = Phase::Navigating { url, page };
                    let deadline = known.deadline.min(now + NAVIGATION_MS);
                    self.calls.postpone(call, deadline);
                }
            }
            PageEvent::Progressed { call, progress } => {
                if let Some(reply) = self.calls.get_mut(call).and_then(|call| call.asker.reply()) {
                    out.push(Outcome::Effect(Effect::Progress { reply: reply.clone(), progress }));
                }
            }
            PageEvent::Offers { id, tools } => {
                let room_bytes = if let Given::RoomBytes(room) = given { room } else { 0 };
                self.offer(page, id, tools, room_bytes, out);
            }
            PageEvent::Capable(capabilities) => self.capabilities = Some(capabilities),
            PageEvent::State { whole, wall_ms } => self.publish_state(When { now, wall_ms }, page, whole, out),
            PageEvent::StateChanged { change, wall_ms } => {
                self.change_state(When { now, wall_ms }, page, change, out);
            }
            PageEvent::Puts { message, wall_ms } => {
                let from = if let Given::Sender(name) = given { name } else { Box::default() };
                self.mailbox.put(When { now, wall_ms }, &from, &message, out);
            }
        }
    }
}
