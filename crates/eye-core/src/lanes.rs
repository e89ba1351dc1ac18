//! Lanes: while work for a session or an agent is under way, later inputs of that session or agent wait in order.

use crate::input::Input;
use crate::then::Then;
use crate::work::Lane;
use eye_protocol::limits::{BACKLOG_BYTES_MAX, BACKLOG_LEN_MAX};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Work that is under way, and the inputs behind it.
#[derive(Debug)]
struct Busy {
    then: Then,
    backlog: VecDeque<Input>,
    backlog_bytes: usize,
}

/// Inputs that waited behind work, in order.
#[derive(Debug)]
pub(crate) struct Backlog {
    inputs: VecDeque<Input>,
    bytes: usize,
}

impl Backlog {
    pub fn pop(&mut self) -> Option<Input> {
        let input = self.inputs.pop_front()?;
        self.bytes -= input.len_bytes();
        Some(input)
    }
}

/// All lanes in which work is under way.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    busy: FxHashMap<Lane, Busy>,
    /// The hub is ending: no more work is begun.
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

    /// Begins work in a lane. Returns `then` if the hub is ending and no more work is begun.
    pub fn begin(&mut self, lane: Lane, then: Then) -> Option<Then> {
        if self.stopping {
            return Some(then);
        }
        let doubled = self.busy.insert(lane, Busy { then, backlog: VecDeque::new(), backlog_bytes: 0 });
        debug_assert!(doubled.is_none(), "a lane has one work at a time");
        None
    }

    /// Ends the work of a lane. Returns what follows it, and the inputs that waited behind it.
    pub fn end(&mut self, lane: &Lane) -> Option<(Then, Backlog)> {
        let Busy { then, backlog: inputs, backlog_bytes: bytes } = self.busy.remove(lane)?;
        Some((then, Backlog { inputs, bytes }))
    }

    /// New work began in a lane before its backlog was empty: puts the rest back before the inputs that came since.
    pub fn put_back(&mut self, lane: &Lane, mut rest: Backlog) {
        if let Some(busy) = self.busy.get_mut(lane) {
            rest.inputs.append(&mut busy.backlog);
            busy.backlog = rest.inputs;
            busy.backlog_bytes += rest.bytes;
        }
    }

    /// The hub is ending. Returns the lanes in which work is under way.
    pub fn stop(&mut self) -> Vec<Lane> {
        self.stopping = true;
        self.busy.keys().cloned().collect()
    }

    /// Drops a lane and the inputs that wait in it.
    pub fn forget(&mut self, lane: &Lane) {
        self.busy.remove(lane);
    }

    /// Queues an input behind the work of a lane. `false`: there is no room, and the input is lost.
    pub fn put(&mut self, lane: &Lane, input: Input) -> bool {
        let Some(busy) = self.busy.get_mut(lane) else { return false };
        let bytes = input.len_bytes();
        // Inputs that end a connection always have room, and so have those that move a session, which come once.
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
