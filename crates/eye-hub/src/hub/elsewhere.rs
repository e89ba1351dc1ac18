//! The interface between this hub and the code that connects it to other hubs. Independent of the transport.

use super::links::Links;
use super::outbox::Outbox;
use super::peer::{Peer, Side, Voice};
use super::state::{Hub, State};
use crate::gate::tokens::FileVersion;
use eye_core::{Conn, Effect, Input, Millis};
use eye_protocol::messages::Hello;
use eye_protocol::scope::Scope;
use eye_protocol::shared_token::{OwnTokens, SharedToken};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// Pause before tokens of other hubs are applied again after a failure.
const TOKENS_AGAIN: Duration = Duration::from_secs(5);

/// The versions of the files of tokens that were last shared: valid tokens, and revoked ones.
type SeenTokens = (Option<FileVersion>, Option<FileVersion>);

/// The hub as the code sees it that connects it to others.
#[derive(Clone)]
pub struct ClusterLink {
    hub: Arc<Hub>,
    /// `None`: the tokens must be shared.
    shared: Arc<Mutex<Option<SeenTokens>>>,
}

impl Debug for ClusterLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClusterLink")
    }
}

impl Links {
    pub fn cluster_link(&self) -> ClusterLink {
        ClusterLink { hub: self.hub().clone(), shared: Arc::default() }
    }
}

impl ClusterLink {
    /// Adds an agent of another hub. Its messages go to [`Cluster::effect`](super::cluster::Cluster::effect).
    pub fn enter(&self, scope: Scope, hello: Hello) -> Conn {
        let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: true }, Outbox::messages(), None).scoped(scope);
        peer.foreign = true;
        // The hub to which the agent is connected ends it when its token ends.
        peer.bearer = None;
        peer.face = "cluster";
        let (conn, _) = self.hub.enter(peer);
        self.hub.hold().board.mark_guest(conn);
        self.feed(Input::AgentHello { agent: conn, hello: Box::new(hello) });
        conn
    }

    /// Removes an agent of another hub.
    pub fn leave(&self, conn: Conn) {
        self.hub.leave(conn);
    }

    /// Feeds an event to the hub.
    pub fn feed(&self, input: Input) {
        let mut state = self.hub.hold();
        self.hub.feed_foreign(&mut state, input);
    }

    /// Runs a turn of the task that is connected to other hubs. Like a peer's, it may write directly.
    pub fn turn(&self, work: &mut dyn FnMut()) {
        self.hub.directly_now(work);
    }

    pub fn now(&self) -> Millis {
        self.hub.now()
    }

    /// Starts to report the rows of this hub's pages, beginning with all of them.
    pub fn want_rows(&self) {
        let mut state = self.hub.hold();
        state.board.want_rows();
        self.hub.tell_changes(&mut state);
    }

    /// Open calls at pages of this hub, from any hub's agents.
    pub fn pending(&self) -> usize {
        self.hub.hold().board.pending()
    }

    /// The valid and revoked named tokens, if they may have changed since the last call.
    pub fn changed_tokens(&self) -> Option<OwnTokens> {
        let keys = &self.hub.facts.keys;
        // Taken before the files are read: a change in between is then noticed by the next call.
        let version = keys.tokens().shared_version();
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if *shared == Some(version) {
            return None;
        }
        *shared = Some(version);
        keys.shared().inspect_err(|error| tracing::warn!(%error, "other hubs are told of no tokens")).ok()
    }

    /// Applies the named tokens that other hubs made or revoked.
    pub fn take_tokens(&self, tokens: Vec<SharedToken>) {
        let (keys, shared) = (self.hub.facts.keys.clone(), self.shared.clone());
        tokio::spawn(async move {
            // Writes files, which may take longer than a connection can wait.
            let taken = spawn_blocking(move || keys.take(tokens)).await;
            if let Ok(Err(error)) = taken {
                tracing::warn!(%error, "tokens of other hubs cannot be taken over");
                sleep(TOKENS_AGAIN).await;
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
        });
    }
}

impl Hub {
    /// Passes on an effect for another hub.
    pub(super) fn for_elsewhere(&self, effect: Effect) {
        if let Some(cluster) = self.cluster.get() {
            cluster.effect(effect);
        }
    }

    /// Passes on changed rows of pages and changed subscriptions.
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
