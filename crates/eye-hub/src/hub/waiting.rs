//! Streams that lost their session, and streams that wait for one.

use eye_core::Conn;
use eye_core::pace::Pace;
use eye_protocol::SessionId;
use eye_protocol::limits::SUPERSEDED_STREAMS_MAX;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Streams that lost their session, and streams that wait to have it again.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    /// Requests that come alone, by `/rpc`: together they are one client.
    pub alone: Pace,
    /// The ids of streams that were closed because another page has their session; the oldest first.
    superseded: VecDeque<Box<str>>,
    /// Pages that stay connected behind a newer one of their session, the newest last.
    pub in_line: FxHashMap<SessionId, Vec<Conn>>,
    /// Agents that named a session before it had a page.
    pub awaited: FxHashMap<SessionId, Vec<Conn>>,
}

impl Streams {
    /// Remembers the id of a stream that is closed for good; the oldest gives way.
    pub fn supersede(&mut self, client: Box<str>) {
        self.superseded.push_back(client);
        if self.superseded.len() > SUPERSEDED_STREAMS_MAX {
            self.superseded.pop_front();
        }
    }

    /// Whether a stream with this id was closed for good.
    pub fn was_superseded(&self, client: &str) -> bool {
        self.superseded.iter().any(|id| **id == *client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_too_many_superseded_streams_is_forgotten() {
        let mut streams = Streams::default();
        for n in 0..=SUPERSEDED_STREAMS_MAX {
            streams.supersede(n.to_string().into());
        }
        assert!(!streams.was_superseded("0"));
        assert!(streams.was_superseded("1"));
        assert!(streams.was_superseded(&SUPERSEDED_STREAMS_MAX.to_string()));
    }
}
