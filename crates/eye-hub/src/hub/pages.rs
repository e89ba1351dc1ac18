//! A page whose transport is inside this process: messages in, messages out, as a WebSocket has them.

use super::links::Links;
use super::outbox::Outbox;
use super::peer::{Joining, Peer, Side, Signals, Voice};
use super::session_id;
use super::state::Hub;
use eye_core::Conn;
use eye_core::Policy;
use eye_protocol::SessionId;
use eye_protocol::close::Close;
use std::sync::Arc;

/// One document in the hub. Dropping it leaves.
pub struct PageLink {
    hub: Arc<Hub>,
    conn: Conn,
    signals: Arc<Signals>,
}

impl std::fmt::Debug for PageLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PageLink({})", self.conn.0)
    }
}

impl Links {
    /// A document of a tab that a guest drives joins under the tab's session. What the user says of its origin holds here too.
    pub fn join(&self, session: &str, origin: &str) -> PageLink {
        let hub = self.hub().clone();
        let session = SessionId::parse(session).unwrap_or_else(session_id::fresh);
        // A list that cannot be read may have held a restriction.
        let strict = Policy { eval_allowed: false, confirm: true, topics: Vec::new() };
        let policy = hub.origin_policy(origin).map_or(strict, Option::unwrap_or_default);
        let joining = Joining { session, origin: origin.into(), policy, by_token: false };
        let mut peer = Peer::new(Side::Page, Voice::Eye { typed: false }, Outbox::messages(), Some(joining));
        peer.driven = true;
        let (conn, signals) = hub.enter(peer);
        PageLink { hub, conn, signals }
    }
}

impl PageLink {
    /// The document says a message. An error closes it.
    pub fn hear(&self, message: &str) -> Result<(), Close> {
        self.hub.hear(self.conn, message)
    }

    /// The document says a binary message. An error closes it.
    pub fn hear_binary(&self, message: &[u8]) -> Result<(), Close> {
        self.hub.hear_binary(self.conn, message)
    }

    /// The next messages for the document. An error closes it.
    pub async fn next(&self) -> Result<Vec<String>, Close> {
        let parcel = tokio::select! {
            parcel = self.hub.parcel(self.conn, &self.signals) => parcel,
            () = self.signals.end.notified() => return Err(self.hub.closing(self.conn).unwrap_or_else(Close::shutdown)),
        };
        let Some((parcel, close)) = parcel else { return Err(Close::shutdown()) };
        if let Some(close) = close.filter(|_| parcel.ends.is_empty()) {
            return Err(close);
        }
        let mut start = 0;
        let messages = parcel.ends.iter().map(|end| {
            let message = String::from_utf8_lossy(&parcel.bytes[start..*end]).into_owned();
            start = *end;
            message
        });
        Ok(messages.collect())
    }
}

impl Drop for PageLink {
    fn drop(&mut self) {
        self.hub.leave(self.conn);
    }
}
