//! Applies changes of the list of origins to connected pages and agents.

use super::peer::{Listed, Peer, Side};
use super::state::{Hub, State};
use crate::gate::origins::Verdict;
use crate::gate::{Refusal, agent_origin, driven_policy, page_policy};
use eye_core::{Conn, Input, PageEvent, Policy};
use eye_protocol::{Code, Error};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How often the file of origins is checked while a connection depends on it.
const ORIGINS_CHECK: Duration = Duration::from_millis(250);

impl Hub {
    /// Applies changes of the list of origins to connections, as long as the hub runs.
    pub async fn watch_origins(&self) {
        let origins = &self.facts.origins;
        let mut seen = origins.version();
        loop {
            while !self.rests_on_origins() {
                self.listed.notified().await;
            }
            let version = origins.version();
            if version != seen || self.hold().origins_due {
                seen = version;
                self.apply_origins();
            }
            sleep(ORIGINS_CHECK).await;
        }
    }

    /// Resolves with the reason when the list no longer allows an origin. For connections that are not peers of the
    /// hub.
    pub async fn origin_ended(&self, still: impl Fn() -> Result<(), Refusal>) -> Refusal {
        let mut changed = self.origins.subscribe();
        self.listed.notify_one();
        loop {
            // The list may have changed between the gate and here.
            if let Err(refusal) = still() {
                return refusal;
            }
            if changed.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    fn rests_on_origins(&self) -> bool {
        self.origins.receiver_count() > 0 || self.hold().peers.values().any(|peer| peer.listed.is_some())
    }

    /// Checks a new peer against the list again, and watches it from now on.
    pub(super) fn check_listed(&self, state: &mut State, conn: Conn) {
        if state.peers.get(&conn).is_some_and(|peer| peer.listed.is_some()) {
            state.origins_due = true;
            self.listed.notify_one();
        }
    }

    /// An unreadable list does not affect existing connections: it admits no new ones, and the hub's problems report
    /// it.
    fn apply_origins(&self) {
        self.hold().origins_due = false;
        let Ok(list) = self.facts.origins.list() else { return };
        self.origins.send_replace(());
        let mut known: FxHashMap<Arc<str>, Verdict> = FxHashMap::default();
        let mut state = self.hold();
        let changed: Vec<(Conn, Result<Policy, Refusal>)> = state
            .peers
            .entries()
            .filter_map(|(conn, peer)| {
                let listed = peer.listed.as_ref()?;
                // Many pages share one origin.
                let verdict = known.entry(listed.origin.clone()).or_insert_with(|| list.verdict(&listed.origin));
                let now = now_allowed(peer, listed, verdict.clone());
                (now.as_ref().ok() != Some(&listed.policy)).then_some((*conn, now))
            })
            .collect();
        for (conn, now) in changed {
            match now {
                Ok(policy) => {
                    let Some(peer) = state.peers.get_mut(&conn) else { continue };
                    tracing::info!(conn = conn.0, ?policy, "what a page may do has changed");
                    peer.allow(&policy);
                    self.feed(&mut state, Input::page(conn, PageEvent::Allowed(policy)));
                }
                Err(refusal) => {
                    let why = format!("no longer allowed: {}", refusal.reason);
                    self.end_peer(&mut state, conn, Error::new(Code::DENIED, why).hint(refusal.hint));
                }
            }
        }
    }
}

fn now_allowed(peer: &Peer, listed: &Listed, verdict: Verdict) -> Result<Policy, Refusal> {
    match peer.side {
        // A tab at a denied site is listed for agents as denied; nothing of its document is shown.
        Side::Page if peer.barred => Ok(listed.policy.clone()),
        Side::Agent => agent_origin(&verdict, &listed.origin).map(|()| Policy::default()),
        Side::Page if peer.driven => driven_policy(verdict, &listed.origin),
        Side::Page => page_policy(verdict, &listed.origin, listed.by_token),
    }
}
