//! The interface between this hub and the code that connects it to other hubs. Independent of the transport.

use super::gathering;
use super::links::Links;
use super::outbox::Outbox;
use super::peer::{Peer, Side, Voice};
use super::state::{Hub, State};
use crate::gate::tokens::FileVersion;
use eye_core::{Conn, Effect, Input, Millis, PlainQuestion};
use eye_protocol::messages::Hello;
use eye_protocol::scope::Scope;
use eye_protocol::shared_token::{OwnTokens, SharedToken};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// Pause before tokens of other hubs are applied again after a failure.
const TOKENS_AGAIN: Duration = Duration::from_secs(5);

/// What an effect counts of a message: a message of 128 frames costs each of them nearly nothing.
const EFFECT_BYTES: usize = gathering::BYTES_MAX / 128;

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

    /// Sends code of another hub's agent to a page, if that can be done at once. `false`: nothing has happened.
    pub fn ask_plainly(&self, agent: Conn, asked: &PlainQuestion<'_>) -> bool {
        self.hub.ask_plainly_for(&mut self.hub.hold(), agent, asked)
    }

    /// Runs a turn of the task that is connected to other hubs. Like a peer's, it may write directly.
    pub fn turn(&self, work: &mut dyn FnMut()) {
        self.hub.directly_now(work);
    }

    /// Ready if something was queued for other hubs since the last time. Otherwise the task of this context is woken.
    pub fn poll_queued(&self, context: &Context<'_>) -> Poll<()> {
        self.hub.for_cluster.wake.poll(context)
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
            gathering::wake(&self.for_cluster, cluster.effect(effect) * EFFECT_BYTES);
        }
    }

    /// Passes on changed rows of pages and changed subscriptions.
    pub(super) fn tell_changes(&self, state: &mut State) {
        let Some(cluster) = self.cluster.get() else { return };
        if state.board.has_changed_rows() {
            let rows = state.board.take_changed_rows(self.now());
            cluster.rows(rows);
            self.for_cluster.wake.notify_one();
        }
        if state.board.has_changed_interests() {
            cluster.interests(state.board.take_changed_interests());
            self.for_cluster.wake.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::cluster::Cluster;
    use crate::hub::gathering::Gathering;
    use crate::hub::links::tests::hub;
    use eye_core::elsewhere::{ChangedInterest, ChangedRow};
    use eye_protocol::status::Hubs;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Waker;

    /// Counts the effects in its queue.
    #[derive(Debug, Default)]
    struct Counting(AtomicUsize);

    impl Cluster for Counting {
        fn effect(&self, _: Effect) -> usize {
            self.0.fetch_add(1, Ordering::Relaxed) + 1
        }
        fn rows(&self, _: Vec<ChangedRow>) {}
        fn interests(&self, _: Vec<ChangedInterest>) {}
        fn calls_out(&self) -> usize {
            0
        }
        fn hubs(&self) -> Hubs {
            Hubs::default()
        }
        fn problem(&self) -> Option<String> {
            None
        }
    }

    #[test]
    fn the_task_is_woken_when_the_peer_that_sends_has_no_more_or_enough_waits() {
        let hub = hub();
        let cluster = Arc::<Counting>::default();
        hub.cluster.set(cluster.clone()).unwrap();
        let link = ClusterLink { hub: hub.clone(), shared: Arc::default() };
        let is_woken = || link.poll_queued(&Context::from_waker(Waker::noop())).is_ready();
        let send = || hub.for_elsewhere(Effect::LeftElsewhere { agent: Conn(1) });
        let gathering = Gathering::default();
        let goes_on = |count: usize| {
            let mut turn = gathering.begin();
            (0..count).for_each(|_| send());
            turn.goes_on = true;
        };
        goes_on(10);
        assert!(!is_woken(), "the peer has more");
        drop(gathering.begin());
        assert!(is_woken());
        cluster.0.store(0, Ordering::Relaxed);
        goes_on(gathering::BYTES_MAX / EFFECT_BYTES - 1);
        assert!(!is_woken());
        goes_on(1);
        assert!(is_woken(), "a message is full");
        cluster.0.store(0, Ordering::Relaxed);
        send();
        assert!(is_woken(), "it is no peer's turn");
    }
}
