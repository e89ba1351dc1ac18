//! A hub that is stopped without losing a call: new ones are refused, those under way are answered, and each page is
//! sent away when nothing is asked of it any more, to come back through another hub.

use super::peer::Side;
use super::state::Hub;
use eye_core::Conn;
use eye_protocol::close::Close;
use eye_protocol::{Code, Error};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::time::sleep;

/// How often it is looked whether calls are still under way.
const CHECK: Duration = Duration::from_millis(20);

/// What a new call is refused with.
pub fn stopping() -> Error {
    let error = Error::new(Code::CONNECTION, "the hub is being stopped");
    error.hint("the call did not run; repeat it at another hub, or when the hub is back")
}

impl Hub {
    /// How long calls under way may take, if the hub was asked to wait for them.
    pub fn drain_for(&self) -> Option<Duration> {
        Some(self.drain_ms.swap(0, Relaxed)).filter(|ms| *ms > 0).map(Duration::from_millis)
    }

    /// Takes no new calls, and returns when none is under way.
    pub async fn drain(&self) {
        self.hold().desk.pauses.end();
        // What was just handed to another hub is counted there a moment later, so nothing must be under way twice in a
        // row.
        let mut idle_checks = 0;
        while idle_checks < 2 {
            idle_checks = if self.send_pages_away() { idle_checks + 1 } else { 0 };
            sleep(CHECK).await;
        }
    }

    /// Closes the pages that are asked nothing. Whether no call is under way at all.
    fn send_pages_away(&self) -> bool {
        let mut state = self.hold();
        let state = &mut *state;
        for conn in state.board.idle_pages().collect::<Vec<Conn>>() {
            // A tab that the hub drives has no other hub to go to.
            let waits = state.peers.get_mut(&conn).filter(|peer| peer.side == Side::Page && !peer.driven);
            if let Some(peer) = waits.filter(|peer| peer.close.is_none()) {
                peer.close_after(Close::shutdown());
            }
        }
        let Some(cluster) = self.cluster.get() else { return state.board.is_idle() };
        // Pages that come back through another hub take along what was kept of them here.
        let is_left = !cluster.hubs().others.is_empty() && state.board.awaits_heirs();
        cluster.calls_out() == 0 && state.board.is_idle() && !is_left
    }
}
