//! Streams that lost their session, and streams that wait for one.

use eye_core::pace::Pace;
use eye_core::{Conn, Millis};
use eye_protocol::SessionId;
use eye_protocol::limits::{STREAMS_IN_LINE_MAX, SUPERSEDED_RETURN_MS, SUPERSEDED_STREAMS_MAX};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(crate) struct Streams {
    /// The rate of all `/rpc` requests together: they count as one client.
    pub alone: Pace,
    /// The ids of streams that were closed because another page has their session; oldest first.
    superseded: VecDeque<Box<str>>,
    /// Sessions whose stream was closed a moment ago, and whose client may connect again; oldest first.
    leaving: VecDeque<(SessionId, Millis)>,
    /// Pages that stay connected behind a newer one of their session; newest last.
    pub in_line: FxHashMap<SessionId, Vec<Conn>>,
    /// Agents that named a session before it had a page.
    pub awaited: FxHashMap<SessionId, Vec<Conn>>,
}

impl Streams {
    /// Remembers the id of a stream that is closed for good; drops the oldest at the limit.
    pub fn supersede(&mut self, client: Box<str>, session: Option<SessionId>, now: Millis) {
        self.leaving.extend(session.map(|session| (session, now)));
        while self.leaving.len() > SUPERSEDED_STREAMS_MAX {
            self.leaving.pop_front();
        }
        self.superseded.push_back(client);
        if self.superseded.len() > SUPERSEDED_STREAMS_MAX {
            self.superseded.pop_front();
        }
    }

    /// Whether the stream with this id was closed for good.
    pub fn was_superseded(&self, client: &str) -> bool {
        self.superseded.iter().any(|id| **id == *client)
    }

    /// Whether a new stream is that of a client which was superseded a moment ago. True once per superseded stream.
    pub fn returns(&mut self, session: &SessionId, now: Millis) -> bool {
        self.leaving.retain(|(_, at)| now.saturating_sub(*at) <= SUPERSEDED_RETURN_MS);
        let at = self.leaving.iter().position(|(left, _)| left == session);
        at.and_then(|at| self.leaving.remove(at)).is_some()
    }

    /// Whether no further stream of a session may wait.
    pub fn is_full(&self, session: &SessionId) -> bool {
        self.in_line.get(session).is_some_and(|line| line.len() >= STREAMS_IN_LINE_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_too_many_superseded_streams_is_forgotten() {
        let mut streams = Streams::default();
        for n in 0..=SUPERSEDED_STREAMS_MAX {
            streams.supersede(n.to_string().into(), None, 0);
        }
        assert!(!streams.was_superseded("0"));
        assert!(streams.was_superseded("1"));
        assert!(streams.was_superseded(&SUPERSEDED_STREAMS_MAX.to_string()));
    }

    #[test]
    fn a_superseded_client_returns_once_and_soon() {
        let mut streams = Streams::default();
        let (one, other) = (SessionId::parse("one").unwrap(), SessionId::parse("other").unwrap());
        streams.supersede("a".into(), Some(one.clone()), 1_000);
        assert!(!streams.returns(&other, 1_000));
        assert!(streams.returns(&one, 1_000 + SUPERSEDED_RETURN_MS));
        assert!(!streams.returns(&one, 1_000 + SUPERSEDED_RETURN_MS), "the next is another tab");
        streams.supersede("b".into(), Some(one.clone()), 1_000);
        assert!(!streams.returns(&one, 1_001 + SUPERSEDED_RETURN_MS), "too late");
    }
}
