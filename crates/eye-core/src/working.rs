//! Begins work, lets its lane wait, and continues when the work is done.

use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::page_event::PageEvent;
use crate::session_event::Event;
use crate::switchboard::Switchboard;
use crate::then::Then;
use crate::work::{Done, Lane, Work};
use eye_protocol::SessionId;
use eye_protocol::close::Close;

impl Switchboard {
    /// Whether no input would wait behind work.
    pub fn is_free(&self) -> bool {
        self.lanes.are_free()
    }

    /// Whether inputs of a connection would wait behind work. Meanwhile the connection should not be read from.
    pub fn is_busy(&self, conn: Conn) -> bool {
        if self.lanes.are_free() {
            return false;
        }
        self.lanes.holds(&Lane::Agent(conn))
            || self.pages.get(&conn).is_some_and(|session| self.lanes.holds(&Lane::Session(session.clone())))
    }

    /// Lets an input wait if its lane is busy. `Some`: the lane is free.
    pub(crate) fn behind_work(&mut self, input: Input, out: &mut Vec<Effect>) -> Option<Input> {
        if self.lanes.are_free() {
            return Some(input);
        }
        let Some((conn, lane)) = self.lane_of(&input) else { return Some(input) };
        if !self.lanes.holds(&lane) {
            return Some(input);
        }
        if !self.lanes.put(&lane, input)
            && let Some(conn) = conn
        {
            out.push(Effect::Close { conn, close: Close::too_slow("too much waits behind its own work") });
        }
        None
    }

    /// The lane of an input, and the connection that the input came from, if any.
    fn lane_of(&self, input: &Input) -> Option<(Option<Conn>, Lane)> {
        match input {
            Input::Released { session, .. } => return Some((None, Lane::Session(session.clone()))),
            Input::HandedOver(handover) => return Some((None, Lane::Session(handover.session.clone()))),
            Input::Recalled(recalled) => return Some((None, Lane::Session(recalled.session.clone()))),
            _ => {}
        }
        let conn = input.conn()?;
        let lane = match input {
            Input::PageJoined { .. } | Input::Page { event: PageEvent::Alive | PageEvent::Allowed(_), .. } => {
                return None;
            }
            Input::GetState { page, .. } | Input::Snapshot { page, .. } if !self.lanes.holds(&Lane::Agent(conn)) => {
                // Read-your-writes: a state is read after what the page sent before.
                Lane::Session(self.find(conn, page.as_deref()).ok()?)
            }
            _ => self.pages.get(&conn).map_or(Lane::Agent(conn), |session| Lane::Session(session.clone())),
        };
        Some((Some(conn), lane))
    }

    /// Begins work. Its lane waits meanwhile.
    pub(crate) fn begin_work(&mut self, now: Millis, lane: Lane, work: Work, then: Then, out: &mut Vec<Effect>) {
        if let Some(then) = self.lanes.begin(lane.clone(), then) {
            return self.follow_work(now, &lane, Done::Failed, then, out);
        }
        out.push(Effect::Work { lane, work: Box::new(work) });
    }

    /// Work is done: continues what it was for, then the inputs that waited, until new work begins.
    pub(crate) fn worked(&mut self, now: Millis, lane: &Lane, done: Done, out: &mut Vec<Effect>) {
        let Some((then, mut backlog)) = self.lanes.end(lane) else { return };
        self.follow_work(now, lane, done, then, out);
        while !self.lanes.holds(lane) {
            let Some(input) = backlog.pop() else { return self.caught_up(now, lane, out) };
            self.handle(now, input, out);
        }
        self.lanes.put_back(lane, backlog);
    }

    /// Nothing waits in a lane any more: answers the requests for what its page was about to offer.
    fn caught_up(&mut self, now: Millis, lane: &Lane, out: &mut Vec<Effect>) {
        let Lane::Session(session) = lane else { return };
        let mut outcomes = std::mem::take(&mut self.outcomes);
        if let Some(held) = self.sessions.get_mut(session) {
            held.caught_up(&mut outcomes);
        }
        self.arm(session);
        self.follow(now, session, outcomes, out);
    }

    fn follow_work(&mut self, now: Millis, lane: &Lane, done: Done, then: Then, out: &mut Vec<Effect>) {
        match (lane, then) {
            (_, Then::Ask(input)) => {
                // Another hub may hold the page by now; it checks the arguments itself.
                if let Some(input) = self.unless_elsewhere(now, *input, out) {
                    self.ask_checked(now, input, done, out);
                }
            }
            (Lane::Session(session), then) => {
                let room_bytes = self.tools_room_bytes();
                self.session_on(now, session, Event::Worked { done, then, room_bytes }, out);
            }
            (Lane::Agent(_), _) => {}
        }
    }

    /// The hub is ending: all work is given up.
    pub(crate) fn stop_work(&mut self, now: Millis, out: &mut Vec<Effect>) {
        for lane in self.lanes.stop() {
            self.worked(now, &lane, Done::Failed, out);
        }
    }

    /// A session is forgotten: drops what waits in its lane.
    pub(crate) fn forget_lane(&mut self, session: &SessionId) {
        self.lanes.forget(&Lane::Session(session.clone()));
    }
}
