//! Stops a hub without losing a call: new calls are refused, open ones are answered, and each idle page is closed, so
//! that it reconnects through another hub.

use super::peer::Side;
use super::state::Hub;
use eye_core::Conn;
use eye_protocol::close::Close;
use eye_protocol::{Code, Error};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::time::sleep;

/// Interval of the checks for open calls.
const CHECK: Duration = Duration::from_millis(20);

/// The refusal of a new call.
pub fn stopping() -> Error {
    let error = Error::new(Code::CONNECTION, "the hub is being stopped");
    error.hint("the call did not run; repeat it at another hub, or when the hub is back")
}

impl Hub {
    /// How long open calls may take, if the hub was told to wait for them.
    pub fn drain_for(&self) -> Option<Duration> {
        Some(self.drain_ms.swap(0, Relaxed)).filter(|ms| *ms > 0).map(Duration::from_millis)
    }

    /// Refuses new calls, and returns when no call is open.
    pub async fn drain(&self) {
        self.hold().desk.pauses.end();
        // A call that was just passed to another hub is counted there a moment later, so two checks in a row must find
        // nothing.
        let mut idle_checks = 0;
        while idle_checks < 2 {
            idle_checks = if self.send_pages_away() { idle_checks + 1 } else { 0 };
            sleep(CHECK).await;
        }
    }

    /// Closes idle pages. Returns whether no call is open at all.
    fn send_pages_away(&self) -> bool {
        let mut state = self.hold();
        let state = &mut *state;
        for conn in state.board.idle_pages().collect::<Vec<Conn>>() {
            // A tab that the hub drives cannot connect to another hub.
            let waits = state.peers.get_mut(&conn).filter(|peer| peer.side == Side::Page && !peer.driven);
            if let Some(peer) = waits.filter(|peer| peer.close.is_none()) {
                peer.close_after(Close::shutdown());
            }
        }
        let Some(cluster) = self.cluster.get() else { return state.board.is_idle() };
        // Pages that return through another hub take along what this hub kept of them.
        let is_left = !cluster.hubs().others.is_empty() && state.board.awaits_heirs();
        cluster.calls_out() == 0 && state.board.is_idle() && !is_left
    }
}
