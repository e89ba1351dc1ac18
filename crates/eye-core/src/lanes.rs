//! Lanes: while work is done for a session or an agent, what comes after it waits behind it, in order.

use crate::input::Input;
use crate::then::Then;
use crate::work::Lane;
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

/// What waited behind work, in order.
#[derive(Debug)]
pub(crate) struct Backlog {
    inputs: VecDeque<Input>,
    bytes: usize,
}

impl Backlog {
    /// The next of it.
    pub fn pop(&mut self) -> Option<Input> {
        let input = self.inputs.pop_front()?;
        self.bytes -= input.len_bytes();
        Some(input)
    }
}

/// Everything that waits for work.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    busy: FxHashMap<Lane, Busy>,
    /// The hub ends: no more work is begun.
    stopping: bool,
}

impl Lanes {
    /// Whether no work is under way.
    pub fn are_free(&self) -> bool {
        self.busy.is_empty()
    }

    /// Whether work is under way in a lane.
    pub fn holds(&self, lane: &Lane) -> bool {
        self.busy.contains_key(lane)
    }

    /// Work begins in a lane. Gives `then` back where the hub ends: no more work is begun.
    pub fn begin(&mut self, lane: Lane, then: Then) -> Option<Then> {
        if self.stopping {
            return Some(then);
        }
        let doubled = self.busy.insert(lane, Busy { then, backlog: VecDeque::new(), backlog_bytes: 0 });
        debug_assert!(doubled.is_none(), "a lane has one work at a time");
        None
    }

    /// The work of a lane is over: what follows it, and what waited behind it.
    pub fn end(&mut self, lane: &Lane) -> Option<(Then, Backlog)> {
        let Busy { then, backlog: inputs, backlog_bytes: bytes } = self.busy.remove(lane)?;
        Some((then, Backlog { inputs, bytes }))
    }

    /// Work began in a lane whose backlog is not worked off: the rest waits before what came since.
    pub fn put_back(&mut self, lane: &Lane, mut rest: Backlog) {
        if let Some(busy) = self.busy.get_mut(lane) {
            rest.inputs.append(&mut busy.backlog);
            busy.backlog = rest.inputs;
            busy.backlog_bytes += rest.bytes;
        }
    }

    /// The hub ends: the lanes in which work is under way.
    pub fn stop(&mut self) -> Vec<Lane> {
        self.stopping = true;
        self.busy.keys().cloned().collect()
    }

    /// Nothing waits in a lane any more.
    pub fn forget(&mut self, lane: &Lane) {
        self.busy.remove(lane);
    }

    /// Puts something behind the work of a lane. `false`: there is no room, and it is lost.
    pub fn put(&mut self, lane: &Lane, input: Input) -> bool {
        let Some(busy) = self.busy.get_mut(lane) else { return false };
        let bytes = input.len_bytes();
        // What ends a connection always has room, and so has what a session takes along, which comes once.
        let ends = match &input {
            Input::Page { event, .. } => event.ends(),
            Input::Released { .. } | Input::HandedOver(_) | Input::Recalled(_) => true,
            _ => matches!(input, Input::AgentLeft { .. } | Input::AgentRevoked { .. }),
        };
        let fits = busy.backlog.len() < BACKLOG_LEN_MAX && busy.backlog_bytes + bytes <= BACKLOG_BYTES_MAX;
        if fits || ends {
            busy.backlog_bytes += bytes;
            busy.backlog.push_back(input);
        }
        fits || ends
    }
}
