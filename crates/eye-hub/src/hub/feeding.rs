//! Feeds events to the core, and writes the resulting effects into the outboxes of peers.

use super::direct;
use super::lists::changes_lists;
use super::outbox::Kind;
use super::peer::Voice;
use super::speaking::speak;
use super::state::{Hub, Job, State};
use eye_core::{Conn, Effect, Input, PageEvent};
use eye_protocol::close::Close;
use eye_protocol::limits::OUTBOX_BYTES_MAX;
use eye_protocol::{Code, Error};

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
        if state.board.known_changed() {
            self.remember.notify_one();
        }
    }

    fn feed_one(&self, state: &mut State, input: Input) {
        let lists = changes_lists(&input);
        let mut effects = std::mem::take(&mut state.effects);
        let now = self.now_of(state);
        state.board.on(now, input, &mut effects);
        for effect in effects.drain(..) {
            self.apply(state, effect);
        }
        state.effects = effects;
        if lists {
            self.lists.send_modify(|count| *count += 1);
        }
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
        let conn = match &effect {
            Effect::Work { .. }
            | Effect::Free(_)
            | Effect::PassOn(_)
            | Effect::CancelElsewhere { .. }
            | Effect::LeftElsewhere { .. }
            | Effect::PublishElsewhere { .. }
            | Effect::HandOver(_)
            | Effect::LookUp { .. }
            | Effect::Lasting(_) => return self.hand_on(effect),
            Effect::Send { page, .. }
            | Effect::PageResult { page, .. }
            | Effect::Abort { page, .. }
            | Effect::Ping { page }
            | Effect::Replaced { page } => *page,
            Effect::Close { conn, .. } | Effect::Message { conn, .. } => *conn,
            Effect::Ended { reply, .. } | Effect::Result { reply, .. } | Effect::Progress { reply, .. } => reply.agent,
            Effect::News { agent, .. } => *agent,
        };
        // Rarely set. An effect is large and is copied each time it is passed on and back.
        if state.confirmable.is_some() {
            if let Some(effect) = self.unless_held(state, effect)
                && !self.tell_peer(state, conn, &effect)
            {
                self.for_elsewhere(effect);
            }
        } else if !self.tell_peer(state, conn, &effect) {
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
            self.written(state, conn);
        }
        state.text = text;
        true
    }

    /// An outbox was written to: it is sent at the end of the turn, or its writer is woken. A peer with too much in its
    /// outbox is given up.
    pub(crate) fn written(&self, state: &mut State, conn: Conn) {
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if peer.outbox.len_bytes() > OUTBOX_BYTES_MAX {
            self.give_up(state, conn, "more than 64 MiB waited to be read");
        } else if direct::is_on() && peer.outlet.is_some() && state.direct.len() < direct::PEERS_MAX {
            if !state.direct.contains(&conn) {
                state.direct.push(conn);
            }
        } else {
            peer.signals.wake.notify_one();
        }
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
