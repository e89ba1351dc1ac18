//! The hub as one of several: what it hands to those that reach other hubs, and how they reach into it. Names no carrier.

use super::links::Links;
use super::outbox::Outbox;
use super::peer::{Peer, Side, Voice};
use super::state::{Hub, State};
use eye_core::{Conn, Effect, Input, Millis};
use eye_protocol::messages::Hello;
use eye_protocol::scope::Scope;
use std::fmt::Debug;
use std::sync::Arc;

/// The hub, for what joins it to others.
#[derive(Clone)]
pub struct ClusterLink(Arc<Hub>);

impl Debug for ClusterLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClusterLink")
    }
}

impl Links {
    /// The hub, for what joins it to others.
    pub fn cluster_link(&self) -> ClusterLink {
        ClusterLink(self.hub().clone())
    }
}

impl ClusterLink {
    /// Lets an agent of another hub in. What it is told goes to [`Cluster::effect`](super::cluster::Cluster::effect).
    pub fn enter(&self, scope: Scope, hello: Hello) -> Conn {
        let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: true }, Outbox::messages(), None).scoped(scope);
        peer.foreign = true;
        // The hub that the agent is connected to ends it with its token.
        peer.bearer = None;
        peer.face = "cluster";
        let (conn, _) = self.0.enter(peer);
        self.feed(Input::AgentHello { agent: conn, hello: Box::new(hello) });
        conn
    }

    /// An agent of another hub leaves.
    pub fn leave(&self, conn: Conn) {
        self.0.leave(conn);
    }

    /// Something happened.
    pub fn feed(&self, input: Input) {
        let mut state = self.0.hold();
        self.0.feed_foreign(&mut state, input);
    }

    /// The hub's time.
    pub fn now(&self) -> Millis {
        self.0.now()
    }

    /// From now on the rows of pages here are wanted, all of them at first.
    pub fn want_rows(&self) {
        let mut state = self.0.hold();
        state.board.want_rows();
        self.0.tell_changes(&mut state);
    }

    /// Calls of agents here and elsewhere that are under way at pages here.
    pub fn pending(&self) -> usize {
        self.0.hold().board.pending()
    }
}

impl Hub {
    /// Hands over what is for another hub.
    pub(super) fn for_elsewhere(&self, effect: Effect) {
        if let Some(cluster) = self.cluster.get() {
            cluster.effect(effect);
        }
    }

    /// Hands over what changed for other hubs: rows of pages, and what is listened to.
    pub(super) fn tell_changes(&self, state: &mut State) {
        let Some(cluster) = self.cluster.get() else { return };
        if state.board.has_changed_rows() {
            let rows = state.board.take_changed_rows(self.now());
            cluster.rows(rows);
        }
        if state.board.has_changed_interests() {
            cluster.interests(state.board.take_changed_interests());
        }
    }
}
