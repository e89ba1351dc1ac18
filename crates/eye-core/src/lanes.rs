//! Lanes: while work is done for a session or an agent, what comes after it waits behind it, in order.

use crate::effect::Effect;
use crate::event::{Conn, Input, Millis};
use crate::session_event::Event;
use crate::switchboard::Switchboard;
use crate::work::{Done, Lane, Then, Work};
use eye_protocol::SessionId;
use eye_protocol::close::Close;
use eye_protocol::limits::{BACKLOG_BYTES_MAX, BACKLOG_LEN_MAX};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Work that is under way, and what waits behind it.
#[derive(Debug)]
struct Busy {
    then: Then,
    backlog: VecDeque<Input>,
    backlog_bytes: usize,
}

/// Everything that waits for work.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    busy: FxHashMap<Lane, Busy>,
    /// The hub ends: no more work is begun.
    stopping: bool,
}

impl Lanes {
    fn holds(&self, lane: &Lane) -> bool {
        self.busy.contains_key(lane)
    }

    /// Puts something behind the work of a lane. `false`: there is no room, and it is lost.
    fn put(&mut self, lane: &Lane, input: Input) -> bool {
        let Some(busy) = self.busy.get_mut(lane) else { return false };
        let bytes = input.len_bytes();
        // What ends a connection always has room.
        let ends = matches!(
            input,
            Input::PageLeft { .. } | Input::PageLeaving { .. } | Input::AgentLeft { .. } | Input::AgentRevoked { .. }
        );
        let fits = busy.backlog.len() < BACKLOG_LEN_MAX && busy.backlog_bytes + bytes <= BACKLOG_BYTES_MAX;
        if fits || ends {
            busy.backlog_bytes += bytes;
            busy.backlog.push_back(input);
        }
        fits || ends
    }
}

impl Switchboard {
    /// Whether what a connection says would wait behind work. It should not be read from meanwhile.
    pub fn is_busy(&self, conn: Conn) -> bool {
        if self.lanes.busy.is_empty() {
            return false;
        }
        self.lanes.holds(&Lane::Agent(conn))
            || self.pages.get(&conn).is_some_and(|session| self.lanes.holds(&Lane::Session(session.clone())))
    }

    /// Lets something wait if its lane is busy. `Some`: it is not.
    pub(crate) fn behind_work(&mut self, input: Input, out: &mut Vec<Effect>) -> Option<Input> {
        if self.lanes.busy.is_empty() {
            return Some(input);
        }
        let Some((conn, lane)) = self.lane_of(&input) else { return Some(input) };
        if !self.lanes.holds(&lane) {
            return Some(input);
        }
        if !self.lanes.put(&lane, input) {
            out.push(Effect::Close { conn, close: Close::too_slow("too much waits behind its own work") });
        }
        None
    }

    /// Whose order something keeps, and which connection it came from.
    fn lane_of(&self, input: &Input) -> Option<(Conn, Lane)> {
        let conn = input.conn()?;
        match input {
            Input::PageJoined { .. } | Input::PageAlive { .. } | Input::PageAllowed { .. } => None,
            Input::GetState { page, .. } | Input::Snapshot { page, .. } if !self.lanes.holds(&Lane::Agent(conn)) => {
                // Read-your-writes: a state is read after what its page said before.
                let session = self.find(conn, page.as_deref()).ok()?;
                Some((conn, Lane::Session(session)))
            }
            _ => match self.pages.get(&conn) {
                Some(session) => Some((conn, Lane::Session(session.clone()))),
                None => Some((conn, Lane::Agent(conn))),
            },
        }
    }

    /// Begins work, behind which its lane waits.
    pub(crate) fn begin_work(&mut self, now: Millis, lane: Lane, work: Work, then: Then, out: &mut Vec<Effect>) {
        if self.lanes.stopping {
            return self.follow_work(now, &lane, Done::Failed, then, out);
        }
        let busy = Busy { then, backlog: VecDeque::new(), backlog_bytes: 0 };
        let doubled = self.lanes.busy.insert(lane.clone(), busy);
        debug_assert!(doubled.is_none(), "a lane has one work at a time");
        out.push(Effect::Work { lane, work: Box::new(work) });
    }

    /// Work is done: what it was for goes on, and what waited behind it follows, until there is work again.
    pub(crate) fn worked(&mut self, now: Millis, lane: &Lane, done: Done, out: &mut Vec<Effect>) {
        let Some(Busy { then, mut backlog, backlog_bytes: mut bytes }) = self.lanes.busy.remove(lane) else { return };
        self.follow_work(now, lane, done, then, out);
        while !self.lanes.holds(lane) {
            let Some(input) = backlog.pop_front() else { return self.caught_up(now, lane, out) };
            bytes -= input.len_bytes();
            self.handle(now, input, out);
        }
        if let Some(busy) = self.lanes.busy.get_mut(lane) {
            backlog.append(&mut busy.backlog);
            busy.backlog = backlog;
            busy.backlog_bytes += bytes;
        }
    }

    /// Nothing waits in a lane any more: who asked for what its page was about to offer is answered.
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
            (_, Then::Ask(input)) => self.ask_checked(now, *input, done, out),
            (Lane::Session(session), then) => {
                let room_bytes = self.tools_room_bytes();
                self.session_on(now, session, Event::Worked { done, then, room_bytes }, out);
            }
            (Lane::Agent(_), _) => {}
        }
    }

    /// The hub ends: nothing waits for work any more.
    pub(crate) fn stop_work(&mut self, now: Millis, out: &mut Vec<Effect>) {
        self.lanes.stopping = true;
        for lane in self.lanes.busy.keys().cloned().collect::<Vec<_>>() {
            self.worked(now, &lane, Done::Failed, out);
        }
    }

    /// A session is forgotten: nothing waits in its lane.
    pub(crate) fn forget_lane(&mut self, session: &SessionId) {
        self.lanes.busy.remove(&Lane::Session(session.clone()));
    }
}
