//! Ends connections when the named token that admitted them is revoked or expires.

use super::outbox::{Kind, Outbox};
use super::peer::{Peer, Side, Voice};
use super::state::{Hub, State};
use crate::gate::Valid;
use eye_core::{Conn, Input, PageEvent};
use eye_protocol::close::Close;
use eye_protocol::rpc;
use eye_protocol::scope::Bearer;
use eye_protocol::{Code, Error};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How often the file of tokens is checked while a connection depends on a token.
const TOKENS_CHECK: Duration = Duration::from_millis(250);

impl Hub {
    /// Ends connections whose token is revoked or expires, as long as the hub runs.
    pub async fn watch_tokens(&self) {
        let keys = &self.facts.keys;
        loop {
            while !self.rests_on_tokens() {
                self.borne.notified().await;
            }
            let (mut seen, mut valid) = (keys.version(), Arc::new(keys.valid()));
            self.end_invalid(&valid);
            while self.rests_on_tokens() {
                sleep(TOKENS_CHECK).await;
                if keys.changed_since(seen.as_ref(), &valid) {
                    (seen, valid) = (keys.version(), Arc::new(keys.valid()));
                    self.end_invalid(&valid);
                }
            }
        }
    }

    /// Resolves with the reason when the token is no longer valid. For connections that are not peers of the hub.
    pub async fn token_ended(&self, bearer: Option<Bearer>) -> String {
        let Some(bearer) = bearer else { return std::future::pending().await };
        let mut valid = self.valid.subscribe();
        self.borne.notify_one();
        // It may have been revoked between the gate and here.
        let mut now = Arc::new(self.facts.keys.valid());
        loop {
            if let Some(why) = now.fault(&bearer) {
                return why;
            }
            if valid.changed().await.is_err() {
                return std::future::pending().await;
            }
            now = valid.borrow_and_update().clone();
        }
    }

    fn rests_on_tokens(&self) -> bool {
        self.valid.receiver_count() > 0 || self.hold().peers.values().any(|peer| peer.bearer.is_some())
    }

    fn end_invalid(&self, valid: &Arc<Valid>) {
        let mut state = self.hold();
        let ended: Vec<(Conn, String)> = state
            .peers
            .entries()
            .filter_map(|(conn, peer)| Some((*conn, valid.fault(peer.bearer.as_ref()?)?)))
            .collect();
        for (conn, why) in ended {
            self.end_peer(&mut state, conn, revoked(&why));
        }
        drop(state);
        self.valid.send_replace(valid.clone());
    }

    /// Why the token of a new peer is no longer valid: it may have been revoked after the gate's check.
    /// Called before the state is locked, because it may read a file.
    pub(super) fn bearer_fault(&self, peer: &Peer) -> Option<String> {
        let bearer = peer.bearer.as_ref()?;
        self.facts.keys.valid().fault(bearer)
    }

    /// Watches the token of a new peer from now on; ends the peer if its token is not valid.
    pub(super) fn check_bearer(&self, state: &mut State, conn: Conn, fault: Option<&str>) {
        if state.peers.get(&conn).is_some_and(|peer| peer.bearer.is_some()) {
            self.borne.notify_one();
        }
        if let Some(why) = fault {
            self.end_peer(state, conn, revoked(why));
        }
    }

    /// Ends one peer: its open calls end with an error, then it gets the reason and is closed.
    pub(super) fn end_peer(&self, state: &mut State, conn: Conn, error: Error) {
        let Some(peer) = state.peers.get_mut(&conn).filter(|peer| !peer.deaf) else { return };
        let (side, why) = (peer.side, error.message.clone());
        tracing::info!(conn = conn.0, ?side, face = peer.face, why, "a connection ends with what admitted it");
        match side {
            Side::Page => self.feed(state, Input::page(conn, PageEvent::Left)),
            Side::Agent => self.feed(state, Input::AgentRevoked { agent: conn, error: error.clone() }),
        }
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if let Outbox::Inside(letterbox) = &peer.outbox {
            letterbox.end(error);
        } else if side == Side::Agent && peer.voice != Voice::Original {
            // For an agent that has no open call.
            peer.rpc(Kind::Message, &rpc::response("null", Err(&error)));
        }
        peer.deaf = true;
        peer.close_after(Close::revoked(&why));
    }
}

fn revoked(why: &str) -> Error {
    Error::new(Code::DENIED, why).hint("eye token list shows what is valid; eye token new makes another")
}
