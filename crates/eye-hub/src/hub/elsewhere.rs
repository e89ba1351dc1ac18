//! The hub as one of several: what it hands to those that reach other hubs, and how they reach into it. Names no
//! carrier.

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

/// How long after a failure the tokens of other hubs are taken over again.
const TOKENS_AGAIN: Duration = Duration::from_secs(5);

/// The files of tokens, as they were last told: those that are valid, and those that were taken back.
type SeenTokens = (Option<FileVersion>, Option<FileVersion>);

/// The hub, for what joins it to others.
#[derive(Clone)]
pub struct ClusterLink {
    hub: Arc<Hub>,
    /// `None`: they are to be told.
    told: Arc<Mutex<Option<SeenTokens>>>,
}

impl Debug for ClusterLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClusterLink")
    }
}

impl Links {
    /// The hub, for what joins it to others.
    pub fn cluster_link(&self) -> ClusterLink {
        ClusterLink { hub: self.hub().clone(), told: Arc::default() }
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
        let (conn, _) = self.hub.enter(peer);
        self.hub.hold().board.mark_guest(conn);
        self.feed(Input::AgentHello { agent: conn, hello: Box::new(hello) });
        conn
    }

    /// An agent of another hub leaves.
    pub fn leave(&self, conn: Conn) {
        self.hub.leave(conn);
    }

    /// Something happened.
    pub fn feed(&self, input: Input) {
        let mut state = self.hub.hold();
        self.hub.feed_foreign(&mut state, input);
    }

    /// The hub's time.
    pub fn now(&self) -> Millis {
        self.hub.now()
    }

    /// From now on the rows of pages here are wanted, all of them at first.
    pub fn want_rows(&self) {
        let mut state = self.hub.hold();
        state.board.want_rows();
        self.hub.tell_changes(&mut state);
    }

    /// Calls of agents here and elsewhere that are under way at pages here.
    pub fn pending(&self) -> usize {
        self.hub.hold().board.pending()
    }

    /// The named tokens that are valid or were taken back, if they may have changed since this was last asked.
    pub fn changed_tokens(&self) -> Option<OwnTokens> {
        let keys = &self.hub.facts.keys;
        // Asked before the files are read: a change between the two is seen by the next question.
        let version = keys.tokens().shared_version();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if *told == Some(version) {
            return None;
        }
        *told = Some(version);
        keys.shared().inspect_err(|error| tracing::warn!(%error, "other hubs are told of no tokens")).ok()
    }

    /// Takes over the named tokens that other hubs made or took back.
    pub fn take_tokens(&self, tokens: Vec<SharedToken>) {
        let (keys, told) = (self.hub.facts.keys.clone(), self.told.clone());
        tokio::spawn(async move {
            // It writes files, which may take longer than a connection can wait.
            let taken = spawn_blocking(move || keys.take(tokens)).await;
            if let Ok(Err(error)) = taken {
                tracing::warn!(%error, "tokens of other hubs cannot be taken over");
                sleep(TOKENS_AGAIN).await;
                *told.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
        });
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
