//! Pages whose transport is inside this process: messages in and out, as over a WebSocket.

use super::links::Links;
use super::outbox::Outbox;
use super::peer::{Joining, Peer, Side, Signals, Voice};
use super::session_id;
use super::state::Hub;
use crate::gate::driven_policy;
use eye_core::{Conn, Input, PageEvent, Policy};
use eye_protocol::SessionId;
use eye_protocol::close::Close;
use eye_protocol::local::{Later, LocalPage};
use eye_protocol::messages::{PageInfo, ShownIn};
use eye_protocol::{Code, Error};
use std::sync::Arc;

/// One document in the hub. Dropping it makes the page leave.
pub(super) struct PageLink {
    hub: Arc<Hub>,
    conn: Conn,
    signals: Arc<Signals>,
    barred: bool,
}

impl std::fmt::Debug for PageLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PageLink({})", self.conn.0)
    }
}

impl Links {
    /// Joins a document of a tab that a guest drives, under the tab's session. The user's list of origins applies here
    /// too.
    pub(super) fn join(&self, session: &str, origin: &str) -> PageLink {
        let hub = self.hub().clone();
        let session = SessionId::parse(session).unwrap_or_else(session_id::fresh);
        // An unreadable list may have held a restriction.
        let strict = || Policy { eval_allowed: false, confirm: true, ..Policy::default() };
        let (policy, barred) = match hub.facts.origins.find(origin).map(|verdict| driven_policy(verdict, origin)) {
            Ok(Ok(policy)) => (policy, false),
            Ok(Err(_)) => (Policy { denied: true, ..Policy::default() }, true),
            Err(_) => (strict(), false),
        };
        let joining = Joining { session, origin: origin.into(), policy, by_token: false };
        let mut peer = Peer::new(Side::Page, Voice::Eye { typed: false }, Outbox::messages(), Some(joining));
        peer.driven = true;
        peer.barred = barred;
        let (conn, signals) = hub.enter(peer);
        PageLink { hub, conn, signals, barred }
    }

    /// Why agents may not see pages of an origin; `None`: they may.
    pub(super) fn denies(&self, origin: &str) -> Option<Error> {
        let verdict = self.hub().facts.origins.find(origin).ok()?;
        let refusal = driven_policy(verdict, origin).err()?;
        Some(Error::new(Code::DENIED, refusal.reason).hint(refusal.hint))
    }
}

impl PageLink {
    /// The next messages for the document. An error closes it.
    async fn take(&self) -> Result<Vec<String>, Close> {
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

impl LocalPage for PageLink {
    fn receive(&self, message: &str) -> Result<(), Close> {
        self.hub.receive(self.conn, message)
    }

    fn receive_binary(&self, message: &[u8]) -> Result<(), Close> {
        self.hub.receive_binary(self.conn, message)
    }

    fn is_barred(&self) -> bool {
        self.barred
    }

    fn is_shown_in(&self, shown_in: ShownIn) {
        let info = PageInfo { shown_in: Some(shown_in), ..PageInfo::default() };
        let mut state = self.hub.hold();
        self.hub.feed(&mut state, Input::page(self.conn, PageEvent::Changed(Box::new(info))));
    }

    fn next(&self) -> Later<'_, Result<Vec<String>, Close>> {
        Box::pin(self.take())
    }
}

impl Drop for PageLink {
    fn drop(&mut self) {
        self.hub.leave(self.conn);
    }
}
