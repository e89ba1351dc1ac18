//! Requests to watch pages of other hubs, or to watch them no more, that are not answered yet: what holds if they are
//! refused.

use crate::ids::Conn;
use crate::task::{Reply, ReplyForm};
use eye_protocol::SessionId;
use rustc_hash::FxHashMap;

/// The requests of all agents, of each in their order.
#[derive(Debug, Default)]
pub(crate) struct WatchRequests(FxHashMap<Conn, Vec<WatchRequest>>);

#[derive(Debug)]
struct WatchRequest {
    form: ReplyForm,
    session: SessionId,
    /// Whether the agent watched the page before.
    before: bool,
    wanted: bool,
}

impl WatchRequests {
    /// An agent asks. Of several requests that are not answered yet, the first knows what held before.
    pub fn put(&mut self, reply: &Reply, session: &SessionId, was_noted: bool, wanted: bool) {
        let own = self.0.entry(reply.agent).or_default();
        let before = own.iter().find(|one| one.session == *session).map_or(was_noted, |one| one.before);
        own.push(WatchRequest { form: reply.form.clone(), session: session.clone(), before, wanted });
    }

    /// A request is answered: whether the agent watches which page now, unless a later request will tell.
    pub fn take(&mut self, reply: &Reply, is_refused: bool) -> Option<(SessionId, bool)> {
        let own = self.0.get_mut(&reply.agent)?;
        let at = own.iter().position(|one| one.form == reply.form)?;
        let WatchRequest { session, before, wanted, .. } = own.remove(at);
        let holds = if is_refused { before } else { wanted };
        let mut later = own.iter_mut().filter(|one| one.session == session).peekable();
        let is_last = later.peek().is_none();
        later.for_each(|one| one.before = holds);
        if own.is_empty() {
            self.0.remove(&reply.agent);
        }
        is_last.then_some((session, holds))
    }

    /// An agent is gone.
    pub fn forget(&mut self, agent: Conn) {
        self.0.remove(&agent);
    }
}
