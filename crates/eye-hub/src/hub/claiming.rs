//! Which session a page gets: the one it asks for, unless that is kept for another origin.

use super::peer::Joining;
use super::session_id;
use super::state::{Hub, State};
use eye_core::Conn;
use eye_protocol::messages::PageInfo;

impl State {
    /// Gives a page that asks for a session of another origin an id of its own; its welcome tells it.
    pub(crate) fn own_session(&self, joining: &mut Joining) {
        if self.board.is_kept_for_another(&joining.session, &joining.origin) {
            joining.session = session_id::fresh();
        }
    }
}

impl Hub {
    /// The session that a page will join, until it has.
    pub fn claimed(&self, conn: Conn) -> Option<Box<str>> {
        let state = self.hold();
        state.peers.get(&conn)?.joining.as_ref().map(|joining| joining.session.as_str().into())
    }

    /// A page said hello in another way than by a frame: the original's.
    pub fn join(&self, conn: Conn, info: PageInfo) {
        let mut state = self.hold();
        self.page_joins(&mut state, conn, info);
    }
}
