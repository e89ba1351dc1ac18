//! The session of a new page: the one it requests, unless that belongs to another origin.

use super::peer::Joining;
use super::session_id;
use super::state::{Hub, State};
use eye_core::Conn;
use eye_protocol::messages::PageInfo;

impl State {
    /// Replaces a session id that belongs to another origin by a fresh one. The page learns it from its welcome.
    pub(crate) fn own_session(&self, joining: &mut Joining) {
        if self.board.is_kept_for_another(&joining.session, &joining.origin) {
            joining.session = session_id::fresh();
        }
    }
}

impl Hub {
    /// The session of a page that has not joined yet.
    pub fn claimed(&self, conn: Conn) -> Option<Box<str>> {
        let state = self.hold();
        state.peers.get(&conn)?.joining.as_ref().map(|joining| joining.session.as_str().into())
    }

    /// Joins a page that sends no hello frame: a page of the original eye.
    pub fn join(&self, conn: Conn, info: PageInfo) {
        let mut state = self.hold();
        self.page_joins(&mut state, conn, info);
    }
}
