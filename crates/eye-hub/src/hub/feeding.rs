//! Feeds events to the core, and writes the resulting effects into the outboxes of peers.

use super::lists::changes_lists;
use super::outbox::Kind;
use super::peer::{Peer, Voice};
use super::speaking::speak;
use super::state::{Hub, Job, State};
use super::{direct, gathering};
use eye_core::{CallId, Conn, Effect, Input, PageEvent};
use eye_protocol::close::Close;
use eye_protocol::limits::OUTBOX_BYTES_MAX;
use eye_protocol::{Code, Ending, Error};
use std::sync::atomic::Ordering;

impl Hub {
    pub(crate) fn reply(&self, state: &mut State, conn: Conn, json: &str) {
        if let Some(peer) = state.peers.get_mut(&conn) {
            match peer.voice {
                Voice::Original | Voice::Scene => peer.outbox.line(json),
                Voice::Eye { .. } | Voice::Events(_) => peer.rpc(Kind::Response, json),
            }
            self.written(state, conn);
        }
    }

    /// Feeds an event to the core and applies its effects.
    pub(crate) fn feed(&self, state: &mut State, input: Input) {
        if state.todo.is_empty() {
            self.feed_one(state, input);
        } else {
            state.todo.push_back(input);
        }
        self.feed_todo(state);
    }

    /// Events are processed from a queue, not by recursion: closing a peer in between adds one more event.
    pub(super) fn feed_todo(&self, state: &mut State) {
        while let Some(input) = state.todo.pop_front() {
            self.feed_one(state, input);
        }
        self.tell_changes(state);
        self.arm(state);
        self.working.store(!state.board.is_free(), Ordering::Relaxed);
        if state.board.known_changed() {
            self.remember.notify_one();
        }
    }

    /// Feeds a page's answer to a call: the commonest event of a page, and so not as an input, which is large.
    pub(crate) fn feed_answer(&self, state: &mut State, page: Conn, call: CallId, ending: Ending) {
        if state.todo.is_empty() {
            let now = self.now_of(state);
            let mut effects = std::mem::take(&mut state.effects);
            state.board.on_answer(now, page, call, ending, &mut effects);
            self.apply_all(state, effects);
        } else {
            state.todo.push_back(Input::page(page, PageEvent::Answered { call, ending }));
        }
        self.feed_todo(state);
    }

    fn feed_one(&self, state: &mut State, input: Input) {
        let lists = changes_lists(&input);
        let now = self.now_of(state);
        let mut effects = std::mem::take(&mut state.effects);
        state.board.on(now, input, &mut effects);
        self.apply_all(state, effects);
        if lists {
            self.lists.send_modify(|count| *count += 1);
        }
    }

    /// Applies effects, and keeps the list's room for the next ones.
    fn apply_all(&self, state: &mut State, mut effects: Vec<Effect>) {
        for effect in &mut effects {
            // An effect is large. Nearly always it is for a peer here, and is not copied.
            match receiver(effect) {
                Some(conn) if state.confirmable.is_none() => {
                    if !self.tell_peer(state, conn, effect) {
                        self.for_elsewhere(taken(effect));
                    }
                }
                _ => self.apply(state, taken(effect)),
            }
        }
        effects.clear();
        state.effects = effects;
    }

    /// Wakes the timer task if the next deadline has become earlier.
    pub(super) fn arm(&self, state: &mut State) {
        let wake = state.next_wake();
        if wake.is_some_and(|at| state.armed_at.is_none_or(|armed| at < armed)) {
            state.armed_at = wake;
            self.rearm.notify_one();
        }
    }

    pub(super) fn apply(&self, state: &mut State, effect: Effect) {
        let Some(conn) = receiver(&effect) else { return self.hand_on(effect) };
        if let Some(effect) = self.unless_held(state, effect)
            && !self.tell_peer(state, conn, &effect)
        {
            self.for_elsewhere(effect);
        }
    }

    /// Passes on effects that are for no peer here: work for other threads, and effects for other hubs.
    fn hand_on(&self, effect: Effect) {
        match effect {
            // The worker ends with the hub, and then no call waits for it.
            Effect::Work { lane, work } => self.worker.send(Job::Do(lane, work)).unwrap_or_default(),
            Effect::Free(value) => self.worker.send(Job::Free(value)).unwrap_or_default(),
            effect => self.for_elsewhere(effect),
        }
    }

    /// Writes an effect into the outbox of its peer. `false`: that is an agent of another hub.
    fn tell_peer(&self, state: &mut State, conn: Conn, effect: &Effect) -> bool {
        self.note_ending(state, effect);
        if self.keeps_its_stream(state, effect) {
            return true;
        }
        let mut text = std::mem::take(&mut state.text);
        text.clear();
        if let Some(peer) = state.peers.get_mut(&conn) {
            if peer.foreign {
                state.text = text;
                return false;
            }
            if matches!(effect, Effect::Ping { .. }) && matches!(peer.voice, Voice::Events(_) | Voice::Scene) {
                // SSE pages and original 3D pages cannot answer pings; an open connection counts as alive.
                state.todo.push_back(Input::page(conn, PageEvent::Alive));
            }
            if let Effect::Send { page, call: Some(call), task } = effect
                && !peer.voice.can(task)
            {
                let error = Error::new(Code::METHOD, "this page speaks an original's messages and cannot do that");
                state.todo.push_back(Input::page(*page, PageEvent::Answered { call: *call, ending: Err(error) }));
            } else if let Effect::Send { page, call, task } = effect
                && peer.voice == Voice::Scene
            {
                state.todo.extend(self.tell_scene(peer, *page, *call, task));
            }
            speak(peer, effect, &mut text);
            if !queued(peer, conn, &mut state.direct) {
                self.give_up_full(state, conn);
            }
        }
        state.text = text;
        true
    }

    /// An outbox was written to: it is sent at the end of the turn, or its writer is woken. A peer with too much in its
    /// outbox is given up.
    pub(crate) fn written(&self, state: &mut State, conn: Conn) {
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if !queued(peer, conn, &mut state.direct) {
            self.give_up_full(state, conn);
        }
    }

    pub(super) fn give_up_full(&self, state: &mut State, conn: Conn) {
        self.give_up(state, conn, "more than 64 MiB waited to be read");
    }

    #[expect(clippy::unused_self, reason = "one of the hub's steps, beside its siblings")]
    pub(super) fn give_up(&self, state: &mut State, conn: Conn, why: &str) {
        if let Some(peer) = state.peers.get_mut(&conn)
            && !peer.deaf
        {
            peer.close_now(Close::too_slow(why));
            tracing::warn!(conn = conn.0, side = ?peer.side, face = peer.face, why, "a slow peer is closed");
            state.traffic.closed_slow += 1;
            state.todo.push_back(peer.side.gone(conn));
        }
    }
}

/// The peer that an effect is for, if it is for one.
fn receiver(effect: &Effect) -> Option<Conn> {
    match effect {
        Effect::Work { .. }
        | Effect::Free(_)
        | Effect::PassOn(_)
        | Effect::CancelElsewhere { .. }
        | Effect::LeftElsewhere { .. }
        | Effect::PublishElsewhere { .. }
        | Effect::HandOver(_)
        | Effect::LookUp { .. }
        | Effect::Lasting(_) => None,
        Effect::Send { page, .. }
        | Effect::PageResult { page, .. }
        | Effect::Abort { page, .. }
        | Effect::Ping { page }
        | Effect::Replaced { page } => Some(*page),
        Effect::Close { conn, .. } | Effect::Message { conn, .. } => Some(*conn),
        Effect::Ended { reply, .. } | Effect::Result { reply, .. } | Effect::Progress { reply, .. } => {
            Some(reply.agent)
        }
        Effect::News { agent, .. } => Some(*agent),
    }
}

/// Takes an effect out of its list. What stays there is not applied.
fn taken(effect: &mut Effect) -> Effect {
    std::mem::replace(effect, Effect::Ping { page: Conn(0) })
}

/// Lets what was written into a peer's outbox be sent. `false`: there is too much in it.
pub(super) fn queued(peer: &Peer, conn: Conn, direct: &mut Vec<Conn>) -> bool {
    if peer.outbox.len_bytes() > OUTBOX_BYTES_MAX {
        return false;
    }
    if direct::is_on() && peer.outlet.is_some() && direct.len() < direct::PEERS_MAX {
        if !direct.contains(&conn) {
            direct.push(conn);
        }
    } else {
        gathering::wake(&peer.signals, peer.outbox.len_bytes());
    }
    true
}
