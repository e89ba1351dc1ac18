//! Passes the events of a joined page to its session, with what only the switchboard knows.

use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::page_event::PageEvent;
use crate::session_event::{Event, Given};
use crate::switchboard::Switchboard;

/// How long changes of titles and addresses are collected before they are remembered.
const REMEMBER_MS: Millis = 2_000;

impl Switchboard {
    pub(crate) fn on_page(&mut self, now: Millis, page: Conn, event: PageEvent, out: &mut Vec<Effect>) {
        match event {
            PageEvent::Answered { call, ending } => self.page_answered(now, page, call, ending, out),
            PageEvent::Left | PageEvent::Leaving => {
                self.topics.forget(page);
                if let Some(session) = self.pages.remove(&page) {
                    self.session_on(now, &session, Event::page(page, event), out);
                }
            }
            PageEvent::Changed(_) => {
                // A title may change with every frame, so it is not remembered with every change.
                self.remember_at.get_or_insert(now + REMEMBER_MS);
                if let Some(session) = self.pages.get(&page).cloned() {
                    let changed = Event::page(page, event);
                    self.renaming(&session, |board| board.session_on(now, &session, changed, out));
                }
            }
            PageEvent::Allowed(_) => {
                self.page_on(now, page, Event::page(page, event), out);
                self.listens_as(page);
            }
            PageEvent::Offers { .. } => {
                let given = Given::RoomBytes(self.tools_room_bytes());
                self.page_on(now, page, Event::Page { page, event, given }, out);
            }
            PageEvent::Puts { ref message, wall_ms } => {
                self.tell_of_mail(now, page, message, wall_ms, out);
                let sender = self.page(page).map(|held| self.sender_name(held)).unwrap_or_default();
                self.page_on(now, page, Event::Page { page, event, given: Given::Sender(sender.into()) }, out);
                self.mail_changed(page, out);
            }
            PageEvent::Alive
            | PageEvent::Navigating { .. }
            | PageEvent::Progressed { .. }
            | PageEvent::Withdraws { .. }
            | PageEvent::Capable(_)
            | PageEvent::State { .. }
            | PageEvent::StateChanged { .. } => self.page_on(now, page, Event::page(page, event), out),
        }
    }
}
