//! Original 3D pages in the hub: how they join, how tasks reach them, and which of two tabs has their session.

use super::peer::{Joining, Peer, Voice};
use super::state::{Hub, State};
use crate::dialect::scene::{self, First, Scene};
use eye_core::{CallId, Conn, Input, Newcomer, PageEvent, Task};
use eye_protocol::limits::STATE_ASK_MS;
use std::time::Duration;

impl Hub {
    /// Joins an original 3D page, which begins with a message of its own. `false`: this is another kind of page.
    pub(super) fn begins_scene(&self, state: &mut State, conn: Conn, text: &str) -> bool {
        let Some(first) = scene::first(text) else { return false };
        let Some(peer) = state.peers.get_mut(&conn) else { return false };
        match first {
            First::Refused(refusal) => peer.outbox.line(&refusal),
            First::Register(session) => {
                let Some(joining) = peer.joining.take() else { return false };
                let mut joined = Joining { session, ..joining };
                state.own_session(&mut joined);
                let Some(peer) = state.peers.get_mut(&conn) else { return false };
                peer.voice = Voice::Scene;
                peer.outbox.line(&scene::registered(&joined.session));
                peer.scene = Scene::new(&joined.origin, &joined.session);
                peer.joined = Some(joined.clone());
                self.scene_joins(state, conn, joined);
            }
        }
        self.written(state, conn);
        true
    }

    /// Gives a page the session that it registered for.
    fn scene_joins(&self, state: &mut State, conn: Conn, joined: Joining) {
        let Joining { session, origin, policy, .. } = joined;
        let who = Newcomer { origin, info: scene::info(), policy, ask_first: true, driven: false };
        self.feed(state, Input::PageJoined { page: conn, session, who: Box::new(who) });
        self.feed(state, Input::page(conn, PageEvent::Offers { id: None, tools: scene::definitions() }));
    }

    /// After a page left: of the other tabs that had its session before, the newest gets it again.
    pub(super) fn scene_left(&self, state: &mut State, left: &Joining) {
        if state.board.has_page(&left.session) {
            return;
        }
        let same = |joined: &Joining| joined.session == left.session && joined.origin == left.origin;
        let older =
            state.peers.entries().filter(|(_, peer)| peer.joined.as_ref().is_some_and(same) && peer.close.is_none());
        if let Some((conn, joined)) =
            older.map(|(conn, peer)| (*conn, peer.joined.clone())).max_by_key(|(conn, _)| *conn)
            && let Some(joined) = joined
        {
            if let Some(peer) = state.peers.get_mut(&conn) {
                peer.scene.resume();
            }
            self.scene_joins(state, conn, joined);
        }
    }

    /// Sends a task to a page. Returns the answer if it needs no page.
    pub(super) fn tell_scene(&self, peer: &mut Peer, page: Conn, call: Option<CallId>, task: &Task) -> Option<Input> {
        let spoken = scene::to_page(call, task, &mut peer.scene);
        for message in &spoken.messages {
            peer.outbox.line(message);
        }
        let call = call?;
        if spoken.expires {
            self.expire_later(page, call);
        }
        Some(Input::page(page, PageEvent::Answered { call, ending: spoken.answer? }))
    }

    /// Ends a state request that the page does not answer in time.
    fn expire_later(&self, page: Conn, call: CallId) {
        let hub = self.this.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(STATE_ASK_MS)).await;
            let Some(hub) = hub.upgrade() else { return };
            let mut state = hub.hold();
            let ending = state.peers.get_mut(&page).and_then(|peer| scene::expire(call, &mut peer.scene));
            if let Some(ending) = ending {
                hub.feed(&mut state, Input::page(page, PageEvent::Answered { call, ending }));
            }
        });
    }
}
